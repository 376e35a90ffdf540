// The retention map: a slider over the requests of a conversation, drawn as what each one does with every message.
// A move is drawn at once and sent to Python on release; while playing, once Python has answered the previous one.

const ANSWER_MS = 4000, KEY_MS = 180, TELL_MS = 900, WHOLE_PLAY_MS = 14_000, CLICK_PX = 4;
const still_motion = matchMedia("(prefers-reduced-motion: reduce)");

class RetentionMap {
  constructor(root) {
    this.find = (name) => root.querySelector(name);
    [this.plot, this.base, this.marks] = [this.find(".plot"), this.find(".cells"), this.find(".marks")];
    [this.flag, this.tip, this.button] = [this.find(".flag"), this.find(".tip"), this.find(".play")];
    [this.request, this.message, this.hover, this.press, this.starred] = [0, null, null, null, []];
    [this.still, this.told, this.keyTimer, this.playTimer] = [null, null, 0, 0];
    this.watcher = new ResizeObserver(() => this.draw());
    this.watcher.observe(this.plot);
    const listen = (element, type, act) => element.addEventListener(type, (event) => this.still && act(event));
    listen(this.marks, "pointerdown", (event) => this.down(event));
    listen(this.marks, "pointermove", (event) => this.move(event));
    listen(this.marks, "pointerup", (event) => this.up(event));
    listen(this.marks, "pointercancel", () => this.leave());
    listen(this.marks, "pointerleave", () => this.press || this.leave());
    listen(this.marks, "keydown", (event) => this.key(event));
    listen(this.button, "click", () => (this.playTimer ? this.pause() : this.play()));
  }

  receive({ now, still }, send) {
    const other = still !== this.still;
    const moving = other && this.keyTimer && still.requests === this.still.requests;
    [this.still, this.send, this.starred] = [still, send, now.starred];
    if (moving) this.tell(); // moved by a key, and something else changed before the move was sent
    if (other) this.stop();
    if (this.told && (other || now.request === this.told.request || Date.now() - this.told.at > ANSWER_MS)) this.told = null;
    if (other || !(this.told || this.press || this.keyTimer || this.playTimer)) {
      [this.request, this.message] = [now.request, now.message];
    }
    this.draw();
  }

  // -- moving

  look(request) {
    this.request = Math.max(0, Math.min(this.still.requests - 1, request));
    this.redraw();
  }

  tell(chosen = {}) {
    this.told = { request: this.request, at: Date.now() };
    this.send("look", { request: this.request, ...chosen });
  }

  down(event) {
    if (event.button) return;
    this.pause();
    this.press = { x: event.offsetX, y: event.offsetY, from: this.request, moved: false };
    this.marks.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (!this.press) return this.point(event);
    this.press.moved ||= Math.abs(event.offsetX - this.press.x) > CLICK_PX;
    if (this.press.moved) {
      this.hide();
      this.look(this.requestAt(event.offsetX));
    }
  }

  up(event) {
    const press = this.press;
    this.press = null;
    if (!press) return;
    const cell = this.cellAt(event.offsetX, event.offsetY);
    this.look(this.requestAt(event.offsetX));
    if (!press.moved && cell && cell.row !== null) {
      const message = edge(cell.row, this.still.messages, this.still.rows);
      if (message < this.still.said[this.request]) {
        this.message = message;
        this.redraw();
        return this.tell({ message });
      }
    }
    if (this.request !== press.from) this.tell();
  }

  leave() {
    if (this.press && this.request !== this.press.from) this.tell();
    this.press = null;
    this.hide();
  }

  key(event) {
    const { starts, requests } = this.still, at = this.request;
    const to = {
      ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, Home: 0, End: requests - 1,
      PageUp: starts.find((start) => start > at) ?? requests - 1,
      PageDown: starts.findLast((start) => start < at) ?? 0,
    }[event.key];
    if (event.key === " ") this.playTimer ? this.pause() : this.play();
    else if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    else {
      this.stop();
      this.look(to);
      this.keyTimer = setTimeout(() => { this.keyTimer = 0; this.tell(); }, KEY_MS);
    }
    event.preventDefault();
  }

  // -- playing

  play() {
    if (this.request === this.still.requests - 1) this.look(0);
    this.button.setAttribute("aria-pressed", "true");
    const wait = Math.max(still_motion.matches ? 1000 : 60, Math.min(500, WHOLE_PLAY_MS / this.still.requests));
    const stride = Math.max(1, Math.round((this.still.requests * wait) / WHOLE_PLAY_MS));
    const step = () => {
      this.look(this.request + stride);
      if (this.request === this.still.requests - 1) return this.pause();
      const answered = !this.told || Date.now() - this.told.at > ANSWER_MS;
      if (answered && Date.now() - (this.toldAt ?? 0) > TELL_MS) {
        this.tell();
        this.toldAt = Date.now();
      }
      this.playTimer = setTimeout(step, wait);
    };
    this.playTimer = setTimeout(step, wait);
  }

  pause() {
    if (this.playTimer) this.tell();
    this.stop();
  }

  stop() {
    clearTimeout(this.playTimer);
    clearTimeout(this.keyTimer);
    this.playTimer = this.keyTimer = 0;
    this.button.setAttribute("aria-pressed", "false");
  }

  // -- pointing

  requestAt(x) {
    return Math.floor(((x - LEFT) / this.box.w) * this.still.requests);
  }

  cellAt(x, y) {
    const column = Math.floor(((x - LEFT) / this.box.w) * this.still.columns);
    const row = Math.floor(((y - TOP) / this.box.h) * this.still.rows);
    if (column < 0 || column >= this.still.columns) return null;
    return { column, row: row >= 0 && row < this.still.rows ? row : null };
  }

  point(event) {
    this.hover = event.pointerType === "touch" ? null : this.cellAt(event.offsetX, event.offsetY);
    if (!this.hover) return this.hide();
    const words = this.hover.row === null ? this.columnWords() : cellWords(this.still, this.hover.row, this.hover.column);
    fillTip(this.tip, words, words.action === null ? "" : this.colours.looks[words.action].fill);
    this.tip.hidden = false;
    const { offsetWidth: w, offsetHeight: h } = this.tip;
    const beside = event.offsetX + 16 + w > this.box.width ? event.offsetX - 16 - w : event.offsetX + 16;
    this.tip.style.left = `${Math.max(0, Math.min(beside, this.box.width - w))}px`;
    this.tip.style.top = `${Math.min(event.offsetY + 14, Math.max(0, this.box.all - h))}px`;
    this.redraw();
  }

  columnWords() {
    const request = edge(this.hover.column, this.still.requests, this.still.columns);
    const title = `Request ${count(request + 1)}, ${this.still.labels[request]}`;
    return { title, text: "", fate: `It ${stripText(this.still, request)}.`, why: "", action: null };
  }

  hide() {
    this.hover = null;
    this.tip.hidden = true;
    this.redraw();
  }

  // -- drawing

  draw() {
    const width = this.plot.clientWidth;
    if (!this.still || width <= LEFT + RIGHT) return; // not laid out yet; the ResizeObserver calls again
    this.scale = devicePixelRatio || 1;
    this.colours = palette(this.plot, this.still);
    this.box = layout(this.still, width);
    const look = JSON.stringify([this.box, this.colours, this.scale]);
    if (this.drawn !== this.still || this.look_drawn !== look) {
      [this.drawn, this.look_drawn] = [this.still, look];
      this.plot.dataset.drawn = "";
      this.plot.style.height = `${this.box.all}px`;
      paint(this.base, this.still, this.box, this.colours, this.scale);
    }
    this.redraw();
  }

  redraw() {
    if (!this.box) return;
    mark(this.marks, this.still, this.box, this.colours, this.scale, this);
    this.flag.textContent = flagText(this.still, this.request);
    const x = LEFT + ((this.request + 0.5) * this.box.w) / this.still.requests, wide = this.flag.offsetWidth;
    this.flag.style.left = `${Math.max(0, Math.min(x - wide / 2, this.box.width - wide))}px`;
    if (clock.now.request !== this.request) clock.set({ request: this.request });
    const say = { min: 1, max: this.still.requests, now: this.request + 1, text: valueText(this.still, this.request) };
    for (const [name, value] of Object.entries(say)) this.marks.setAttribute(`aria-value${name}`, value);
  }

  end() {
    this.stop();
    this.watcher.disconnect();
  }
}

const maps = new WeakMap();

export default function ({ data, parentElement, setTriggerValue }) {
  if (!maps.has(parentElement)) maps.set(parentElement, new RetentionMap(parentElement));
  const map = maps.get(parentElement);
  unpack(data).then((unpacked) => map.receive(unpacked, setTriggerValue));
  return () => {
    map.end();
    maps.delete(parentElement);
  };
}
