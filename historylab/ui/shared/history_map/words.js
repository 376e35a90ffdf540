// The map's texts: sentences built from numbers and the plan's own reasons. Message text is only ever set as textContent.

const count = (n) => n.toLocaleString("en");

const span = (what, first, after) =>
  after - first > 1 ? `${what}s ${count(first + 1)}–${count(after)}` : `${what} ${count(first + 1)}`;

// A difference map brings its own text for every request (`says`).
const valueText = (still, request, sent = "messages sent") =>
  `${still.labels[request]}: ${still.says?.[request] ?? `${count(still.sent[request])} of ${count(still.said[request])} ${sent}`}`;

const flagText = (still, request) => valueText(still, request, "sent");

function stripText(still, request) {
  const column = binOf(request, still.requests, still.columns);
  if (still.says) return still.share[column] ? `differs in ${still.share[column]}% of its messages` : "sends the same under both";
  if (!request) return "is the first";
  return `shares its first ${still.share[column]}% with the one before it${still.moved.has(column) ? ": its beginning changed" : ""}`;
}

// "× dropped"; a glyph that is already part of the word is not repeated.
const badge = (look) => (look.word.includes(look.glyph) ? look.word : `${look.glyph} ${look.word}`);

// The tooltip of a cell: {title, text, fate, why, action}; `action` is null if the message does not exist yet.
function cellWords(still, row, column) {
  const [first, after] = [edge(row, still.messages, still.rows), edge(row + 1, still.messages, still.rows)];
  const [from, to] = [edge(column, still.requests, still.columns), edge(column + 1, still.requests, still.columns)];
  const who = still.who[row] ? `, ${still.who[row]}` : "";
  const title = span("Message", first, after) + who;
  const when = `${span("request", from, to)}, ${still.labels[from].split(",")[0]}`;
  const fate = still.cells[row * still.columns + column];
  if (!fate) return { title, text: "", fate: `${when}: not said yet`, why: "", action: null };
  const action = still.codes[fate - 1];
  const look = still.looks[action];
  const worst = after - first > 1 || to - from > 1 ? still.binned : "";
  const why = still.sentences[still.why[column][fate]] ?? "";
  return { title, text: still.texts[row] ?? "", fate: `${when}: ${worst}${badge(look)}`, why, action };
}

function fillTip(tip, words, colour) {
  const line = (tag, kind, text) => {
    const element = document.createElement(tag);
    element.className = kind;
    element.textContent = text;
    return element;
  };
  const lines = [line("b", "", words.title)];
  if (words.text) lines.push(line("bdi", "said", `“${words.text}”`));
  lines.push(line("div", words.action === null ? "" : "fate", words.fate));
  if (words.why) lines.push(line("div", "", words.why));
  tip.style.setProperty("--fate", colour);
  tip.replaceChildren(...lines);
}
