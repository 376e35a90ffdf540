// What all components that draw share: each is made once for its element and ends with it, and writes texts and numbers.

// A component: `new Drawing(root, signal)`, which is given what to draw by `receive(data, send)` until the signal aborts.
// A call that another overtook while their script was loading is ended by Streamlit only after that other one was made.
function drawnBy(Drawing) {
  const drawn = new WeakMap(); // element → what is drawn in it
  return ({ data, parentElement, setTriggerValue }) => {
    if (!drawn.has(parentElement)) {
      const end = new AbortController();
      drawn.set(parentElement, { end, drawing: new Drawing(parentElement, end.signal), calls: 0 });
    }
    const mine = drawn.get(parentElement), call = ++mine.calls;
    mine.drawing.receive(data, setTriggerValue);
    return () => {
      if (call !== mine.calls) return;
      mine.end.abort();
      drawn.delete(parentElement);
    };
  };
}

// acts: type of event → what it does.
function listenTo(element, signal, acts) {
  for (const [type, act] of Object.entries(acts)) element.addEventListener(type, act, { signal });
}

function watchSize(element, signal, act) {
  const watcher = new ResizeObserver(act);
  watcher.observe(element);
  signal.addEventListener("abort", () => watcher.disconnect());
}

// make("div", "kind", "text" or [children]). What a message says is only ever set as text.
function make(tag, kind = "", inside = "") {
  const element = document.createElement(tag);
  if (kind) element.className = kind;
  if (Array.isArray(inside)) element.append(...inside);
  else element.textContent = inside;
  return element;
}

// Text of a stranger's: its direction stays its own.
const theirs = (tag, kind, text) => Object.assign(make(tag, kind, text), { dir: "auto" });

const count = new Intl.NumberFormat("en").format; // made once: making it takes longer than its work
const counted = (n, noun) => `${count(n)} ${noun}${n === 1 ? "" : "s"}`;

// "685", "1.2k", "46k", "1.3M": as Python's short_count.
function shortCount(n) {
  const [value, unit] = n >= 999_500 ? [n / 1e6, "M"] : n >= 1000 ? [n / 1000, "k"] : [n, ""];
  return (unit && value < 9.95 ? `${+value.toFixed(1)}` : count(Math.round(value))) + unit;
}
