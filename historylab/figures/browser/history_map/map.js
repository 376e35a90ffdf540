// The retention map: a slider over the requests of a conversation, drawn as what each one does with every message.
// A move is drawn at once, here and by whoever else listens to the clock, and sent to Python on release.

const KEY_MS = 180, WHOLE_PLAY_MS = 14_000;
const still_motion = matchMedia("(prefers-reduced-motion: reduce)");

class RetentionMap {
  constructor(root, signal) {
    this.find = (name) => root.querySelector(name);
    [this.plot, this.base, this.marks] = [this.find(".plot"), this.find(".cells"), this.find(".marks")];
    [this.flag, this.tip, this.button] = [this.find(".flag"), this.find(".tip"), this.find(".play")];
    [this.message, this.hover, this.press, this.starred] = [null, null, null, []];
    [this.still, this.keyTimer, this.playTimer, this.begun] = [null, 0, 0, false];
    [this.pinch, this.falls, this.seen] = [new Pinch(), new Falls(this.find(".falls")), null];
    this.signal = signal;
    signal.addEventListener("abort", () => this.end());
  }

  // Once there is something to draw.
  begin() {
    watchSize(this.plot, this.signal, () => this.draw());
    clock.listen(() => this.follow(), this.signal);
    listenTo(this.marks, this.signal, {
      pointerdown: (event) => this.down(event), pointermove: (event) => this.move(event), pointerup: (event) => this.up(event),
      pointercancel: (event) => this.leave(event), pointerleave: (event) => this.press || this.leave(event),
      keydown: (event) => this.key(event), wheel: (event) => this.wheel(event), blur: () => this.tellKey(),
    });
    const acts = { play: () => this.playOrPause(), in: () => this.zoom(1 / STEP), out: () => this.zoom(STEP),
      whole: () => showFrom(this.still, 0, 1), png: () => savePicture(this), full: () => present(!presents()) };
    for (const [name, act] of Object.entries(acts)) listenTo(this.find(`.${name}`), this.signal, { click: act });
    const presented = () => {
      this.find(".full").setAttribute("aria-pressed", presents());
      this.draw();
    };
    listenTo(document, this.signal, { [`${PRESENT}ed`]: presented });
  }

  get request() {
    return Math.min(clock.now.request, this.still.requests - 1);
  }

  receive(view, send) {
    this.wanted = view;
    kept.timelines.get(view.key).then((still) => this.wanted === view && !this.signal.aborted && this.show(view, still, send));
  }

  show(view, still, send) {
    if (!this.still) this.begin();
    const other = still !== this.still;
    const moving = other && still.requests === this.still?.requests;
    [this.still, this.known, this.send, this.starred] = [still, view.key, send, view.starred];
    this.would = new Set(view.would); // the requests that were only watched
    if (other && this.zoomedFor !== still.requests) clock.set({ from: 0, to: 1 });
    this.zoomedFor = still.requests;
    if (moving) this.tellKey(); // something else changed before the move was sent
    if (other) this.stop();
    if (clock.answered(view.request)) this.message = view.message;
    this.draw();
    this.say();
    this.find(".map").classList.toggle("small", !!view.small);
    if (view.name) this.marks.ariaLabel = `Selected request on the map of ${view.name}`;
    if (!this.begun) this.opened = this.request;
    if (view.present && !this.begun) present(true); // by a link, once, and so is playing
    if (view.play && !this.begun) this.playFrom(0);
    this.begun = true;
  }

  // -- moving

  look(request) {
    clock.set({ request: Math.max(0, Math.min(this.still.requests - 1, request)) });
  }

  // The clock says something new.
  follow() {
    if (this.still.requests <= 0) return;
    if (this.playTimer && !clock.now.playing) return this.pause();
    const before = this.seen, { request } = this;
    this.seen = request;
    if (before !== request) keepInSight(this.still, request); // which the clock says again
    if (this.frame?.isOf(clock.now)) this.redraw();
    else this.draw();
    this.say();
    if (clock.now.playing && before < request && this.frame) this.falls.drop(this.still, this.frame, this.colours, before, request);
  }

  say() {
    this.button.setAttribute("aria-pressed", clock.now.playing);
    sayOnPage(this.still, this.known, this.request, this.would.has(this.request));
    saySent(this.still, this.known, this.request);
    sayTokens(this.still, this.known, this.request);
  }

  zoom(factor) {
    zoom(this.still, factor, (this.request + 0.5) / this.still.requests);
  }

  wheel(event) {
    if (!zoomOrPan(event, this.still, this.frame)) return;
    this.hide();
    event.preventDefault();
  }

  tell(chosen) {
    clock.tell(this.send, chosen);
  }

  // A move by a key waits for the next one; not when the focus leaves.
  tellKey() {
    if (!this.keyTimer) return;
    clearTimeout(this.keyTimer);
    this.keyTimer = 0;
    this.tell();
  }

  down(event) {
    if (event.button) return;
    this.pause();
    clock.held = !this.pinch.down(event);
    if (!clock.held) return void (this.press = null);
    const pans = zoomed() && (event.shiftKey || event.offsetY > this.frame.box.strip + STRIP);
    this.press = { x: event.offsetX, at: event.offsetX, from: this.request, moved: false, pans };
    this.marks.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (this.pinch.move(event, this.still, this.frame)) return;
    if (!this.press) return this.point(event);
    if (this.press.pans) return this.drag(event);
    this.press.moved ||= Math.abs(event.offsetX - this.press.x) > CLICK_PX;
    if (this.press.moved) {
      this.hide();
      this.look(this.frame.requestAt(event.offsetX));
    }
  }

  // On the overview its thumb follows the pointer, elsewhere the map does.
  drag(event) {
    const far = event.offsetX - this.press.at, { from, to } = clock.now;
    this.press.at = event.offsetX;
    pan(this.still, this.frame, event.shiftKey ? -far : far / (to - from));
  }

  up(event) {
    const press = this.pinch.up(event) || this.press?.pans ? null : this.press;
    if (this.press) clock.held = false;
    this.press = null;
    if (!press) return;
    const cell = press.moved ? null : cellUnder(this.still, this.frame, event.offsetX, event.offsetY);
    this.look(cell ? cell.request : this.frame.requestAt(event.offsetX));
    if (cell && cell.message !== null && cell.message < this.still.said[this.request]) {
      this.message = cell.message;
      this.redraw();
      return this.tell({ message: cell.message });
    }
    if (this.request !== press.from) this.tell();
  }

  leave(event) {
    this.pinch.up(event);
    if (this.press) clock.held = false;
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
    const part = { "+": 1 / STEP, "=": 1 / STEP, "-": STEP, "−": STEP, 0: Infinity }[event.key];
    if (event.key === " ") this.playOrPause();
    else if (part && !event.ctrlKey && !event.metaKey) this.zoom(part);
    else if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    else {
      this.stop();
      clock.held = true;
      this.look(to);
      this.keyTimer = setTimeout(() => this.tellKey(), KEY_MS);
    }
    event.preventDefault();
  }

  // -- playing

  // Of several maps on a page one plays, and any of them stops it. What the page opened on is played from its beginning.
  playOrPause() {
    if (clock.now.playing) clock.set({ playing: false });
    else this.playFrom([this.opened, this.still.requests - 1].includes(this.request) ? 0 : this.request);
  }

  playFrom(request) {
    this.stop();
    this.opened = null;
    this.look(request);
    const wait = Math.max(still_motion.matches ? 1000 : 60, Math.min(500, WHOLE_PLAY_MS / this.still.requests));
    const stride = Math.max(1, Math.round((this.still.requests * wait) / WHOLE_PLAY_MS));
    const step = () => {
      if (!clock.now.playing) return;
      this.look(this.request + stride);
      if (this.request === this.still.requests - 1) return this.pause();
      this.playTimer = setTimeout(step, wait);
    };
    this.playTimer = setTimeout(step, wait);
    clock.set({ playing: true });
  }

  pause() {
    if (this.playTimer) this.tell();
    this.stop();
  }

  stop() {
    clearTimeout(this.playTimer);
    clearTimeout(this.keyTimer);
    const played = this.playTimer;
    if (this.keyTimer) clock.held = false;
    this.playTimer = this.keyTimer = 0;
    if (played) clock.set({ playing: false });
  }

  // -- pointing

  point(event) {
    this.hover = event.pointerType === "touch" ? null : cellUnder(this.still, this.frame, event.offsetX, event.offsetY);
    if (!this.hover) return this.hide();
    const { request, message } = this.hover;
    const words = message === null ? requestWords(this.still, request) : cellWords(this.still, request, message, this.would.has(request));
    fillTip(this.tip, words, words.action === null ? "" : this.colours.looks[words.action].fill);
    placeTip(this.tip, this.frame.box, event.offsetX, event.offsetY);
    this.redraw();
  }

  hide() {
    this.hover = null;
    this.tip.hidden = true;
    this.redraw();
  }

  // -- drawing

  draw() {
    const { clientWidth: width, clientHeight: room } = this.plot;
    if (width <= LEFT + RIGHT) return; // not laid out yet; the ResizeObserver calls again
    const { fill, on, ...colours } = palette(this.plot);
    this.colours = { ...colours, looks: this.still.looks.map((look) => ({ fill: fill(look), ink: on(look) })) };
    this.frame = new Frame(this.still, layout(width, room), clock.now);
    this.button.disabled = this.still.requests < 2;
    this.find(".in").disabled = this.frame.b - this.frame.a <= FEWEST;
    this.find(".out").disabled = !zoomed();
    this.find(".whole").hidden = !zoomed();
    const look = JSON.stringify([this.frame, this.colours, devicePixelRatio]);
    if (this.drawn !== this.still || this.look_drawn !== look) {
      [this.drawn, this.look_drawn] = [this.still, look];
      this.plot.dataset.drawn = "";
      this.names = paint(this.base, this.still, this.frame, this.colours);
    }
    this.redraw();
  }

  redraw() {
    if (!this.frame) return;
    const { names, request, message, hover, starred } = this;
    mark(this.marks, this.still, this.frame, this.colours, { names, request, message, hover, starred, playing: clock.now.playing });
    this.flag.textContent = flagText(this.still, request);
    this.flag.hidden = !this.frame.shows(request);
    const x = this.frame.x(request + 0.5), wide = this.flag.offsetWidth;
    this.flag.style.left = `${Math.max(0, Math.min(x - wide / 2, this.frame.box.width - wide))}px`;
    if (clock.now.playing) return; // read out where it stops, not at every step
    const say = { min: 1, max: this.still.requests, now: request + 1, text: valueText(this.still, request, this.would.has(request)) };
    for (const [name, value] of Object.entries(say)) this.marks.setAttribute(`aria-value${name}`, value);
  }

  end() {
    if (this.press) clock.held = false;
    this.stop();
  }
}

export default drawnBy(RetentionMap);
