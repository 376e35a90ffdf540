// The page's clock, one for all components, each of which is a module of its own: map, list, chart and sentence show the
// same request.

const clock = (globalThis.historylabClock ??= makeClock());

function makeClock() {
  const ANSWER_MS = 4000;
  const listeners = new Set();
  const now = { request: 0, playing: false, from: 0, to: 1 }; // request from 0; the part of the axis on screen, 0 to 1
  let told = null; // what Python was told and has not answered yet
  return {
    now,
    held: false, // by a component that is being moved: no answer to an earlier move goes back meanwhile
    begun: false, // until somebody says which request
    set(change) {
      this.begun = true;
      Object.assign(now, change);
      document.documentElement.classList.toggle("hl-playing", now.playing);
      for (const hear of [...listeners]) hear(now);
    },
    listen(hear, signal) {
      listeners.add(hear);
      signal?.addEventListener("abort", () => listeners.delete(hear));
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
