// The list's words. What a message says is only ever set as textContent.

const NAMES = ["kept", "pinned", "truncated", "summarized", "dropped"]; // of the page's colours: --hl-kept …
const MOST_REASONS = 2; // on a line

const FILTERS = {
  everything: ["Everything", ""],
  sent: ["What the model sees", "Nothing of this conversation is sent."],
  changed: ["Changed since the last request", "Nothing changed since the previous request."],
  lost: ["Lost", "Nothing is lost: the model sees every message."],
  starred: ["⚑ Must remember", "No message that must be remembered has come yet."],
  found: ["Found", "No message so far contains the words searched for."],
};

// Of the unsent messages before `end`: how many, their tokens, and why.
function cutWords(picture, end, whole) {
  let start = end;
  while (start && (whole || !isSent(picture.actions[start - 1]))) start--;
  const fates = new Map(); // code of a fate → {first, many}
  let [tokens, summarised, dropped] = [0, 0, 0];
  for (let i = start; i < end; i++) {
    if (isSent(picture.actions[i])) continue;
    tokens += picture.texts.tokens[i];
    if (picture.actions[i] === SUMMARIZED) summarised++;
    else dropped++;
    const known = fates.get(picture.fates[i]);
    if (known) known.many++;
    else fates.set(picture.fates[i], { first: i, many: 1 });
  }
  const parts = [];
  if (dropped) parts.push(`${count(dropped)} left out`);
  if (summarised) parts.push(`${count(summarised)} summarised`);
  const common = [...fates.values()].sort((a, b) => b.many - a.many);
  const why = common.slice(0, MOST_REASONS).map(({ first }) => sentence(picture, first));
  const others = common.length - why.length;
  if (others > 0) why.push(`And ${counted(others, "other reason")}.`);
  return { parts, tokens, many: dropped + summarised, why: [...new Set(why)].join(" ") };
}

const sentence = (picture, i) => picture.timeline.sentence(picture.request, i) ?? "";

const summaryWords = ({ covers, tokens, by, note }) =>
  `sent in place of ${counted(covers, "message")} · ${counted(tokens, "token")} · ${by}.${note ? ` ${note}` : ""}`;

// What a row or a bubble says of message i.
function messageWords(picture, i) {
  const { texts, timeline } = picture, action = picture.actions[i], { whole, sent } = picture.tokensOf(i);
  const about = picture.view.estimated && picture.media.has(i) ? "≈" : "";
  const tokens = action === TRUNCATED ? `${count(sent)} of ${count(whole)}` : about + count(whole);
  const { word, glyph } = timeline.looks[action];
  const why = sentence(picture, i);
  return { i, action, word, glyph, tokens, why, role: texts.roles[i], name: texts.names[i], kind: texts.kinds[i],
    marked: picture.starred.has(i) };
}

function badge({ action, glyph, word }, text = word) {
  const mark = make("i", `mark ${NAMES[action]}`, glyph);
  mark.setAttribute("aria-hidden", "true");
  return make("span", "badge", [mark, make("span", "", text)]);
}
