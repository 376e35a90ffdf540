// The chat's bubbles: {words, draw} of an item, as for the rows.

function bubble(picture, item, chosen, open) {
  if (item === SUMMARY) return summaryBubble(picture, open);
  if (item < 0) return leftOut(picture, cutEnd(item));
  const cut = picture.actions[item] === TRUNCATED && picture.shorter(item)?.[2];
  const parts = picture.bubbles[item];
  const words = { ...messageWords(picture, item), chosen, parts: cut ? withText(parts, cut) : parts };
  return { words, draw: () => messageBubble(words) };
}

const withText = (parts, [text, hidden]) => [...parts.filter(([kind]) => kind === "thought"), ["text", text, hidden],
  ...parts.filter(([kind]) => kind === "call" || kind === "note")];

function messageBubble(words) {
  const who = [make("b", "", words.role)];
  if (words.name) who.push(" ", theirs("bdi", "", words.name));
  who.push(` ${count(words.i + 1)}`);
  if (words.marked) who.push(" · ", make("b", "", "⚑ must remember"));
  const fate = [words.word, `${words.tokens} tokens`];
  if (words.action !== KEPT) fate.push(words.why);
  const inside = [make("div", "by", who), ...words.parts.flatMap((part) => drawPart(part, words.chosen)), badgeLine(words, fate.join(" · "))];
  const element = make("div", `turn by-${words.kind} ${NAMES[words.action]}`, [make("div", "bubble", inside)]);
  element.setAttribute("aria-label", rowLabel(words, words.parts.map(([, text]) => text).join(" ")));
  return element;
}

const badgeLine = (look, text) => make("div", "fate", [badge(look, text)]);

function drawPart([kind, text, hidden], chosen) {
  const more = hidden ? [make("div", "hidden", `… ${count(hidden)} more characters`)] : [];
  if (kind === "thought") {
    return chosen ? [make("div", "hidden", "Thinking, not sent again:"), theirs("div", "said thought", text), ...more]
      : [make("div", "hidden", "Thinking, not sent again: choose the message to read it")];
  }
  return [theirs("div", kind === "text" ? "said" : "call", text), ...more];
}

function leftOut(picture, end) {
  const { parts, tokens, why } = cutWords(picture, end, false);
  const [first, ...more] = parts, [many, how] = first.split(/ (.*)/);
  const said = [`${many} ${many === "1" ? "message" : "messages"} ${how}`, ...more].join(" and ");
  const words = { cut: `${said} here, ${counted(tokens, "token")}. ${why}` };
  return { words, draw: () => make("div", "cut", [make("span", "", words.cut)]) };
}

function summaryBubble(picture, open) {
  const { words } = summaryRow(picture, true);
  return { words: { ...words, open }, draw: () => drawSummaryBubble(words, open) };
}

function drawSummaryBubble({ about, text }, open) {
  const said = theirs("div", open ? "said" : "said short", text);
  const look = { action: SUMMARIZED, glyph: "Σ", word: "summary" };
  const fold = make("span", "fold", open ? "Show less" : "Show all of it");
  return make("div", "turn summary", [make("div", "bubble", [make("div", "by", [make("b", "", "summary")]), said, badgeLine(look, about), fold])]);
}
