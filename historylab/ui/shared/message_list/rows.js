// The list's rows: {words, draw} of an item. The words are compared to see whether a row must be drawn anew.

function row(picture, item, open) {
  if (item === SUMMARY) return summaryRow(picture, open);
  if (item < 0) return cutRow(picture, cutEnd(item));
  const words = { ...messageWords(picture, item), text: picture.texts.texts[item] };
  return { words, draw: () => messageRow(words) };
}

function messageRow(words) {
  const mark = words.marked ? [make("span", "must", " ⚑")] : [];
  const who = [make("span", "", words.role)];
  if (words.name) who.push(" ", theirs("bdi", "named", words.name));
  const text = theirs("span", "text", words.text), why = make("span", "why", words.why);
  [text.title, why.title] = [words.text, words.why];
  const tokens = make("span", "tokens", words.tokens);
  tokens.append(make("span", "unit", " tokens"));
  const cells = [make("span", "number", [count(words.i + 1), ...mark]), make("span", "who", who), badge(words), tokens, text, why];
  const element = make("div", `row by-${words.kind} ${NAMES[words.action]}`, cells);
  element.setAttribute("aria-label", rowLabel(words, words.text));
  return element;
}

const rowLabel = (words, text) =>
  [`${count(words.i + 1)}, ${[words.role, words.name].filter(Boolean).join(" ")}`, words.marked ? "must be remembered" : "",
    `${words.word}, ${words.tokens} tokens`, text, words.why].filter(Boolean).join(". ");

function cutRow(picture, end) {
  const { many, tokens } = cutWords(picture, end, true);
  const are = many === 1 ? "1 message above is not" : `${count(many)} messages above are not`;
  const words = { cut: `History is sent from here: ${are}, ${counted(tokens, "token")}.` };
  return { words, draw: () => make("div", "cut", [make("span", "", words.cut)]) };
}

function summaryRow(picture, open) {
  const { summary, view } = picture;
  const text = view.summary.from === summary.from ? view.summary.text : "";
  const words = { about: summaryWords(summary), text: open ? text || "…" : "", open };
  return { words, draw: () => drawSummary(words) };
}

function drawSummary({ about, text, open }) {
  const title = make("div", "title", [badge({ action: SUMMARIZED, glyph: "Σ", word: "summary" }), make("span", "about", about),
    make("span", "fold", open ? "Hide its text" : "Show its text")]);
  return make("div", "row summary", open ? [title, theirs("div", "said", text)] : [title]);
}
