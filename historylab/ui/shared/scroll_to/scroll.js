// Scrolls once per time it was asked for, and the focus goes along; a page that is drawn anew asks again with the same number.

const done = (globalThis.historylabScrolled ??= new Map());

export default function ({ data: { to, asked } }) {
  if (done.get(to) === asked) return;
  done.set(to, asked);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const place = document.querySelector(to);
  if (!place) return;
  place.tabIndex = -1;
  place.focus({ preventScroll: true });
  place.scrollIntoView({ behavior: still ? "auto" : "smooth", block: "start" });
}
