// The chart's texts: numbers and the names of kinds. Set as textContent only.

function swatch(colours, look) {
  const made = make("i", look.texture);
  made.style.setProperty("--kind", colours.fill(look));
  made.style.setProperty("--dash", colours.on(look));
  return made;
}

function fillLegend(legend, chart, colours) {
  const entries = chart.kinds.filter((kind) => kind.drawn).map((kind) => [swatch(colours, kind), kind.word]);
  entries.push([make("i", "dotted"), chart.whole]);
  legend.replaceChildren(...entries.map((entry) => make("span", "", entry)));
}

// The tooltip of a point; `label` is its turn, if the map has said so already.
function fillTip(tip, chart, colours, point, label) {
  const [first, after, request] = [edge(chart, point), edge(chart, point + 1), chart.shown[point]];
  const of = after - first > 1 ? `, the largest of ${count(first + 1)}–${count(after)}` : "";
  const lines = make("dl");
  const line = (mark, word, tokens, kind = "") => lines.append(make("dt", kind, [mark, word]), make("dd", kind, count(tokens)));
  for (const kind of chart.kinds.toReversed()) if (kind.tokens[point]) line(swatch(colours, kind), kind.word, kind.tokens[point]);
  line("", "sent", chart.sent[point], "all");
  line("", chart.whole, chart.untrimmed[point]);
  const rest = [make("b", "", `Request ${count(request + 1)}${label ? `, ${label}` : ""}${of}`), lines];
  if (chart.over[point]) rest.push(make("div", "", `${chart.alarm.glyph} ${count(chart.over[point])} over the budget`));
  for (const [made, covers, tokens] of chart.summaries) {
    if (made < first || made >= after) continue;
    rest.push(make("div", "", `Σ new summary: ${counted(covers, "message")} in ${counted(tokens, "token")}`));
  }
  tip.replaceChildren(...rest);
}

function budgetWords(chart, budget) {
  const net = Math.max(0, budget - chart.aside);
  const said = `${chart.limit} ${count(budget)}`;
  return chart.aside ? `${said}: ${count(net)} and ${count(budget - net)} set aside` : said;
}

function budgetHint(chart) {
  if (chart.limit !== "budget") return `The ${chart.limit}: ${count(chart.budget)} tokens.`;
  const aside = chart.aside ? ` ${count(chart.aside)} of it are the reserve, hatched above the line.` : "";
  const how = chart.locked
    ? `It is ${chart.locked}, so it can’t be dragged.`
    : "Drag it to try another one. By keyboard, use Budget in the settings.";
  return `The budget: ${count(chart.budget)} tokens.${aside} ${how}`;
}

// As Python's whole_percent.
const percent = (share) =>
  share > 0 && share < 0.005 ? "<1%" : share >= 0.995 && share < 1 ? ">99%" : `${Math.round(100 * share)}%`;

// The bar by kind in the verdict, which stands on the page and says how wide a token is: its parts at this request.
function fillKinds(chart, point) {
  for (const used of document.querySelectorAll(`[data-used="${chart.key}"]`)) {
    used.textContent = shortCount(chart.sent[point]);
    used.previousElementSibling.hidden = !chart.over[point]; // the sign of it
    used.parentElement.classList.toggle("hl-over", chart.over[point]);
  }
  for (const share of document.querySelectorAll(`[data-share="${chart.key}"]`)) {
    share.textContent = percent(chart.sent[point] / share.dataset.limit);
  }
  for (const bar of document.querySelectorAll(`[data-kinds="${chart.key}"]`)) {
    const free = Math.max(0, bar.dataset.limit - chart.sent[point] - chart.aside);
    const now = new Map(chart.kinds.map(({ kind, tokens }) => [kind, tokens[point]])).set("free", free);
    for (const part of bar.querySelectorAll("[data-kind]")) {
      if (now.has(part.dataset.kind)) part.style.width = `${(100 * now.get(part.dataset.kind)) / bar.dataset.scale}%`;
    }
    const words = new Map(chart.kinds.map(({ kind, word }) => [kind, word])), drawn = bar.querySelector("[role=img]");
    drawn.title = [...now].filter(([, tokens]) => tokens).map(([kind, tokens]) => `${words.get(kind) ?? kind} ${count(tokens)}`).join(", ");
    drawn.ariaLabel = `Tokens by kind: ${drawn.title}`;
  }
}
