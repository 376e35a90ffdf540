// Draws bars, signs, axes, and the line of the request shown.

const TOP = 16, BOTTOM = 22, GAPS_FROM = 5, SIGN = 15, FAINT = 0.25;

// Where things are, in CSS pixels; from and to are the part of the requests on screen, 0 to 1.
function scales(chart, box, { from, to }) {
  const at = (request) => LEFT + ((request / chart.requests - from) / (to - from)) * box.w;
  const up = (tokens) => TOP + box.h * (1 - tokens / chart.top);
  return { x: at, y: (tokens) => Math.max(TOP, up(tokens)), unlimited: up };
}

function paint(canvas, chart, box, colours, now) {
  const pen = clearedPen(canvas, box), to = scales(chart, box, now);
  paintScale(pen, chart, box, colours, to);
  pen.save();
  pen.beginPath();
  pen.rect(LEFT - 1, 0, box.w + 2, box.all);
  pen.clip();
  paintBars(pen, chart, colours, to, now);
  paintUntrimmed(pen, chart, colours, to);
  paintSigns(pen, chart, colours, to, now);
  paintRequest(pen, chart, box, colours, to, now.request);
  pen.restore();
  paintTurns(pen, chart, box, colours, to);
}

function paintBars(pen, chart, colours, to, now) {
  const hatch = new Map(chart.kinds.filter((kind) => kind.texture).map((kind) => [kind, hatched(pen, colours, kind)]));
  const scale = devicePixelRatio || 1, snap = (x) => Math.round(x * scale) / scale; // no light between thin bars
  for (let i = 0; i < chart.points; i++) {
    const left = snap(to.x(edge(chart, i))), wide = snap(to.x(edge(chart, i + 1))) - left;
    if (left + wide < LEFT || left > LEFT + pen.canvas.width) continue;
    const gap = wide >= GAPS_FROM ? Math.min(3, wide * 0.14) : 0;
    pen.globalAlpha = now.playing && edge(chart, i) > now.request ? FAINT : 1;
    let below = 0;
    for (const kind of chart.kinds) {
      const tokens = kind.tokens[i];
      if (!tokens) continue;
      const low = to.y(below), high = to.y((below += tokens));
      pen.fillStyle = hatch.get(kind) ?? colours.fill(kind);
      pen.fillRect(left + gap / 2, high, Math.max(wide - gap, 1 / scale), low - high);
      if (gap && low - high > 3) { // kinds are shades of one hue: a line of the page between them
        pen.fillStyle = colours.page;
        pen.fillRect(left + gap / 2, high, wide - gap, 0.8);
      }
    }
    pen.fillStyle = colours.bar; // how much is sent is seen, whatever is on top
    pen.fillRect(left + gap / 2, to.y(below) - 1, Math.max(wide - gap, 1 / scale), 1);
  }
  pen.globalAlpha = 1;
}

function hatched(pen, colours, kind) {
  const tile = document.createElement("canvas"), SIZE = 6;
  [tile.width, tile.height] = [SIZE, SIZE];
  const on = tile.getContext("2d");
  on.fillStyle = colours.fill(kind);
  on.fillRect(0, 0, SIZE, SIZE);
  [on.strokeStyle, on.lineWidth, on.globalAlpha] = [colours.on(kind), 1, 0.45];
  for (const shift of [-SIZE, 0, SIZE]) {
    on.beginPath();
    on.moveTo(shift, SIZE);
    on.lineTo(shift + SIZE, 0);
    on.stroke();
  }
  return pen.createPattern(tile, "repeat");
}

function paintUntrimmed(pen, chart, colours, to) {
  pen.beginPath();
  chart.untrimmed.forEach((tokens, i) => pen.lineTo(to.x((edge(chart, i) + edge(chart, i + 1)) / 2), to.y(tokens)));
  [pen.strokeStyle, pen.lineWidth, pen.globalAlpha] = [colours.ink, 1.5, 0.7];
  pen.setLineDash([1.5, 3]);
  pen.stroke();
  pen.setLineDash([]);
  const beyond = chart.untrimmed.findIndex((tokens) => tokens > chart.top);
  if (beyond >= 0) paintBeyond(pen, chart, colours, to.x(edge(chart, beyond)));
  pen.globalAlpha = 1;
}

// Beside the place where it leaves the chart, how far up the untrimmed line goes.
function paintBeyond(pen, chart, colours, x) {
  const words = `${chart.whole} up to ${count(Math.max(...chart.untrimmed))} ↑`, wide = pen.canvas.clientWidth - RIGHT;
  [pen.font, pen.textAlign, pen.fillStyle] = [`400 12px ${colours.font}`, "left", colours.ink];
  pen.fillText(words, Math.max(LEFT, Math.min(x + 6, wide - pen.measureText(words).width)), TOP - 5);
}

// A Σ above every request with a new summary, a ! above every one over the budget; of signs too close, the first.
function paintSigns(pen, chart, colours, to, now) {
  pen.font = `600 14px ${colours.font}`;
  pen.textAlign = "center";
  const sign = (glyph, colour) => {
    let free = -SIGN;
    return (request, height) => {
      const x = to.x(request + 0.5);
      if (x - free < SIGN) return;
      free = x;
      [pen.strokeStyle, pen.lineWidth, pen.fillStyle] = [colours.page, 3, colour];
      pen.globalAlpha = now.playing && request > now.request ? FAINT : 1;
      for (const draw of ["strokeText", "fillText"]) pen[draw](glyph, x, Math.max(12, to.y(height) - 4));
    };
  };
  const made = sign("Σ", colours.ink);
  for (const [request] of chart.summaries) made(request, chart.sent[pointOf(chart, request)]);
  const over = sign(chart.alarm.glyph, colours.fill(chart.alarm));
  chart.sent.forEach((tokens, i) => {
    if (!chart.over[i]) return;
    const left = to.x(edge(chart, i)), y = to.y(tokens);
    pen.globalAlpha = now.playing && edge(chart, i) > now.request ? FAINT : 1;
    pen.fillStyle = colours.fill(chart.alarm);
    pen.fillRect(left, y - 3, Math.max(1, to.x(edge(chart, i + 1)) - left), 3);
    over((edge(chart, i) + edge(chart, i + 1) - 1) / 2, tokens);
  });
  pen.globalAlpha = 1;
}

function paintRequest(pen, chart, box, colours, to, request) {
  const x = to.x(request + 0.5), over = chart.over[pointOf(chart, request)];
  for (const [colour, wide] of [[colours.page, 4], [over ? colours.fill(chart.alarm) : colours.ink, 2]]) {
    pen.fillStyle = colour;
    pen.fillRect(x - wide / 2, TOP - 8, wide, box.h + 12);
  }
}

function paintScale(pen, chart, box, colours, to) {
  [pen.font, pen.textAlign, pen.textBaseline] = [`400 12px ${colours.font}`, "right", "middle"];
  const step = roundNumber(chart.top / 5);
  for (let tokens = 0; tokens <= chart.top * 0.99; tokens += step) {
    const y = Math.round(to.y(tokens)) + 0.5;
    [pen.fillStyle, pen.globalAlpha] = [colours.ink, 0.14];
    pen.fillRect(LEFT, y - 0.5, box.w, 1);
    pen.globalAlpha = 0.75;
    pen.fillText(short(tokens), LEFT - 6, y);
  }
  pen.textAlign = "left";
  pen.fillText("tokens", 0, 6);
  [pen.globalAlpha, pen.textBaseline] = [1, "alphabetic"];
}

function paintTurns(pen, chart, box, colours, to) {
  [pen.font, pen.textAlign, pen.fillStyle, pen.globalAlpha] = [`400 12px ${colours.font}`, "left", colours.ink, 0.75];
  let free = 0;
  for (const [request, name] of chart.ticks) {
    const x = to.x(request + 0.5), wide = pen.measureText(name).width;
    const at = Math.min(Math.max(x - wide / 2, LEFT), LEFT + box.w - wide);
    if (x < LEFT || x > LEFT + box.w || at < free) continue;
    pen.fillRect(Math.round(x), TOP + box.h + 1, 1, 4);
    pen.fillText(name, at, TOP + box.h + 17);
    free = at + wide + 10;
  }
  pen.globalAlpha = 1;
}

const short = (n) => (n >= 1e6 ? `${+(n / 1e6).toFixed(2)}M` : n >= 1000 ? `${+(n / 1000).toFixed(1)}k` : `${n}`);

// The smallest of 1, 2, 2.5, 5, 10, 20, 25, … that is not below n.
function roundNumber(n) {
  const size = 10 ** Math.floor(Math.log10(Math.max(n, 1)));
  return [1, 2, 2.5, 5, 10].find((times) => times * size >= n) * size;
}
