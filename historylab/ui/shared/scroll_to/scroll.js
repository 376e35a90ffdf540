// Scrolls once per time it was asked for; a page that is drawn anew asks again with the same number.

const done = (globalThis.historylabScrolled ??= new Map());

export default function ({ data: { to, asked } }) {
  if (done.get(to) === asked) return;
  done.set(to, asked);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  if (asked) document.querySelector(to)?.scrollIntoView({ behavior: still ? "auto" : "smooth", block: "start" });
}
