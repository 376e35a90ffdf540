// The report follows the request that its maps show: sentence, counts, chart, list, and the answer about one message.

const reported = Number(document.body.dataset.request);
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const KEPT = 0, GONE = 3, SUMMARIZED = 3; // from GONE on, actions do not send

class Scene {
  constructor(element) {
    const map = element.querySelector("[data-view]");
    [this.element, this.map, this.letter] = [element, map, element.dataset.letter];
    this.view = JSON.parse(map.dataset.view);
    this.counts = new Map([...element.querySelectorAll("[data-count]")].map((b) => [b.dataset.count, b]));
    [this.said, this.answer] = [element.querySelector(".said"), element.querySelector(".answer")];
    this.veil = document.createElementNS("http://www.w3.org/2000/svg", "rect"); // over later bars, while it plays
    this.veil.classList.add("veil");
    element.querySelector(".chart .untrimmed").after(this.veil);
  }

  // The map takes the still picture's place once its bytes are unpacked.
  async mount() {
    for (const part of ["conversation", "timeline"]) {
      if (this.map.dataset[part]) keepTimeline({ data: bytesOf(this.map.dataset[part]) });
    }
    this.timeline = await kept.timelines.get(this.view.key);
    const host = document.createElement("div");
    this.root = host.attachShadow({ mode: "open" });
    this.root.append(document.getElementById("map").content.cloneNode(true));
    this.map.replaceChildren(host);
    this.draw();
  }

  draw(change = {}) {
    Object.assign(this.view, change);
    mountMap({ key: this.letter, data: this.view, parentElement: this.root, setTriggerValue: (_, look) => looked(look) });
  }

  show(request) {
    const at = Math.min(request, this.timeline.requests - 1), { counts, looks } = this.timeline;
    this.said.textContent = capital(valueText(this.timeline, at));
    for (const [action, look] of looks.entries()) {
      const number = this.counts.get(look.word);
      number.textContent = count(counts[at][action]);
      number.parentElement.classList.toggle("none", !counts[at][action]);
    }
    const { width, height } = this.element.querySelector(".chart svg").viewBox.baseVal, [left, right, below] = [56, 8, 26];
    const wide = (width - left - right) / this.timeline.requests, x = left + (at + 0.5) * wide;
    const later = { x: x + wide / 2, width: Math.max(0, width - right - x - wide / 2), height: height - below };
    for (const [name, value] of Object.entries(later)) this.veil.setAttribute(name, value);
    for (const line of this.element.querySelectorAll(".chart line.mark")) {
      line.setAttribute("x1", x);
      line.setAttribute("x2", x);
    }
    this.element.classList.toggle("elsewhere", request !== reported);
  }

  fate(request, message) {
    const at = Math.min(request, this.timeline.requests - 1), { timeline } = this;
    const action = message < timeline.messages ? timeline.actionAt(at, message) : null;
    if (action === null) return { words: "not said yet", why: "" };
    let since = at;
    while (since && timeline.actionAt(since - 1, message) === action) since--;
    const look = timeline.looks[action], then = action === KEPT ? "" : ` since ${timeline.labels[since]}`;
    return { look, words: `${look.word}${then}.`, why: timeline.sentence(at, message) };
  }
}

// The line about the summary that is sent: of the reported request's with its text, of any other that there is one.
class SentSummary {
  constructor(element) {
    const { letter, of, since, until } = element.dataset;
    Object.assign(this, { letter, of, since: Number(since), until: Number(until) });
    [this.held, this.other] = [element.querySelector("details"), element.querySelector("p")];
  }

  show(request) {
    const { timeline } = sceneOf(this.letter), at = Math.min(request, timeline.requests - 1);
    const same = at >= this.since && at < this.until, many = timeline.counts[at][SUMMARIZED];
    this.held?.classList.toggle("away", !same);
    this.other.classList.toggle("away", same || !many);
    this.other.textContent = `${this.of} summary of ${counted(many, "message")} is sent instead; its text is not in this file`;
  }
}

class List {
  constructor() {
    this.items = [...document.querySelectorAll("li[data-message]")].map((li) => {
      const number = li.querySelector(".number"), message = Number(li.dataset.message);
      const button = document.createElement("button");
      [button.type, button.textContent] = ["button", number.textContent];
      button.setAttribute("aria-label", `Message ${number.textContent}: why`);
      button.addEventListener("click", () => choose(message));
      number.replaceChildren(button);
      const decided = [...li.querySelectorAll("i[data-of]")].map((mark) => {
        return { of: mark.dataset.of, mark, why: li.querySelector(`.why[data-of="${mark.dataset.of}"]`), fate: null, words: null };
      });
      return { li, message, decided };
    });
    this.summaries = [...document.querySelectorAll(".made")].map((made) => new SentSummary(made));
  }

  // From the first move on, every row keeps a line for its reason; and runs that were lost alike are not so elsewhere.
  unfold() {
    document.body.classList.add("moved");
    for (const fold of document.querySelectorAll("li.fold")) fold.replaceWith(...fold.querySelectorAll("li[data-message]"));
  }

  show(request) {
    for (const summary of this.summaries) summary.show(request);
    if (request !== reported) this.moved = true;
    if (!this.moved) return;
    this.unfold();
    const now = new Map(scenes.map((scene) => {
      const { timeline } = scene, at = Math.min(request, timeline.requests - 1);
      return [scene.letter, { timeline, at, fates: timeline.fatesAt(at), words: new Map() }];
    }));
    for (const { li, message, decided } of this.items) {
      const changed = decided.map((one) => this.decide(one, now.get(one.of), message));
      if (!changed.includes(true)) continue;
      const actions = decided.map(({ of, fate }) => (fate ? sceneOf(of).timeline.codes[fate - 1] : null));
      const gone = actions.every((action) => action === null || action >= GONE);
      li.className = actions.every((action) => action === null) ? "later" : gone ? "gone" : "";
      li.classList.toggle("chosen", message === chosen);
    }
  }

  // Whether another action than before. A fate has the same words for all messages of a request.
  decide(one, { timeline, at, fates, words }, message) {
    const fate = fates[message] ?? 0, look = fate ? timeline.looks[timeline.codes[fate - 1]] : null;
    if (!words.has(fate)) words.set(fate, look ? `${look.word}. ${timeline.sentence(at, message)}` : "not said yet");
    if (fate !== one.fate) {
      one.mark.className = look?.word.replace(" ", "-") ?? "later";
      one.mark.textContent = look?.glyph ?? "";
      one.mark.title = look?.word ?? "not said yet";
    }
    if (words.get(fate) !== one.words) {
      one.why.replaceChildren(...(scenes.length > 1 ? [make("b", `letter ${one.of}`, one.of), " "] : []), words.get(fate));
      one.why.title = words.get(fate);
    }
    const changed = fate !== one.fate;
    [one.fate, one.words] = [fate, words.get(fate)];
    return changed;
  }

  choose(message) {
    this.unfold();
    for (const { li, message: is } of this.items) {
      li.classList.toggle("chosen", is === message);
      if (is !== message) continue;
      const list = li.closest("ol.messages");
      list.scrollTop = li.offsetTop - (list.clientHeight - Math.min(li.offsetHeight, list.clientHeight)) / 2;
    }
  }
}

const scenes = [...document.querySelectorAll(".scene")].map((element) => new Scene(element));
const sceneOf = (letter) => scenes.find((scene) => scene.letter === letter);
let chosen = null, list = null;

// What the map tells Python in the playground.
function looked({ request, message }) {
  if (message !== undefined && message !== null) chosen = message;
  for (const scene of scenes) scene.draw({ request, message: chosen });
  if (chosen !== null) list.choose(chosen);
  answer();
}

function choose(message) {
  chosen = message;
  for (const scene of scenes) scene.draw({ request: clock.now.request, message });
  list.choose(chosen);
  answer();
}

// Why the chosen message is sent or not, under every configuration, below the map.
function answer() {
  for (const scene of scenes) scene.answer.hidden = chosen === null;
  if (chosen === null) return;
  const { request } = clock.now;
  for (const scene of scenes) {
    const lines = scenes.map((one) => fateLine(one, one.fate(request, chosen)));
    const { who, texts } = scene.timeline;
    const title = make("b", "", `Message ${count(chosen + 1)}, ${who[chosen]}`);
    const close = make("button", "close", "×");
    [close.type, close.ariaLabel] = ["button", "Close the answer"];
    close.addEventListener("click", () => choose(null));
    const said = make("bdi", "", texts[chosen] ? `“${texts[chosen]}”` : "");
    scene.answer.ariaLive = clock.now.playing ? "off" : "polite";
    scene.answer.replaceChildren(title, close, ...lines, said);
  }
}

function fateLine(scene, { look, words, why }) {
  const line = make("div", "", "");
  if (scenes.length > 1) line.append(make("b", `letter ${scene.letter}`, scene.letter), " ");
  if (look) line.append(make("i", look.word.replace(" ", "-"), look.glyph), " ");
  line.append([words, why].filter(Boolean).join(" "));
  return line;
}

let drawing = 0;
function follow() {
  cancelAnimationFrame(drawing);
  drawing = requestAnimationFrame(() => {
    for (const scene of scenes) scene.show(clock.now.request);
    list.show(clock.now.request);
    answer();
  });
}

await Promise.all(scenes.map((scene) => scene.mount()));
list = new List();
document.body.classList.add("live");
clock.listen(follow);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => scenes.forEach((scene) => scene.draw()));
