// The settings as a sentence. Native fields stand in it as underlined words; a number is exact while it is written.

class Sentence {
  constructor(root) {
    this.place = root.querySelector(".sentence");
  }

  receive({ parts }, send) {
    this.send = send;
    const shows = JSON.stringify(parts);
    if (shows === this.shows) return;
    this.shows = shows;
    const held = this.place.querySelector(":focus");
    this.place.replaceChildren(...parts.map((part) => this.draw(part)));
    if (held) { // the last where it is there no longer, as where nothing more is cut
      const fields = [...this.place.querySelectorAll("[name]")];
      (fields.find((field) => field.name === held.name) ?? fields.at(-1))?.focus({ preventScroll: true });
    }
  }

  draw(part) {
    if (part.locked) return Object.assign(make("span", "", `🔒\ufe0e${part.text}`), { title: part.locked });
    if (!part.setting) return Object.assign(make("span", part.end ? "end" : "", part.text), { title: part.end ?? "" });
    const field = part.choices ? this.choice(part) : this.number(part);
    field.name = part.setting;
    field.setAttribute("aria-label", part.label);
    return field;
  }

  choice({ setting, chosen, choices }) {
    const field = make("select", "", choices.map(([value, words]) => Object.assign(make("option", "", words), { value })));
    field.value = chosen;
    field.addEventListener("change", () => this.send("edit", { setting, value: field.value }));
    return field;
  }

  number({ setting, text, exact }) {
    const field = Object.assign(make("input"), { type: "text", inputMode: "numeric", autocomplete: "off", value: text, size: text.length, title: exact });
    const leave = () => (field.value = text);
    const done = () => {
      const { value } = field;
      leave(); // what is no number is told, and changes nothing
      if (![exact, text, ""].includes(value.trim())) this.send("edit", { setting, value });
    };
    field.addEventListener("focus", () => ((field.value = exact), field.select()));
    field.addEventListener("blur", done);
    field.addEventListener("keydown", (event) => {
      if (event.key === "Escape") (leave(), field.blur());
      else if (event.key === "Enter") done();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    return field;
  }
}

export default drawnBy(Sentence);
