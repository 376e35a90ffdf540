// Conversations, one after another: a box to choose each, its title to open it, and what was found in it.

class ConversationList {
  constructor(root) {
    this.place = root.querySelector(".conversations");
  }

  receive(data, send) {
    this.send = send;
    const shows = JSON.stringify(data);
    if (this.shows === shows) return;
    const at = [...this.place.querySelectorAll("button, input")].findIndex((control) => control.matches(":focus"));
    this.shows = shows;
    this.place.replaceChildren(this.table(data));
    if (at >= 0) this.place.querySelectorAll("button, input")[at]?.focus({ preventScroll: true });
  }

  table({ label, columns, rows }) {
    const all = this.box("All on this page", rows.length > 0 && rows.every((row) => row.ticked), rows.map((_, i) => i));
    const heads = columns.map(({ label, kind }) => make("th", kind, label));
    const first = make("th", "box", [all]);
    for (const head of [first, ...heads]) head.scope = "col";
    const table = make("table", "", [make("thead", "", [make("tr", "", [first, ...heads])]), ...rows.map((row, i) => this.row(row, i, columns))]);
    table.setAttribute("aria-label", label);
    return table;
  }

  row({ title, open, problem, tags, cells, ticked, hits, more }, i, columns) {
    const name = this.button("title", () => this.send("open", { row: i, message: null }), [theirs("bdi", "", title)]);
    const about = make("td", "about", [name]);
    if (open) about.append(make("span", "badge", "open now"));
    if (tags.length) about.append(named("ul", "tags", "Tags", tags.map((tag) => theirs("li", "", tag))));
    if (problem) about.append(theirs("p", "problem", problem));
    if (hits.length) about.append(named("ol", "hits", "Messages found", hits.map((hit) => this.hit(hit, i))));
    if (more) about.append(make("p", "more", more));
    const box = make("td", "box", [this.box(`Choose ${title}`, ticked, [i])]);
    const others = cells.map((text, j) => {
      const { label, kind } = columns[j + 1];
      const cell = kind === "time" ? make("td", kind, shownTime(text)) : theirs("td", kind, String(text));
      cell.dataset.label = label;
      return cell;
    });
    return make("tbody", ticked ? "ticked" : "", [make("tr", "", [box, about, ...others])]);
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

function named(tag, kind, label, inside) {
  const element = make(tag, kind, inside);
  element.setAttribute("aria-label", label);
  return element;
}

// Seconds since 1970 in the reader's own time.
function shownTime(seconds) {
  return seconds ? new Date(seconds * 1000).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" }) : "";
}

export default drawnBy(ConversationList);
