// The part of the axis of requests on screen, which is the clock's: wheel, pinch, keys and buttons change it.

const STEP = 1.6, WHEEL = 0.0022;

// Zoom by a factor (below 1: in) around a place on the axis (0 to 1) or the nearest on screen, in whole requests.
function zoom(still, factor, around) {
  const { from, to } = clock.now, least = Math.min(1, FEWEST / still.requests), at = Math.max(from, Math.min(to, around));
  const part = Math.max(least, Math.min(1, (to - from) * factor));
  showFrom(still, at - ((at - from) * part) / (to - from), part);
}

function showFrom(still, from, part) {
  const shown = Math.max(1, Math.round(part * still.requests));
  const first = Math.max(0, Math.min(still.requests - shown, Math.round(from * still.requests)));
  const [a, b] = [first / still.requests, (first + shown) / still.requests];
  if (a !== clock.now.from || b !== clock.now.to) clock.set({ from: a, to: b });
}

function pan(still, frame, pixels) {
  const { from, to } = clock.now;
  showFrom(still, from + (pixels / frame.box.w) * (to - from), to - from);
}

// The wheel: with Ctrl (as a pinch on a touchpad comes) or Cmd it zooms around the pointer; with Shift, or sideways, it pans.
function zoomOrPan(event, still, frame) {
  const { from, to } = clock.now, sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
  if (event.ctrlKey || event.metaKey) {
    const by = Math.max(-200, Math.min(200, event.deltaY)) * WHEEL * (event.deltaMode ? 20 : 1);
    zoom(still, Math.exp(by), from + ((event.offsetX - LEFT) / frame.box.w) * (to - from));
  } else if (zoomed() && Math.abs(sideways) > (event.shiftKey ? 0 : Math.abs(event.deltaY))) pan(still, frame, sideways);
  else return false;
  return true;
}

const zoomed = () => clock.now.from > 0 || clock.now.to < 1;

// The request stays in sight, while it plays with what comes next: the map turns a page.
function keepInSight(still, request) {
  const { from, to, playing } = clock.now, part = to - from, at = (request + 0.5) / still.requests;
  if (!zoomed()) return;
  if (at < from || at > to) showFrom(still, at - part / 2, part);
  else if (playing && at > from + 0.9 * part) showFrom(still, at - 0.2 * part, part);
}

// "turns 40–60 of 205"; requests where there is one turn.
function windowText(still, { a, b }) {
  const turnOf = (request) => still.start_turn[still.starts.findLastIndex((start) => start <= request)] || 1;
  const [turns, first, last] = [turnOf(still.requests - 1), turnOf(a), turnOf(b - 1)];
  if (first === last) return `requests ${count(a + 1)}–${count(b)} of ${count(still.requests)}`;
  return `turns ${count(first)}–${count(last)} of ${count(turns)}`;
}

// Two fingers: what is between them stays there.
class Pinch {
  constructor() {
    this.fingers = new Map();
  }
  get pinching() {
    return this.fingers.size > 1;
  }
  down(event) {
    if (event.pointerType === "touch") this.fingers.set(event.pointerId, event.offsetX);
    if (this.pinching) this.start = { ...clock.now, ...this.span() };
    return this.pinching;
  }
  up(event) {
    const was = this.pinching;
    this.fingers.delete(event.pointerId);
    return was;
  }
  move(event, still, frame) {
    if (!this.fingers.has(event.pointerId)) return false;
    this.fingers.set(event.pointerId, event.offsetX);
    if (!this.pinching) return false;
    const { from, to, apart, middle } = this.start, now = this.span();
    const part = Math.max(Math.min(1, FEWEST / still.requests), Math.min(1, ((to - from) * apart) / now.apart));
    const at = from + ((middle - LEFT) / frame.box.w) * (to - from);
    showFrom(still, at - ((now.middle - LEFT) / frame.box.w) * part, part);
    return true;
  }
  span() {
    const [one, other] = this.fingers.values();
    return { apart: Math.max(20, Math.abs(one - other)), middle: (one + other) / 2 };
  }
}
