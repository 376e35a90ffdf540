// The answer: a region with a name, whose sentences are read out, and which comes into view when a message is chosen.

export default function ({ data, parentElement }) {
  const region = (parentElement.host ?? parentElement).closest(".st-key-answer");
  if (!region) return;
  region.classList.toggle("hl-stale", data.ofRequest); // while it plays, such an answer is about the request before
  region.setAttribute("role", "region");
  region.setAttribute("aria-label", "Answer");
  region.tabIndex = -1; // a key leads there
  region.querySelector(".st-key-said")?.setAttribute("aria-live", "polite");
  const before = region.dataset.asked;
  region.dataset.asked = data.asked;
  if (before === undefined || before === String(data.asked)) return;
  region.scrollTop = 0;
  const { top } = region.getBoundingClientRect();
  if (top >= 0 && top < innerHeight / 2) return; // its beginning is on screen
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  requestAnimationFrame(() => region.scrollIntoView({ block: "nearest", behavior: still ? "auto" : "smooth" }));
}
