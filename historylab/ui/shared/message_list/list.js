// The list of messages: what the clock's request does with each. A choice is drawn at once and told to Python.

const ANSWER_MS = 4000, UNSEEN_MS = 150;
const GUESS = { list: 34, chat: 96 }; // pixels of an item not yet measured

class MessageList {
  constructor(root, signal) {
    [this.host, this.signal] = [root.host ?? root, signal];
    this.find = (name) => root.querySelector(name);
    [this.box, this.none] = [this.find(".box"), this.find(".none")];
    [this.shown, this.told, this.active, this.open, this.message] = [null, null, null, false, null];
    this.scroller = new Scroller(this.box, signal, (item) => this.describe(item));
    this.bar = new Bar(this.find(".bar"), (name, value) => this.tell({ [name]: value }));
    clock.listen(() => this.later(), signal);
    listenTo(this.box, signal, {
      click: (event) => this.click(event), keydown: (event) => this.key(event), blur: () => this.activate(null),
      focus: () => this.activate(this.active ?? this.message ?? this.opening()),
    });
    this.watchSight();
  }

  // -- what Python says

  async receive(data, send) {
    const [view, found] = readHead(data);
    [this.send, this.newest] = [send, view];
    const waits = [view.lines, view.otherwise, view.bubbles].map((key) => key && kept.texts.get(key));
    const [timeline, texts, otherwise, bubbles] = await Promise.all([kept.timelines.get(view.timeline), ...waits]);
    if (this.newest !== view || this.signal.aborted) return; // a later one came meanwhile
    const before = this.shown?.view ?? {};
    this.shown = { view, found, timeline, texts, otherwise, bubbles, media: new Set(texts.media) };
    const late = this.told && Object.entries(this.told.look).some(([name, value]) => name !== "request" && view[name] !== value);
    if (!late || Date.now() - this.told.at > ANSWER_MS) this.told = null;
    const mine = this.told ? this.told.look : {};
    this.show = mine.show ?? view.show;
    const message = "message" in mine ? mine.message : view.message;
    const elsewhere = view.picks !== before.picks || message !== this.message;
    this.message = message;
    if (view.view !== before.view) this.scroller.forget(GUESS[view.view]);
    this.host.dataset.view = view.view;
    const anew = view.lines !== before.lines || view.view !== before.view || view.show !== before.show;
    this.early = !clock.begun;
    this.draw();
    if (this.message !== null && (anew || elsewhere)) this.reveal(this.message);
    else if (anew) this.follow();
  }

  tell(look) {
    this.told = { look, at: Date.now() };
    if (look.show) this.show = look.show;
    this.send("look", look);
    this.draw();
    if (look.show) this.follow();
  }

  // -- drawing

  // With the next frame. While something is moved and it is out of sight, where it would slow that down, not before it
  // has come to rest, and then at once.
  later() {
    const waited = this.timer;
    clearTimeout(this.timer);
    this.timer = 0;
    if (!this.inSight && (clock.held || clock.now.playing)) this.timer = setTimeout(() => this.move(), UNSEEN_MS);
    else if (waited) this.move();
    else this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.move();
    });
  }

  // Drawn before the map, it learns only now which request the page opens on.
  move() {
    this.draw();
    if (this.early && this.message === null) this.follow();
    this.early = false;
  }

  watchSight() {
    const watcher = new IntersectionObserver(([{ isIntersecting }]) => {
      this.inSight = isIntersecting;
      if (isIntersecting) this.draw();
    });
    watcher.observe(this.box);
    this.signal.addEventListener("abort", () => (watcher.disconnect(), clearTimeout(this.timer), cancelAnimationFrame(this.frame)));
  }

  draw() {
    if (!this.shown) return;
    const { timeline, view } = this.shown, chat = view.view === "chat";
    const request = Math.max(0, Math.min(timeline.requests - 1, clock.now.request));
    this.picture = new Picture(this.shown, request);
    this.drawBar(chat);
    const items = this.picture.items(this.show, chat);
    this.none.textContent = items.length ? "" : FILTERS[this.show][1];
    this.find(".messages").classList.toggle("chat", chat);
    this.find(".messages").classList.toggle("empty", !items.length);
    this.scroller.set(items);
    if (clock.now.playing) this.follow();
    Object.assign(this.host.dataset, { request: request + 1, drawn: view.timeline });
  }

  drawBar(chat) {
    const offered = Object.keys(FILTERS).filter((name) => name !== "starred" || this.picture.starred.size)
      .filter((name) => name !== "found" || this.shown.view.searching);
    if (!offered.includes(this.show)) this.show = "everything";
    this.bar.draw("show", offered.map((name) => [name, FILTERS[name][0], this.picture.count(name)]), this.show);
    this.bar.draw("view", [["list", "List", null], ["chat", "Chat", null]], chat ? "chat" : "list");
  }

  describe(item) {
    const chosen = item === this.message && item !== null;
    const chat = this.shown.view.view === "chat";
    const drawn = chat ? bubble(this.picture, item, chosen, this.open) : row(this.picture, item, this.open);
    const mark = (element, n) => {
      const said = { role: "option", id: `item${item}`, "aria-selected": chosen, "aria-posinset": n + 1, "aria-setsize": this.scroller.items.length };
      for (const [name, value] of Object.entries(said)) element.setAttribute(name, value);
      element.classList.toggle("active", item === this.active);
      element.dataset.item = item;
    };
    return { ...drawn, mark };
  }

  // -- where it is scrolled to

  reveal(item) {
    const n = this.scroller.items.indexOf(item);
    if (n >= 0 && !this.scroller.shows(n)) this.scroller.reveal(n, 0.35);
  }

  // The item it opens at: the cut, or at the end of a chat.
  opening() {
    const { items } = this.scroller;
    return items.find((item) => item < SUMMARY) ?? (this.shown?.view.view === "chat" ? items.at(-1) : items[0]) ?? null;
  }

  // While it plays it keeps up with the cut, or with what is said.
  follow() {
    const { items } = this.scroller, said = this.shown.view.view === "chat" || (clock.now.playing && !items.some((item) => item < SUMMARY));
    this.scroller.reveal(said ? items.length - 1 : items.indexOf(this.opening()), 0.35);
  }

  // -- choosing

  click(event) {
    const at = event.target.closest("[data-item]");
    if (at && !String(getSelection())) this.choose(Number(at.dataset.item));
  }

  choose(item) {
    this.active = item;
    if (item === SUMMARY) {
      this.open = !this.open;
      return this.draw();
    }
    if (item < 0) return this.scroller.draw();
    this.message = item;
    this.tell({ message: item, request: this.picture.request });
  }

  key(event) {
    const { items } = this.scroller, at = items.indexOf(this.active);
    const page = Math.max(1, Math.floor(this.box.clientHeight / this.scroller.guess) - 1);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1, PageDown: at + page, PageUp: at - page }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (to !== undefined) this.activate(items[Math.max(0, Math.min(items.length - 1, to))]);
    else if ((event.key === "Enter" || event.key === " ") && at >= 0) this.choose(this.active);
    else if (event.key === "Escape" && this.message !== null) this.tell({ message: (this.message = null) });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  activate(item) {
    this.active = item;
    if (item === null || !this.scroller.items.includes(item)) {
      this.box.removeAttribute("aria-activedescendant");
      return this.scroller.draw();
    }
    this.scroller.reveal(this.scroller.items.indexOf(item));
    this.box.setAttribute("aria-activedescendant", `item${item}`);
  }
}

export default drawnBy(MessageList);
