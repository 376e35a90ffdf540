// Where things are: the canvas, the part of the timeline on it, and the axes.

const TOP = 26, AXIS = 22, CAPTION = 20, STRIP = 26, BELOW = 11;
const SHORTEST = 110; // pixels of all rows together
const FEWEST = 8, CONTEXT = 2; // requests on screen at the highest zoom; messages above the first in play

// As tall as the page has room for.
function layout(width, room) {
  const height = Math.max(SHORTEST, room - TOP - AXIS - CAPTION - STRIP - BELOW);
  const strip = TOP + height + AXIS + CAPTION;
  return { width, w: width - LEFT - RIGHT, h: height, strip, all: strip + STRIP + BELOW };
}

// The part on screen: requests from a up to b, messages from top up to end. x, y: CSS pixels of the canvas.
class Frame {
  constructor(still, box, { from, to }) {
    [this.box, this.from, this.to] = [box, from, to];
    this.whole = from <= 0 && to >= 1;
    [this.a, this.b] = this.whole ? [0, still.requests] : [Math.round(from * still.requests), Math.round(to * still.requests)];
    this.b = Math.max(this.a + 1, this.b);
    [this.top, this.end] = this.whole ? [0, still.messages] : inPlay(still, this.a, this.b);
    [this.wide, this.tall] = [box.w / (this.b - this.a), box.h / (this.end - this.top)];
  }
  isOf({ from, to }) { return from === this.from && to === this.to; }
  x(request) { return LEFT + (request - this.a) * this.wide; }
  y(message) { return TOP + (message - this.top) * this.tall; }
  requestAt(x) { return this.a + Math.floor((x - LEFT) / this.wide); }
  messageAt(y) { return this.top + Math.floor((y - TOP) / this.tall); }
  shows(request) { return request >= this.a && request < this.b; }
  holds(message) { return message >= this.top && message < this.end; }
}

// From the first message that one of these requests sends unpinned to the last.
function inPlay(still, a, b) {
  const idle = new Set([1, 3, 4]);
  const acts = (fate) => fate && !idle.has(still.codes[fate - 1]);
  let top = still.fatesAt(a).findIndex(acts);
  if (top < 0) top = still.said[b - 1];
  for (let k = still.offset[a + 1] ?? 0; k < still.offset[b]; k++) if (acts(still.code[k])) top = Math.min(top, still.first[k]);
  const end = still.said[b - 1];
  return [Math.max(0, Math.min(top - CONTEXT, end - 1)), end];
}

// Bins of nearly equal size: bin i of n holds the items from edge(i) up to edge(i + 1).
const edge = (i, count, bins) => Math.floor((i * count) / bins);
const binOf = (item, count, bins) => Math.floor(((item + 1) * bins - 1) / count);

// One byte a cell, `columns` × `rows` of them: a bin takes its worst fate. Codes are ordered from the best to the worst.
// From request to request only the rows are looked at in which something changes.
function binned(still, { a, b, top, end }, columns, rows) {
  const cells = new Uint8Array(columns * rows), fates = still.fatesAt(a).slice(), many = end - top;
  const now = new Uint8Array(rows); // per row the worst fate at the request reached
  const renew = (row) => {
    now[row] = 0;
    const after = top + edge(row + 1, many, rows);
    for (let m = top + edge(row, many, rows); m < after; m++) if (fates[m] > now[row]) now[row] = fates[m];
  };
  for (let row = 0; row < rows; row++) renew(row);
  for (let column = 0, request = a; column < columns; column++) {
    const after = a + edge(column + 1, b - a, columns), opening = request;
    let worst = now;
    for (; request < after; request++) {
      for (let k = still.offset[request]; request > a && k < still.offset[request + 1]; k++) {
        const code = still.code[k], first = Math.max(top, still.first[k]), last = Math.min(end, still.first[k] + still.length[k]);
        if (first >= last) continue;
        fates.fill(code, first, last);
        const lowest = binOf(last - 1 - top, many, rows);
        for (let row = binOf(first - top, many, rows); row <= lowest; row++) {
          renew(row);
          if (request > opening && code > worst[row]) worst[row] = code;
        }
      }
      if (request === opening) worst = now.slice();
    }
    for (let row = 0; row < rows; row++) cells[row * columns + column] = worst[row];
  }
  return cells;
}

// The worst cell under a pixel: {request, message}; `message` is null above and below the cells.
function cellUnder(still, frame, x, y) {
  if (x < LEFT || x >= LEFT + frame.box.w) return null;
  const request = frame.requestAt(x), upTo = Math.min(frame.b, Math.max(request + 1, frame.requestAt(x + 1)));
  if (y < TOP || y >= TOP + frame.box.h) return { request, message: null };
  const message = frame.messageAt(y), last = Math.min(frame.end, Math.max(message + 1, frame.messageAt(y + 1)));
  let found = { request, message, fate: still.fatesAt(request)[message] };
  for (let r = request; r < upTo; r++) {
    const fates = still.fatesAt(r);
    for (let m = message; m < last; m++) if (fates[m] > found.fate) found = { request: r, message: m, fate: fates[m] };
  }
  return found;
}

// The messages whose numbers stand beside the map, each with its height.
function messageTicks(frame) {
  const { tall, top, end } = frame, ticks = [];
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((n) => n * tall >= 34) ?? 10_000;
  for (let m = top; m < end; m = m === top ? (Math.floor((top + 1) / step) + 1) * step - 1 : m + step) {
    const y = frame.y(m + 0.5);
    if (!ticks.length || y - ticks.at(-1)[1] >= 14) ticks.push([m, y]);
  }
  return ticks;
}

// "1–4": the turns between the start before and start i, none of which had a request.
function silentTurns({ start_turn }, i) {
  const [before, turn] = [i > 0 ? start_turn[i - 1] : 0, start_turn[i]];
  if (!turn || (i > 0 && !before) || turn < before + 2) return "";
  return turn === before + 2 ? count(turn - 1) : `${count(before + 1)}–${count(turn - 1)}`;
}

// Ticks of the requests on screen: {request, name, minor}; turns where several begin, else the requests within one.
// "turn 5 (1–4 had no request)", and then "…8": of a turn 7 the tooltip says so.
function requestTicks(still, { a, b, wide }) {
  const step = (apart) => [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000].find((n) => n * apart >= 44) ?? 5000;
  const turns = [];
  still.starts.forEach((request, i) => {
    if (still.start_turn[i] && request >= a && request < b) turns.push({ request, turn: still.start_turn[i], silent: silentTurns(still, i) });
  });
  const ticks = wide >= 5 ? Array.from({ length: b - a }, (_, i) => ({ request: a + i, name: "", minor: true })) : [];
  if (turns.length < 2) {
    for (let r = a, every = step(wide); r < b; r++) {
      const at = still.starts.findLastIndex((start) => start <= r), n = r - still.starts[at] + 1;
      const turn = still.starts.length > 1 && still.start_turn[at] && (r === a || n === 1) ? `turn ${count(still.start_turn[at])} · ` : "";
      if (r === a) ticks.push({ request: r, name: `${turn || "request "}${count(n)}` });
      else if (turn || n % every === 0) ticks.push({ request: r, name: `${turn}${count(n)}` });
    }
    return ticks;
  }
  const every = step((wide * (b - a)) / turns.length);
  turns.forEach(({ request, turn, silent }, i) => {
    const first = `turn ${count(turn)}${request === 0 && silent ? ` (${silent} had no request)` : ""}`;
    if (i === 0 || turn % every === 0) ticks.push({ request, name: i === 0 ? first : `${silent && "…"}${count(turn)}` });
  });
  return ticks;
}
