// What the components of a page share, each of which is a module of its own: one clock, so that map, list, chart and
// sentence show the same request, and what every request of a timeline does with every message.

const clock = (globalThis.historylabClock ??= makeClock());
const timelines = (globalThis.historylabTimelines ??= makeTimelines());

function makeClock() {
  const ANSWER_MS = 4000;
  const listeners = new Set();
  const now = { request: 0, playing: false, from: 0, to: 1 }; // request from 0; the part of the axis on screen, 0 to 1
  let told = null; // what Python was told and has not answered yet
  return {
    now,
    held: false, // by a component that is being moved: no answer to an earlier move goes back meanwhile
    set(change) {
      Object.assign(now, change);
      document.documentElement.classList.toggle("hl-playing", now.playing);
      for (const hear of [...listeners]) hear(now);
    },
    listen(hear) {
      listeners.add(hear);
      return () => listeners.delete(hear);
    },
    // The one component that the user moved tells Python, by its own trigger; the others wait for the answer.
    tell(send, more = {}) {
      this.held = false;
      told = { request: now.request, at: Date.now() };
      send("look", { request: now.request, ...more });
    },
    get waits() {
      return told !== null && Date.now() - told.at <= ANSWER_MS;
    },
    // Python shows this request. An answer to an earlier move than the last is no reason to go back.
    answered(request) {
      if (this.held || now.playing || (this.waits && request !== told.request)) return false;
      told = null;
      if (request !== now.request) this.set({ request });
      return true;
    },
  };
}

// Key → promise of what is kept under it; of those that nobody puts again the oldest go.
function makeTimelines(most = 6) {
  const known = new Map();
  const entry = (key) => known.get(key) ?? known.set(key, { here: false, ...Promise.withResolvers() }).get(key);
  return {
    put(key, timeline) {
      entry(key).here = true;
      entry(key).resolve(timeline);
      if (known.size > most) known.delete(known.keys().next().value);
    },
    get: (key) => entry(key).promise,
    has: (key) => known.has(key) && entry(key).here,
  };
}
