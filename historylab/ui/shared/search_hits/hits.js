// What a search found: it opens while the field or itself has the focus, and closes when a message is chosen.

class Hits {
  constructor(root, signal) {
    const parts = [".panel", "p", ".hits", ".more", ".why"].map((name) => root.querySelector(name));
    [this.panel, this.status, this.list, this.more, this.why] = parts;
    [this.active, this.closed, this.hits] = [-1, true, []];
    this.around = (root.host ?? root).closest(".st-key-find");
    if (this.around) listenTo(this.around, signal, {
      focusin: () => this.shut(false), input: () => this.shut(false),
      focusout: (event) => this.around.contains(event.relatedTarget) || this.shut(true),
      keydown: (event) => event.target.matches("input") && this.fieldKey(event),
    });
    listenTo(this.list, signal, {
      keydown: (event) => this.key(event), click: (event) => this.choose(event.target.closest("[data-message]")),
    });
    listenTo(this.more, signal, { click: () => this.leave({ all: true }) });
    listenTo(this.why, signal, { click: () => this.leave({ why: true }) });
  }

  receive(data, send) {
    const same = data.words === this.words;
    [this.send, this.words, this.hits, this.active] = [send, data.words, data.hits, same ? this.active : -1];
    this.status.textContent = data.said;
    this.list.replaceChildren(...data.hits.map((hit, n) => drawHit(hit, n, data.hits.length)));
    [this.more.textContent, this.why.textContent] = [data.more, data.why];
    if (this.hits[this.active]) this.activate(this.active);
    this.shut(this.closed);
  }

  shut(closed) {
    this.closed = closed;
    this.panel.classList.toggle("off", closed || !this.words);
    this.list.hidden = closed || !this.hits.length;
    for (const way of [this.more, this.why]) way.hidden = closed || !way.textContent;
  }

  get field() {
    return this.around?.querySelector("input");
  }

  fieldKey(event) {
    if (this.field.value.trim() !== this.words) return;
    if (!this.hits.length) return void (event.key === "Enter" && this.words && this.leave({ why: true }));
    if (event.key === "ArrowDown") {
      this.shut(false);
      this.list.focus();
      this.activate(Math.max(0, this.active));
    } else if (event.key === "Enter") { // from one to the next, and then the first again
      this.activate((this.active + 1) % this.hits.length);
      this.choose(this.list.children[this.active]);
    } else return;
    event.preventDefault();
  }

  key(event) {
    const to = { ArrowDown: this.active + 1, ArrowUp: this.active - 1, Home: 0, End: this.hits.length - 1 }[event.key];
    if (event.key === "Escape" || to < 0) this.field?.focus();
    else if (to !== undefined) this.activate(Math.min(this.hits.length - 1, to));
    else if (event.key === "Enter" || event.key === " ") this.choose(this.list.children[this.active]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  activate(n) {
    this.active = n;
    [...this.list.children].forEach((hit, k) => hit.setAttribute("aria-selected", k === n));
    this.list.setAttribute("aria-activedescendant", `hit${n}`);
    this.list.children[n]?.scrollIntoView({ block: "nearest" });
  }

  choose(hit) {
    if (!hit) return;
    this.activate([...this.list.children].indexOf(hit));
    this.leave({ message: Number(hit.dataset.message) });
  }

  // The field has the focus again: what is hidden can't have it.
  leave(look) {
    this.send("look", look);
    this.field?.focus({ preventScroll: true });
    this.shut(true);
  }
}

function drawHit({ message, who, fate, said: [before, match, after] }, n, many) {
  const about = make("div", "about", [make("span", "", count(message + 1)), theirs("bdi", "", who), make("span", "fate", fate)]);
  const text = theirs("span", "said", before);
  text.append(make("mark", "", match), after);
  const hit = make("div", "hit", [about, text]);
  const told = { role: "option", id: `hit${n}`, "aria-selected": false, "aria-posinset": n + 1, "aria-setsize": many, "data-message": message };
  for (const [name, value] of Object.entries(told)) hit.setAttribute(name, value);
  return hit;
}

export default drawnBy(Hits);
