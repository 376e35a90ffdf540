// Draws the static layer: cells with their textures, axes, labels of the areas, prefix strip.

const PINNED = 1;
const LEFT = 48, RIGHT = 12; // the token chart's margins, so that the requests of both line up
const TOP = 26, AXIS = 22, CAPTION = 20, STRIP = 26, BELOW = 3;
const TALLEST = 340, SHORTEST = 110, ROW = 16, NARROW = 520;
const GLYPHS_FROM = 14, GAPS_FROM = 5, LINE = 2;

function layout(still, width) {
  const tallest = width < NARROW ? TALLEST - 60 : TALLEST;
  const height = Math.max(SHORTEST, Math.min(tallest, still.rows * ROW));
  const strip = TOP + height + AXIS + CAPTION;
  return { width, w: width - LEFT - RIGHT, h: height, strip, all: strip + STRIP + BELOW };
}

function palette(host, still) {
  const style = getComputedStyle(host);
  const hex = (name, otherwise) => {
    const probe = document.createElement("canvas").getContext("2d");
    probe.fillStyle = otherwise;
    probe.fillStyle = style.getPropertyValue(name).trim() || otherwise;
    return probe.fillStyle;
  };
  const page = hex("--st-background-color", "#ffffff");
  const dark = rgb(page).reduce((sum, part) => sum + part) < 382;
  const looks = still.looks.map((look) => ({ fill: dark ? look.dark : look.light, ink: dark ? look.onDark : look.onLight }));
  const ink = hex("--st-text-color", "#222222");
  return { page, dark, looks, ink, faint: mix(page, ink, 0.62), line: mix(page, ink, 0.2), soft: mix(page, ink, 0.07),
    bar: mix(page, ink, 0.42), alarm: hex("--hl-alarm", dark ? "#FF8A80" : "#B3261E"), font: style.fontFamily };
}

const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

const mix = (a, b, share) =>
  "#" + rgb(a).map((part, i) => Math.round(part + (rgb(b)[i] - part) * share).toString(16).padStart(2, "0")).join("");

const asPixel = (hex) => ((255 << 24) | (rgb(hex)[2] << 16) | (rgb(hex)[1] << 8) | rgb(hex)[0]) >>> 0; // little endian

function paint(canvas, still, box, colours, scale) {
  canvas.width = Math.round(box.width * scale);
  canvas.height = Math.round(box.all * scale);
  const pen = canvas.getContext("2d");
  const glyphs = box.w / still.columns >= GLYPHS_FROM && box.h / still.rows >= GLYPHS_FROM;
  const actionAt = paintCells(pen, still, box, colours, scale, !glyphs);
  pen.scale(scale, scale);
  paintThinLines(pen, still, box, colours);
  if (glyphs) paintGlyphs(pen, still, box, colours);
  else paintNames(pen, still, box, colours, actionAt);
  paintAxes(pen, still, box, colours);
  paintStrip(pen, still, box, colours);
}

// Pixel by device pixel. Returns a lookup of the action at a point of the map, in CSS pixels; -1 where there is no message.
function paintCells(pen, still, box, colours, scale, textured) {
  const [w, h] = [Math.round(box.w * scale), Math.round(box.h * scale)];
  const [columns, rows] = [Math.min(still.columns, w), Math.min(still.rows, h)];
  const small = reduce(still.cells, still.rows, still.columns, rows, columns);
  const action = Int8Array.from([-1, ...still.codes]);
  const fill = colours.looks.map((look) => asPixel(look.fill));
  const tint = colours.looks.map((look) => asPixel(mix(look.fill, look.ink, 0.3)));
  const texture = still.looks.map((look) => TEXTURES[look.texture]);
  const rim = asPixel(colours.bar);
  const image = pen.createImageData(w, h);
  const pixels = new Uint32Array(image.data.buffer);
  const across = Int32Array.from({ length: w }, (_, x) => Math.floor((x * columns) / w));
  const gap = Math.round(scale);
  const gaps = Math.min(box.w / columns, box.h / rows) >= GAPS_FROM;
  for (let y = 0; y < h; y++) {
    const row = Math.floor((y * rows) / h), line = row * columns;
    if (gaps && Math.floor(((y + gap) * rows) / h) !== row) continue;
    const lowest = Math.floor(((y + gap) * rows) / h) !== row; // the cell's last line: its rim, if no cell is below
    const py = Math.floor(y / scale);
    for (let x = 0; x < w; x++) {
      const column = across[x], fate = small[line + column];
      if (!fate) continue;
      if (gaps && x + gap < w && across[x + gap] !== column) continue;
      const a = action[fate], px = Math.floor(x / scale);
      const outer = (lowest && row + 1 < rows && !small[line + columns + column]) ||
        (column && !small[line + column - 1] && across[Math.max(0, x - gap)] !== column);
      pixels[y * w + x] = outer && !gaps ? rim : textured && texture[a](px, py) ? tint[a] : fill[a];
    }
  }
  pen.putImageData(image, Math.round(LEFT * scale), Math.round(TOP * scale));
  return (x, y) => action[small[Math.floor((y * rows) / box.h) * columns + Math.floor((x * columns) / box.w)]];
}

// Colour is never the only cue: summarised cells are hatched, dropped ones dotted.
const TEXTURES = {
  hatched: (x, y) => (x + y) % 9 < 2,
  ruled: (x, y) => y % 4 === 0,
  dotted: (x, y) => x % 6 === 0 && y % 6 === 0,
  "": () => false,
};

// Pins and the newest message of every request are drawn as lines: in rows thinner than a pixel they would be lost.
function paintThinLines(pen, still, box, colours) {
  const tall = box.h / still.rows;
  if (tall >= LINE && still.rows === still.messages) return;
  const thick = Math.max(LINE, tall), wide = box.w / still.columns;
  still.newest.forEach((fate, column) => {
    const request = edge(column + 1, still.requests, still.columns) - 1;
    const row = binOf(still.said[request] - 1, still.messages, still.rows);
    pen.fillStyle = colours.looks[still.codes[fate - 1]].fill;
    pen.fillRect(LEFT + column * wide, TOP + Math.max(0, (row + 1) * tall - thick), Math.max(wide, 1), thick);
  });
  pen.fillStyle = colours.looks[PINNED].fill;
  for (const [row, column] of still.pins) {
    pen.fillRect(LEFT + column * wide, TOP + row * tall, box.w - column * wide, thick);
  }
}

function paintGlyphs(pen, still, box, colours) {
  const [wide, tall] = [box.w / still.columns, box.h / still.rows];
  write(pen, colours, 11, 400, "center", "middle");
  still.cells.forEach((fate, i) => {
    if (!fate) return;
    const action = still.codes[fate - 1];
    const [row, column] = [Math.floor(i / still.columns), i % still.columns];
    pen.fillStyle = colours.looks[action].ink;
    pen.fillText(still.looks[action].glyph, LEFT + (column + 0.5) * wide - 0.5, TOP + (row + 0.5) * tall);
  });
}

// "× dropped" inside its area: where the label fits, as close to the centre as possible.
function paintNames(pen, still, box, colours, actionAt) {
  const STEP = 4, across = Math.floor(box.w / STEP), down = Math.floor(box.h / STEP);
  write(pen, colours, 12, 600, "center", "middle");
  still.looks.forEach((look, action) => {
    const words = badge(look);
    const wide = Math.ceil((pen.measureText(words).width + 12) / STEP), tall = Math.ceil(20 / STEP);
    const sums = new Int32Array((across + 1) * (down + 1));
    let [area, middleX, middleY] = [0, 0, 0];
    for (let y = 0; y < down; y++) {
      for (let x = 0, run = 0; x < across; x++) {
        const is = actionAt((x + 0.5) * STEP, (y + 0.5) * STEP) === action ? 1 : 0;
        [area, middleX, middleY] = [area + is, middleX + is * x, middleY + is * y];
        sums[(y + 1) * (across + 1) + x + 1] = sums[y * (across + 1) + x + 1] + (run += is);
      }
    }
    let best = null;
    for (let y = 0; y + tall <= down; y++) {
      for (let x = 0; x + wide <= across; x++) {
        const at = (dy, dx) => sums[(y + dy) * (across + 1) + x + dx];
        if (at(tall, wide) - at(0, wide) - at(tall, 0) + at(0, 0) < wide * tall) continue;
        const off = Math.abs(x + wide / 2 - middleX / area) + Math.abs(y + tall / 2 - middleY / area);
        if (!best || off < best.off) best = { off, x: (x + wide / 2) * STEP, y: (y + tall / 2) * STEP };
      }
    }
    if (!best) return;
    [pen.lineWidth, pen.lineJoin, pen.strokeStyle] = [5, "round", colours.looks[action].fill];
    pen.strokeText(words, LEFT + best.x, TOP + best.y);
    pen.fillStyle = colours.looks[action].ink;
    pen.fillText(words, LEFT + best.x, TOP + best.y);
  });
}

function paintAxes(pen, still, box, colours) {
  const tall = box.h / still.messages, wide = box.w / still.requests;
  write(pen, colours, 12, 400, "right", "middle");
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((n) => n * tall >= 34) ?? 10_000;
  for (let m = 1; m <= still.messages; m = m === 1 && step > 1 ? step : m + step) {
    if (m === 1 || (m - 1) * tall >= 14) pen.fillText(count(m), LEFT - 6, TOP + (m - 0.5) * tall);
  }
  write(pen, colours, 12, 400, "left", "middle");
  pen.fillText("message", 0, 11);
  let free = 0;
  for (const [request, name] of still.ticks) {
    const x = LEFT + (request + 0.5) * wide, half = pen.measureText(name).width / 2;
    const at = Math.min(Math.max(x, LEFT + half), LEFT + box.w - half);
    if (at - half < free) continue;
    pen.fillStyle = colours.line;
    pen.fillRect(Math.round(x), TOP + box.h + 1, 1, 4);
    pen.fillStyle = colours.faint;
    pen.fillText(name, at - half, TOP + box.h + 13);
    free = at + half + 10;
  }
  pen.fillStyle = colours.alarm;
  for (const request of still.over) pen.fillRect(LEFT + request * wide, TOP - 4, Math.max(1, wide - (wide > 4)), 3);
}

function paintStrip(pen, still, box, colours) {
  const wide = box.w / still.columns, gap = wide >= GAPS_FROM ? 1 : 0;
  pen.fillStyle = colours.soft;
  pen.fillRect(LEFT, box.strip, box.w, STRIP);
  pen.fillStyle = colours.bar;
  still.share.forEach((share, column) => {
    const tall = (STRIP * share) / 100;
    pen.fillRect(LEFT + column * wide, box.strip + STRIP - tall, Math.max(wide - gap, 0.5), tall);
  });
  pen.fillStyle = colours.ink;
  for (const column of still.moved) pen.fillRect(LEFT + (column + 0.5) * wide - 0.75, box.strip - 3, 1.5, 8);
}

function write(pen, colours, size, weight, align, baseline) {
  pen.font = `${weight} ${size}px ${colours.font}`;
  [pen.textAlign, pen.textBaseline, pen.fillStyle] = [align, baseline, colours.faint];
}
