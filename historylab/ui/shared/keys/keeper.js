// Keeps the focus on the page. What had it may be gone or moved once the page is drawn anew, or can't be pressed any more,
// and a browser then begins again at the top; instead it goes to the place where that stood, or that a dialog was opened from.

const SETTLES_MS = 150;
const PLACES = "[class*=st-key-], [role=tabpanel], [data-testid=stSidebar]";

class Keeper {
  constructor(signal) {
    [this.trail, this.before, this.timer] = [[], [], 0]; // what had the focus and all around it; the same outside of dialogs
    [this.lostTrail, this.place] = [[], null]; // that of what was lost last, and where the focus went instead
    document.addEventListener("focusin", (event) => this.follow(event.target), { signal });
    const leave = (event) => (event.type === "pointerdown" || event.key === "Tab") && (this.trail = this.lostTrail = []); // of one's own will
    for (const type of ["pointerdown", "keydown"]) document.addEventListener(type, leave, { capture: true, signal });
    const watcher = new MutationObserver(() => this.look());
    watcher.observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
    signal.addEventListener("abort", () => (watcher.disconnect(), clearTimeout(this.timer)));
  }

  follow(element) {
    this.trail = [];
    if (element !== this.place) this.lostTrail = [];
    for (let at = element; at && at !== document.body; at = at.parentElement) this.trail.push(at);
    if (!element.closest("[role=dialog]")) this.before = this.trail;
  }

  get lost() {
    const [element] = this.trail;
    return element && (document.activeElement === document.body || element.disabled || !element.isConnected);
  }

  // Whether a place nearer to what was lost is drawn only now: Streamlit may draw it in a later run.
  get nearer() {
    const near = this.lostTrail.length > 0 && document.activeElement === this.place && around(this.lostTrail);
    return near && near !== this.place;
  }

  look() {
    if (!this.timer && (this.lost || this.nearer)) this.timer = setTimeout(() => this.bringBack(), SETTLES_MS);
  }

  bringBack() {
    this.timer = 0;
    const trail = this.nearer ? this.lostTrail : this.trail;
    if (trail === this.trail && !this.lost) return;
    const disabled = trail[0].disabled && document.activeElement === trail[0]; // the browser takes the focus at its next frame
    if (!disabled && document.activeElement !== (trail === this.trail ? document.body : this.place)) return;
    if (disabled || document.querySelector("[data-testid=stApp]:not([data-test-script-state=notRunning])")) return this.look();
    const headline = document.querySelector("h1");
    const same = drawnAnew(trail[0], headline);
    const place = same ?? around(trail) ?? around(this.before) ?? headline;
    if (!place) return;
    [this.lostTrail, this.place] = [same ? [] : trail, place];
    if (place.tabIndex < 0) place.tabIndex = -1;
    place.focus({ preventScroll: true });
    if (!onScreen(place)) place.scrollIntoView({ block: "nearest" });
  }
}

// The same button or field, where Streamlit made it anew.
function drawnAnew(element, headline) {
  if (element.localName === headline?.localName) return headline;
  const [name] = [...(element.closest(".stElementContainer")?.classList ?? [])].filter((one) => one.startsWith("st-key-"));
  return name && document.querySelector(`.${CSS.escape(name)} ${element.localName}:not(:disabled, [tabindex="-1"])`);
}

// What had the focus, if it only was moved or opened a dialog, or what is left of the places around it.
function around([element, ...more]) {
  const there = (one) => one.isConnected && one.checkVisibility() && one.offsetHeight > 0;
  if (element && there(element) && !element.disabled) return element;
  return more.filter((one) => one.matches(PLACES)).map(asItIsNow).find((one) => one && there(one));
}

// A place itself, or the one of its key where Streamlit made it anew.
function asItIsNow(place) {
  const key = [...place.classList].find((one) => one.startsWith("st-key-"));
  return place.isConnected || !key ? place : document.querySelector(`.${CSS.escape(key)}`);
}

function onScreen(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}
