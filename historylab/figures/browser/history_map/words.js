// The map's texts: sentences built from numbers and the plan's own reasons. Message text is only ever set as textContent.

const short = (label) => label.replace(/, request (\d+) of (\d+)$/, " · $1/$2");

const capital = (words) => words[0].toUpperCase() + words.slice(1);

const sentOf = (still, request) => `${count(still.sent[request])} of ${count(still.shown[request])}`;

// `would`: the request was only watched, and this is what would have been done with it.
const valueText = (still, request, would) =>
  `${still.labels[request]}: ${sentOf(still, request)} messages ${would ? "would be sent" : "sent"}`;

// What the flag above the request shown says; the number of messages sent stands under the headline.
const flagText = (still, request) => short(still.labels[request]);

// "At turn 12, the model sees 40 of 166 messages.": wording/verdict.py's first sentence, word for word.
function seenSentence(still, request, would) {
  const label = still.labels[request], when = label.startsWith("turn ") ? `at ${label}` : label;
  const [sent, size] = [still.sent[request], still.shown[request]];
  const all = ["no message yet", "the one message so far", "both messages"][size] ?? `all ${count(size)} messages`;
  return `${capital(when)}, the model ${would ? "would see" : "sees"} ${sent === size ? all : `${count(sent)} of ${count(size)} messages`}.`;
}

// The page's headline and legend follow the clock, from the same numbers as Python's, once they are this timeline's.
function sayOnPage(still, key, request, would) {
  const headline = document.querySelector(`[data-said="${key}"]`), said = seenSentence(still, request, would);
  if (headline && headline.textContent !== said) headline.textContent = said;
  still.looks.forEach((look, action) => {
    const number = document.querySelector(`[data-counts="${key}"] [data-count="${look.word}"]`), now = still.counts[request][action];
    if (!number || number.textContent === count(now)) return;
    number.textContent = count(now);
    number.parentElement.classList.toggle("hl-none", !now);
  });
}

// On Compare the tokens of the request stand under every map.
function sayTokens(still, key, request) {
  const tokens = still.tokens[request];
  for (const said of document.querySelectorAll(`[data-tokens="${key}"]`)) {
    [said.textContent, said.title] = [shortCount(tokens), `${counted(tokens, "token")} with this request`];
    said.classList.toggle("hl-over", still.over.includes(request));
  }
}

// Under the headline the number of messages sent, "40 of 61", and of which request.
function saySent(still, key, request) {
  const said = document.querySelector(`[data-sees="${key}"]`), at = document.querySelector(`[data-at="${key}"]`);
  if (said) said.textContent = sentOf(still, request);
  if (at) at.textContent = capital(short(still.labels[request]));
}

function stripText(still, request) {
  if (!request) return "is the first";
  return `shares its first ${still.share[request]}% with the one before it${still.moved.has(request) ? ": its start changed" : ""}`;
}

// "× dropped"; a glyph that is already part of the word is not repeated.
const badge = (look) => (look.word.includes(look.glyph) ? look.word : `${look.glyph} ${look.word}`);

// The tooltip of a cell: {title, text, fate, why, action}; `action` is null if the message does not exist yet.
function cellWords(still, request, message, would) {
  const who = still.who[message] ? `, ${still.who[message]}` : "";
  const title = `Message ${count(message + 1)}${who}`;
  const when = `request ${count(request + 1)}, ${short(still.labels[request])}`;
  const action = still.actionAt(request, message);
  if (action === null) return { title, text: "", fate: `${when}: not said yet`, why: "", action };
  const fate = `${when}: ${would ? "would be " : ""}${badge(still.looks[action])}`;
  return { title, text: still.texts[message], fate, why: still.sentence(request, message), action };
}

function requestWords(still, request) {
  const title = `Request ${count(request + 1)}, ${still.labels[request]}`;
  const silent = silentTurns(still, still.starts.indexOf(request));
  const why = silent && `${silent.includes("–") ? "Turns" : "Turn"} ${silent} had no request.`;
  return { title, text: "", fate: `It ${stripText(still, request)}.`, why, action: null };
}

function fillTip(tip, words, colour) {
  const lines = [make("b", "", words.title)];
  if (words.text) lines.push(make("bdi", "said", `“${words.text}”`));
  lines.push(make("div", words.action === null ? "" : "fate", words.fate));
  if (words.why) lines.push(make("div", "", words.why));
  const answers = words.action !== null && document.querySelector(".st-key-answer"); // only the playground has a place for it
  if (answers) lines.push(make("div", "more", "Click to see since when, and what would change it."));
  tip.style.setProperty("--fate", colour);
  tip.replaceChildren(...lines);
}
