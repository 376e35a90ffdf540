// A table of texts. The first cell of a row is a button whose face is the whole row.

const drawn = new WeakMap(); // element → what it shows, as text

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".rows"), shows = JSON.stringify(data);
  if (drawn.get(root) === shows) return;
  drawn.set(root, shows);
  const name = (row) => data.names[row] ?? row;
  const top = root.scrollTop, held = [...root.querySelectorAll("button")].find((button) => button.matches(":focus"));
  root.replaceChildren(table(data, name, (row) => setTriggerValue("row", name(row))));
  root.scrollTop = top;
  if (held) again(root, held.name)?.focus({ preventScroll: true });
}

// The row's button that had the focus, or the last where there are no longer as many.
function again(root, name) {
  const buttons = [...root.querySelectorAll("button")];
  return buttons.find((button) => button.name === name) ?? buttons.at(-1);
}

function table({ label, columns, rows, chosen, lines }, name, choose) {
  const head = make("thead", "", [make("tr", "", columns.map(({ label, kind }) => make("th", kind, label)))]);
  for (const cell of head.querySelectorAll("th")) cell.scope = "col";
  const body = make("tbody", "", rows.map((cells, i) => {
    const row = make("tr", i === chosen ? "chosen" : "", cells.map((text, j) => cell(text, columns[j], j ? null : () => choose(i))));
    row.querySelector("button").name = name(i);
    if (i === chosen) row.setAttribute("aria-current", "true");
    return row;
  }));
  const element = make("table", lines ? "lines" : "", [head, body]);
  element.setAttribute("aria-label", label);
  return element;
}

function cell(text, { label, kind }, press) {
  const element = make("td", kind, press ? [] : text);
  element.dataset.label = label;
  if (!press) return element;
  const button = make("button", "", text);
  button.type = "button";
  button.addEventListener("click", press);
  element.append(button);
  return element;
}
