// The chart's texts: numbers and the names of kinds. Set as textContent only.

function element(tag, kind, text) {
  const made = document.createElement(tag);
  made.className = kind;
  made.textContent = text;
  return made;
}

function swatch(colours, look) {
  const made = element("i", look.texture, "");
  made.style.setProperty("--kind", colours.fill(look));
  made.style.setProperty("--dash", colours.on(look));
  return made;
}

function fillLegend(legend, chart, colours) {
  const entries = chart.kinds.map((kind) => [swatch(colours, kind), kind.word]);
  entries.push([element("i", "dotted", ""), "untrimmed"]);
  legend.replaceChildren(
    ...entries.map(([mark, word]) => {
      const entry = element("span", "", "");
      entry.append(mark, word);
      return entry;
    }),
  );
}

// The tooltip of a point; `label` is its turn, if the map has said so already.
function fillTip(tip, chart, colours, point, label) {
  const [first, after, request] = [edge(chart, point), edge(chart, point + 1), chart.shown[point]];
  const of = after - first > 1 ? `, the largest of ${count(first + 1)}–${count(after)}` : "";
  const lines = element("dl", "", "");
  const line = (mark, word, tokens, kind = "") => {
    const name = element("dt", kind, "");
    name.append(mark, word);
    lines.append(name, element("dd", kind, count(tokens)));
  };
  for (const kind of chart.kinds.toReversed()) if (kind.tokens[point]) line(swatch(colours, kind), kind.word, kind.tokens[point]);
  line("", "sent", chart.sent[point], "all");
  line("", "untrimmed", chart.untrimmed[point]);
  const rest = [element("b", "", `Request ${count(request + 1)}${label ? `, ${label}` : ""}${of}`), lines];
  if (chart.sent[point] > chart.net) {
    rest.push(element("div", "", `${chart.alarm.glyph} ${count(chart.sent[point] - chart.net)} over the budget`));
  }
  for (const [made, covers, tokens] of chart.summaries) {
    if (made < first || made >= after) continue;
    rest.push(element("div", "", `Σ new summary: ${count(covers)} message${covers === 1 ? "" : "s"} in ${count(tokens)} tokens`));
  }
  tip.replaceChildren(...rest);
}

function budgetWords(chart, budget) {
  const net = Math.max(0, budget - chart.aside);
  return chart.aside ? `budget ${count(budget)}: ${count(net)} and ${count(budget - net)} set aside` : `budget ${count(budget)}`;
}

function budgetHint(chart) {
  const aside = chart.aside ? ` ${count(chart.aside)} of it are the reserve and the overhead, hatched above the line.` : "";
  const how = chart.locked
    ? `It is ${chart.locked}, so it can’t be dragged.`
    : "Drag it to try another one. By keyboard, use Budget in the settings.";
  return `The budget: ${count(chart.budget)} tokens.${aside} ${how}`;
}

// The bar by kind in the verdict, which stands on the page: its shares and numbers at this request.
function fillKinds(chart, point) {
  for (const bar of document.querySelectorAll("[data-kinds]")) {
    const whole = Number(bar.dataset.kinds) || chart.sent[point];
    for (const { kind, tokens } of chart.kinds) {
      for (const part of bar.querySelectorAll(`[data-kind="${kind}"]`)) {
        part.style.width = `${(100 * tokens[point]) / whole}%`;
      }
      for (const said of bar.querySelectorAll(`[data-kind-tokens="${kind}"]`)) said.textContent = count(tokens[point]);
    }
  }
}
