// What the components of a page share, each of which is a module of its own: one clock, so that map, list, chart and
// sentence show the same request, and what every request of a timeline does with every message.

const clock = (globalThis.historylabClock ??= makeClock());
const timelines = (globalThis.historylabTimelines ??= makeTimelines());

function makeClock() {
  const listeners = new Set();
  const now = { request: 0, playing: false, from: 0, to: 1 }; // request from 0; the part of the axis on screen, 0 to 1
  return {
    now,
    set(change) {
      Object.assign(now, change);
      for (const hear of listeners) hear(now);
    },
    listen(hear) {
      listeners.add(hear);
      return () => listeners.delete(hear);
    },
  };
}

// Key of a timeline → promise of it, kept by the promise for as long as a component waits for it or shows it.
function makeTimelines() {
  const known = new Map();
  const entry = (key) => known.get(key) ?? known.set(key, Promise.withResolvers()).get(key);
  return {
    put: (key, timeline) => entry(key).resolve(timeline),
    get: (key) => entry(key).promise,
    has: (key) => known.has(key),
    drop: (key) => known.delete(key),
  };
}
