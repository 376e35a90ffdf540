// The filters with how many messages each lets through, and the choice between list and chat.

class Bar {
  constructor(root, choose) {
    [this.root, this.choose, this.groups] = [root, choose, {}];
    for (const [name, label] of [["show", "Show"], ["view", "View"]]) this.groups[name] = this.group(name, label);
    root.replaceChildren(...Object.values(this.groups).map((group) => group.element));
  }

  group(name, label) {
    const element = make("div", `choice ${name}`);
    element.setAttribute("role", "radiogroup");
    element.setAttribute("aria-label", label);
    element.addEventListener("change", (event) => this.choose(name, event.target.value));
    return { element, options: new Map() };
  }

  // options: [value, label, count or null] of each.
  draw(name, options, chosen) {
    const group = this.groups[name];
    for (const [value, label, many] of options) {
      const known = group.options.get(value) ?? this.option(group, name, value, label);
      known.input.checked = value === chosen;
      known.many.textContent = many === null ? "" : count(many);
    }
    const values = options.map(([value]) => value);
    for (const [value, { element }] of group.options) element.hidden = !values.includes(value);
  }

  option(group, name, value, label) {
    const input = Object.assign(document.createElement("input"), { type: "radio", name, value });
    const many = make("span", "many"), element = make("label", "", [input, make("span", "", label), " ", many]);
    group.element.append(element);
    group.options.set(value, { element, input, many });
    return group.options.get(value);
  }
}
