// Conversations, one after another: a box to choose each, its title to open it, and what was found in it.

class ConversationList {
  constructor(root) {
    this.place = root.querySelector(".conversations");
  }

  receive(data, send) {
    this.send = send;
    const shape = JSON.stringify({ ...data, rows: data.rows.map(({ cells, ...rest }) => rest) });
    if (this.shape !== shape) this.draw(data);
    this.shape = shape;
    data.rows.forEach((row, i) => row.cells.forEach((cell, j) => fill(this.cells[i][j], cell)));
  }

  // Anew. Figures that come later are put into the cells there are: a row that is clicked meanwhile stays the same row.
  draw(data) {
    const at = [...this.place.querySelectorAll("button, input")].findIndex((control) => control.matches(":focus"));
    this.cells = [];
    this.place.replaceChildren(this.table(data));
    if (at >= 0) this.place.querySelectorAll("button, input")[at]?.focus({ preventScroll: true });
  }

  table({ label, columns: known, rows, sort }) {
    const has = { time: rows.some((row) => row.time), tags: rows.some((row) => row.tags.length) };
    const columns = known.filter(({ kind }) => has[kind] ?? true);
    const all = this.box("All on this page", rows.length > 0 && rows.every((row) => row.ticked), rows.map((_, i) => i));
    const heads = [make("th", "box", [all]), ...columns.map((column) => this.head(column, sort))];
    for (const head of heads) head.scope = "col";
    const table = make("table", "", [make("thead", "", [make("tr", "", heads)]), ...rows.map((row, i) => this.row(row, i, columns))]);
    table.setAttribute("aria-label", label);
    return table;
  }

  head({ label, kind, sort: by }, sort) {
    if (!by) return make("th", kind, label);
    const head = make("th", kind, [this.button("sort", () => this.send("sort", { column: by }), label)]);
    const order = { [by]: "descending", [`-${by}`]: "ascending" }[sort];
    if (order) head.setAttribute("aria-sort", order);
    return head;
  }

  row({ title, open, problem, tags, cells, time, ticked, hits, more }, i, columns) {
    const name = this.button("title", () => this.send("open", { row: i, message: null }), [theirs("bdi", "", title)]);
    name.title = title;
    const first = make("div", "first", open ? [name, make("span", "badge", "open now")] : [name]);
    const about = make("td", "about", [first]);
    if (problem) about.append(theirs("p", "problem", problem));
    if (hits.length) about.append(named("ol", "hits", "Messages found", hits.map((hit) => this.hit(hit, i))));
    if (more) about.append(make("p", "more", more));
    const box = make("td", "box", [this.box(`Choose ${title}`, ticked, [i])]);
    this.cells[i] = cells.map((_, j) => cellOf(columns[j + 1]));
    const when = make("td", "time", shownTime(time, { dateStyle: "medium" }));
    when.title = shownTime(time, { dateStyle: "medium", timeStyle: "short" });
    const tagged = make("td", "tags", tags.length ? [named("ul", "", "Tags", tags.map((tag) => theirs("li", "", tag)))] : []);
    const last = [when, tagged].filter((cell) => columns.some(({ kind }) => kind === cell.className));
    return make("tbody", ticked ? "ticked" : "", [make("tr", "", [box, about, ...this.cells[i], ...last])]);
  }

  hit({ message, who, said }, row) {
    const about = make("span", "who", [make("span", "", count(message + 1)), theirs("bdi", "", who)]);
    const text = theirs("span", "said", "");
    text.append(...said.map(([piece, found]) => (found ? make("mark", "", piece) : piece)));
    return make("li", "", [this.button("hit", () => this.send("open", { row, message }), [about, text])]);
  }

  button(kind, press, inside) {
    const button = make("button", kind, inside);
    button.type = "button";
    button.addEventListener("click", press);
    return button;
  }

  box(label, ticked, rows) {
    const input = make("input");
    Object.assign(input, { type: "checkbox", checked: ticked });
    input.setAttribute("aria-label", label);
    input.addEventListener("change", () => this.send("tick", { rows, yes: input.checked }));
    return input;
  }
}

function cellOf({ kind, unit }) {
  const cell = theirs("td", kind, "");
  cell.dataset.unit = unit;
  return cell;
}

function fill(cell, { text, hover, alarm }) {
  if (cell.textContent !== text) cell.textContent = text;
  cell.title = hover;
  cell.classList.toggle("alarm", alarm);
}

function named(tag, kind, label, inside) {
  const element = make(tag, kind, inside);
  element.setAttribute("aria-label", label);
  return element;
}

// Seconds since 1970 in the reader's own time.
function shownTime(seconds, style) {
  return seconds ? new Date(seconds * 1000).toLocaleString("en", style) : "";
}

export default drawnBy(ConversationList);
