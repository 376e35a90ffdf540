// The token chart: what every request sends, by kind. It shows the request of the page's clock; a click or a drag on
// it moves that, and the line of the budget is dragged to another value, which Python is told on release.

class TokenBars {
  constructor(root, signal) {
    this.find = (name) => root.querySelector(name);
    [this.root, this.plot, this.canvas] = [this.find(".tokens"), this.find(".plot"), this.find("canvas")];
    [this.line, this.band, this.tip] = [this.find(".budget"), this.find(".band"), this.find(".tip")];
    [this.chart, this.press, this.drag, this.labels, this.frame] = [null, null, null, [], 0];
    this.signal = signal;
    signal.addEventListener("abort", () => cancelAnimationFrame(this.frame));
  }

  // Once there is something to draw.
  begin() {
    watchSize(this.plot, this.signal, () => this.draw());
    clock.listen(() => this.moved(), this.signal);
    listenTo(this.plot, this.signal, {
      pointerdown: (event) => this.down(event), pointermove: (event) => this.move(event), pointerup: () => this.up(),
      pointercancel: () => this.cancel(), pointerleave: () => this.hide(),
    });
    const recolour = () => setTimeout(() => this.draw(), 100);
    listenTo(matchMedia("(prefers-color-scheme: dark)"), this.signal, { change: recolour });
  }

  receive(data, send) {
    this.newest = data;
    unpack(data).then((chart) => this.newest === data && !this.signal.aborted && this.show(chart, send));
  }

  show(chart, send) {
    if (chart.key !== this.chart?.key) {
      this.labels = [];
      kept.timelines.get(chart.key).then((timeline) => { if (this.chart.key === chart.key) this.labels = timeline.labels; });
    }
    const first = !this.chart;
    [this.chart, this.send] = [chart, send];
    if (first) this.begin();
    if (this.drag?.dropped) this.drag = null;
    this.filled = null; // the verdict may be of another request by now
    this.moved();
    Object.assign(this.root, { role: "img", ariaLabel: chart.finding }); // no picture before it has a name
    this.draw();
  }

  // -- the page's clock

  moved() {
    const { request } = clock.now;
    if (request < this.chart.requests && request !== this.filled) {
      this.filled = request;
      fillKinds(this.chart, pointOf(this.chart, request));
    }
    this.redraw();
  }

  // -- pressing and dragging

  down(event) {
    if (event.button) return;
    const onLine = event.target.closest(".budget");
    if (onLine && !this.chart.locked) this.drag = { from: event.clientY, budget: null };
    else {
      this.press = { x: event.clientX, from: clock.now.request };
      clock.held = true;
    }
    if (this.drag) this.hide();
    this.plot.setPointerCapture(event.pointerId);
    event.preventDefault();
  }

  move(event) {
    if (this.drag) {
      this.drag.budget = this.budgetAt(event);
      return this.placeBudget();
    }
    if (this.press && Math.abs(event.clientX - this.press.x) > CLICK_PX) this.press.moved = true;
    if (this.press?.moved) {
      this.hide();
      clock.set({ request: this.requestAt(event), playing: false });
    } else this.point(event);
    this.last = event;
  }

  up() {
    const { press, drag } = this;
    [this.press, this.drag] = [null, null];
    if (drag?.budget && drag.budget !== this.chart.budget) {
      this.drag = { ...drag, dropped: true }; // stays where it was dropped until Python has answered
      this.send("budget", drag.budget);
    } else if (drag) this.placeBudget();
    else if (press) this.choose(press);
  }

  choose(press) {
    const request = this.last && press.moved ? this.requestAt(this.last) : this.requestAt({ clientX: press.x });
    clock.held = false;
    clock.set({ request, playing: false });
    if (request !== press.from) clock.tell(this.send);
  }

  cancel() {
    if (this.press) clock.held = false;
    [this.press, this.drag] = [null, null];
    this.placeBudget();
    this.hide();
  }

  requestAt({ clientX }) {
    const { from, to } = clock.now, x = (clientX - this.plot.getBoundingClientRect().left - LEFT) / this.box.w;
    const request = Math.floor((from + x * (to - from)) * this.chart.requests);
    return Math.max(0, Math.min(this.chart.requests - 1, request));
  }

  // The budget whose line is at the pointer: what lies under it, the reserve besides, in steps of a pixel.
  budgetAt({ clientY }) {
    const y = clientY - this.plot.getBoundingClientRect().top;
    const step = Math.max(10, roundNumber(this.chart.top / this.box.h)), { aside, top } = this.chart;
    const net = (1 - (y - TOP) / this.box.h) * top;
    return Math.max(step, Math.ceil((aside + 1) / step) * step, Math.round((net + aside) / step) * step);
  }

  // -- pointing

  point(event) {
    if (event.pointerType === "touch") return;
    const place = this.plot.getBoundingClientRect(), [x, y] = [event.clientX - place.left, event.clientY - place.top];
    const within = x >= LEFT && x <= LEFT + this.box.w;
    if (!within) return this.hide();
    if (event.target.closest(".budget")) this.tip.replaceChildren(make("div", "", budgetHint(this.chart)));
    else {
      const request = this.requestAt(event);
      fillTip(this.tip, this.chart, this.colours, pointOf(this.chart, request), this.labels[request]);
    }
    placeTip(this.tip, this.box, x, y);
  }

  hide() {
    this.tip.hidden = true;
  }

  // -- drawing

  draw() {
    const width = this.plot.clientWidth;
    if (width <= LEFT + RIGHT) return; // not laid out yet; the ResizeObserver calls again
    const all = this.plot.clientHeight;
    this.box = { width, all, w: width - LEFT - RIGHT, h: all - TOP - BOTTOM };
    this.colours = palette(this.plot);
    this.plot.dataset.drawn = "";
    fillLegend(this.find(".legend"), this.chart, this.colours);
    this.placeBudget();
    this.redraw();
  }

  redraw() {
    if (this.frame || !this.box) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      paint(this.canvas, this.chart, this.box, this.colours, clock.now);
    });
  }

  placeBudget() {
    const { chart, line, band, drag } = this, to = scales(chart, this.box, clock.now);
    const budget = drag?.budget ?? chart.budget, net = Math.max(0, budget - chart.aside);
    const [at, above] = [to.y(net), to.unlimited(net) < TOP];
    line.style.top = `${at}px`;
    line.querySelector("span").textContent = budgetWords(chart, budget) + (above ? " ↑" : "");
    const flags = { low: at < TOP + 12, above, dragged: drag?.budget, locked: chart.locked };
    for (const [name, on] of Object.entries(flags)) on ? (line.dataset[name] = "") : delete line.dataset[name];
    const until = to.y(budget);
    [band.style.top, band.style.height] = [`${until}px`, `${Math.max(0, at - until)}px`];
  }
}

export default drawnBy(TokenBars);
