// A table of texts. The first cell of a row is a button whose face is the whole row.

const drawn = new WeakMap(); // element → what it shows, as text

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".rows"), shows = JSON.stringify(data);
  if (drawn.get(root) === shows) return;
  drawn.set(root, shows);
  const top = root.scrollTop, at = [...root.querySelectorAll("button")].findIndex((button) => button.matches(":focus"));
  root.replaceChildren(table(data, (row) => setTriggerValue("row", row)));
  root.scrollTop = top;
  if (at >= 0) root.querySelectorAll("button")[Math.min(at, data.rows.length - 1)]?.focus({ preventScroll: true });
}

function table({ label, columns, rows, chosen }, choose) {
  const head = make("thead", "", [make("tr", "", columns.map(({ label, kind }) => make("th", kind, label)))]);
  for (const cell of head.querySelectorAll("th")) cell.scope = "col";
  const body = make("tbody", "", rows.map((cells, i) => {
    const row = make("tr", i === chosen ? "chosen" : "", cells.map((text, j) => cell(text, columns[j], j ? null : () => choose(i))));
    if (i === chosen) row.setAttribute("aria-current", "true");
    return row;
  }));
  const element = make("table", "", [head, body]);
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
