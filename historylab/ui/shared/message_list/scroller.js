// Keeps only those items in the page that are in view. Heights are measured as items are drawn; a guess stands in until
// then. What is at the top stays there when the items change.

const MARGIN = 500; // pixels drawn beyond what is seen

class Scroller {
  constructor(box, signal, describe) {
    [this.box, this.whole, this.seen] = [box, box.querySelector(".whole"), box.querySelector(".seen")];
    this.describe = describe;
    [this.items, this.tops, this.heights, this.drawn, this.guess] = [[], new Float64Array(1), new Map(), new Map(), 36];
    listenTo(box, signal, { scroll: () => this.later() });
    watchSize(box, signal, () => this.resized());
    signal.addEventListener("abort", () => cancelAnimationFrame(this.frame));
  }

  later() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  resized() {
    if (this.width === this.box.clientWidth) return this.later();
    this.width = this.box.clientWidth;
    this.forget();
    this.later();
  }

  // What is seen of the items: the head stays over the rest.
  get tall() {
    return this.box.clientHeight - this.whole.offsetTop;
  }

  // Items of another kind, or of another width: nothing is known of their heights.
  forget(guess = this.guess) {
    this.guess = guess;
    this.heights.clear();
    this.drawn.clear();
    this.place();
  }

  set(items) {
    const at = this.first(this.box.scrollTop), anchor = this.items[at], off = this.box.scrollTop - (this.tops[at] ?? 0);
    this.items = items;
    this.place();
    const now = anchor === undefined ? -1 : items.indexOf(anchor);
    if (now >= 0 && this.box.scrollTop > 0) this.box.scrollTop = this.tops[now] + off;
    this.draw();
  }

  place() {
    this.tops = new Float64Array(this.items.length + 1);
    for (let n = 0; n < this.items.length; n++) this.tops[n + 1] = this.tops[n] + (this.heights.get(this.items[n]) ?? this.guess);
    this.whole.style.height = `${this.tops[this.items.length]}px`;
  }

  // The item at that height.
  first(y) {
    let [low, high] = [0, Math.max(0, this.items.length - 1)];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.tops[middle] <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  draw() {
    for (let again = 0; again < 4; again++) {
      const from = this.first(this.box.scrollTop - MARGIN);
      const to = Math.min(this.items.length, this.first(this.box.scrollTop + this.box.clientHeight + MARGIN) + 1);
      this.fill(from, to);
      if (!this.measure(from, to)) break;
    }
  }

  fill(from, to) {
    const now = new Map();
    for (let n = from; n < to; n++) now.set(this.items[n], this.element(this.items[n], n));
    const elements = [...now.values()].map((one) => one.element);
    this.drawn = now;
    const same = elements.length === this.seen.childElementCount && elements.every((one, n) => one === this.seen.children[n]);
    if (!same) this.seen.replaceChildren(...elements);
    this.seen.style.transform = `translateY(${this.tops[from] ?? 0}px)`;
  }

  element(item, n) {
    const { words, draw, mark } = this.describe(item), signature = JSON.stringify(words);
    let known = this.drawn.get(item);
    if (known?.signature !== signature) known = { signature, element: draw() };
    mark(known.element, n);
    return known;
  }

  measure(from, to) {
    let [changed, above] = [false, 0];
    const top = this.first(this.box.scrollTop);
    for (let n = from; n < to; n++) {
      const tall = this.drawn.get(this.items[n]).element.getBoundingClientRect().height;
      const known = this.heights.get(this.items[n]) ?? this.guess;
      this.heights.set(this.items[n], tall);
      if (Math.abs(tall - known) < 0.5) continue;
      changed = true;
      if (n < top) above += tall - known;
    }
    if (changed) {
      this.place();
      if (above) this.box.scrollTop += above;
    }
    return changed;
  }

  shows(n) {
    return this.tops[n] >= this.box.scrollTop && this.tops[n + 1] <= this.box.scrollTop + this.tall;
  }

  // Bring the item at place n into view if it is not; `at` is where in the box (0 to 1), always.
  reveal(n, at = null) {
    if (n < 0) return;
    for (let again = 0; again < 3; again++) {
      const [top, end, tall] = [this.tops[n], this.tops[n + 1], this.tall];
      const seen = this.shows(n);
      if (at !== null) this.box.scrollTop = top - tall * at;
      else if (!seen) this.box.scrollTop = top < this.box.scrollTop ? top : end - tall;
      this.draw();
      if (this.tops[n] === top && this.tops[n + 1] === end) break;
    }
  }
}
