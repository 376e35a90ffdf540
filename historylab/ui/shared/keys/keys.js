// The keys of a page: each presses what a mouse would press, so a page has the keys of what is on it and no others.
// They count wherever no text is typed, also while a closed choice, a button or the map has the focus.

const PRESENT = "historylab:present"; // heard by the component that can fill the screen
const SEARCH = ":is(.st-key-search, .st-key-library-search) input";
const KEYS = [
  { keys: ["O"], does: "Open a conversation", on: ".st-key-open-drawer button" },
  { keys: ["E"], does: "Export", on: ".st-key-export button, .st-key-export-these button" },
  { keys: ["S"], does: "Share a link", on: ".st-key-share button" },
  { keys: ["D"], does: "Debug: how this came about", on: ".st-key-side [role=tab]", called: "Debug", act: openTab },
  { keys: ["/"], does: "Search the messages", on: SEARCH, act: (input) => (input.focus(), input.select()) },
  { keys: ["M"], does: "To the map", on: "canvas.marks", act: (map) => map.focus() },
  { keys: ["A"], does: "To the answer", on: ".st-key-answer[tabindex]", act: (answer) => answer.focus() },
  { keys: ["L"], does: "To the list of messages", on: ".messages [role=listbox]", act: (list) => list.focus() },
  { keys: ["J"], does: "Next request", on: ".st-key-later button" },
  { keys: ["K"], does: "Previous request", on: ".st-key-earlier button" },
  { keys: ["]"], does: "Next loss", on: ".st-key-loss-after button" },
  { keys: ["["], does: "Previous loss", on: ".st-key-loss-before button" },
  { keys: ["Space"], does: "Play, or stop", on: "button.play", onlyFrom: "body, [role=slider]" },
  { keys: ["F"], does: "Full screen", on: "canvas.marks", act: () => document.dispatchEvent(new CustomEvent(PRESENT)) },
];
const HELD_BY_THE_PAGE = [
  { keys: ["Esc"], does: "Close what is open" },
  { keys: ["?"], does: "This sheet" },
];
const NOT_TEXT = ["button", "checkbox", "color", "file", "image", "radio", "range", "reset", "submit"];

// The page and what our components draw into roots of their own.
function* roots() {
  yield document;
  for (const host of document.querySelectorAll("[data-testid^=stBidiComponent], [data-testid^=stBidiComponent] *")) {
    if (host.shadowRoot) yield host.shadowRoot;
  }
}

function found(key) {
  for (const root of roots()) {
    const fits = (element) => element.checkVisibility() && (!key.called || element.textContent === key.called);
    const there = [...root.querySelectorAll(key.on)].find(fits);
    if (there) return there;
  }
}

function openTab(tab) {
  tab.click();
  tab.focus();
  tab.scrollIntoView({ block: "start" });
}

function typesText(element) {
  if (element.isContentEditable || element.localName === "textarea") return true;
  if (element.localName !== "input" || NOT_TEXT.includes(element.type)) return false;
  const closed = element.getAttribute("role") === "combobox" && element.getAttribute("aria-expanded") !== "true";
  return !closed || element.closest("[class*=st-key-typed-]") !== null; // a choice that also takes what is typed
}

// With Alt Gr some keyboards write [ and ].
const modified = (event) => (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState("AltGraph");

const dialogs = () => [...document.querySelectorAll("[role=dialog], dialog[open]")].filter((dialog) => dialog.checkVisibility());

function listen(sheet, signal) {
  const press = (event) => {
    const from = event.composedPath()[0];
    if (event.key === "Escape" && !event.isComposing && from.matches?.(SEARCH)) from.blur(); // letters are keys again
    if (modified(event) || event.isComposing || typesText(from)) return;
    const open = sheet.open || dialogs().at(-1);
    if (open && event.key === "Escape" && from === document.body) closeFrom(open); // its own Esc asks for the focus
    if (open) return;
    if (event.key === "?") return taken(event) || show(sheet);
    const name = event.key === " " ? "Space" : event.key.toUpperCase();
    const key = KEYS.find(({ keys }) => keys.includes(name));
    if (!key || (event.repeat && !"JK".includes(name)) || (key.onlyFrom && !from.matches(key.onlyFrom))) return;
    const there = found(key);
    if (!there) return;
    taken(event);
    (key.act ?? ((button) => button.click()))(there);
  };
  document.addEventListener("keydown", press, { capture: true, signal });
}

const closeFrom = (dialog) => dialog.querySelector?.("[aria-label=Close]")?.click();

function taken(event) {
  event.preventDefault();
  event.stopPropagation();
}

function show(sheet) {
  const rows = [...KEYS.filter(found), ...HELD_BY_THE_PAGE].flatMap(({ keys, does }) => {
    const [term, words] = [document.createElement("dt"), document.createElement("dd")];
    term.append(...keys.map((key) => Object.assign(document.createElement("kbd"), { textContent: key })));
    words.textContent = does;
    return [term, words];
  });
  sheet.querySelector(".list").replaceChildren(...rows);
  sheet.showModal();
}

class Keys {
  constructor(root, signal) {
    const sheet = root.querySelector(".sheet");
    listenTo(root.querySelector(".open"), signal, { click: () => show(sheet) });
    listenTo(sheet, signal, { click: (event) => event.target === sheet && sheet.close() });
    listen(sheet, signal);
    sheet.dataset.drawn = "";
    new Keeper(signal);
    this.places = new Places(signal);
  }

  receive({ place }) {
    this.places.at(place);
  }
}

export default drawnBy(Keys);
