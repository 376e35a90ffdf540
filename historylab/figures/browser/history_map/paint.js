// Draws the static layer: cells with their textures, axes, prefix strip; and finds where the areas are labelled.

const PINNED = 1;
const GLYPHS_FROM = 14, GAPS_FROM = 7, LINE = 2;

const asPixel = (hex) => ((255 << 24) | (rgb(hex)[2] << 16) | (rgb(hex)[1] << 8) | rgb(hex)[0]) >>> 0; // little endian

// Returns the labels of the areas, which stand over what moves.
function paint(canvas, still, frame, colours) {
  const { box } = frame, pen = clearedPen(canvas, box);
  const glyphs = frame.wide >= GLYPHS_FROM && frame.tall >= GLYPHS_FROM;
  const actionAt = paintCells(pen, still, frame, colours, !glyphs);
  paintThinLines(pen, still, frame, colours);
  if (glyphs) paintGlyphs(pen, still, frame, colours);
  paintAxes(pen, still, frame, colours);
  paintStrip(pen, still, frame, colours);
  return glyphs ? [] : areaNames(pen, still, box, colours, actionAt);
}

// Pixel by device pixel. Returns a lookup of the action at a point of the map, in CSS pixels; -1 where there is no message.
function paintCells(pen, still, frame, colours, textured) {
  const { box } = frame, scale = devicePixelRatio || 1, [w, h] = [Math.round(box.w * scale), Math.round(box.h * scale)];
  const [columns, rows] = [Math.min(frame.b - frame.a, w), Math.min(frame.end - frame.top, h)];
  const small = binned(still, frame, columns, rows);
  const action = Int8Array.from([-1, ...still.codes]);
  const tiles = still.looks.map((look, i) => tile(textured ? look.texture : "", colours.looks[i]));
  const rim = asPixel(colours.bar);
  const image = pen.createImageData(w, h);
  const pixels = new Uint32Array(image.data.buffer);
  const across = Int32Array.from({ length: w }, (_, x) => Math.floor((x * columns) / w));
  const inTile = Uint8Array.from({ length: w }, (_, x) => Math.floor(x / scale) % TILE);
  const gap = Math.round(scale);
  const gaps = Math.min(box.w / columns, box.h / rows) >= GAPS_FROM;
  for (let y = 0; y < h; y++) {
    const row = Math.floor((y * rows) / h), line = row * columns;
    if (gaps && Math.floor(((y + gap) * rows) / h) !== row) continue;
    const lowest = Math.floor(((y + gap) * rows) / h) !== row; // the cell's last line: its rim, if no cell is below
    const tileLine = (Math.floor(y / scale) % TILE) * TILE;
    for (let x = 0; x < w; x++) {
      const column = across[x], fate = small[line + column];
      if (!fate) continue;
      if (gaps && x + gap < w && across[x + gap] !== column) continue;
      const outer = (lowest && row + 1 < rows && !small[line + columns + column]) ||
        (column && !small[line + column - 1] && across[Math.max(0, x - gap)] !== column);
      pixels[y * w + x] = outer && !gaps ? rim : tiles[action[fate]][tileLine + inTile[x]];
    }
  }
  pen.putImageData(image, Math.round(LEFT * scale), Math.round(TOP * scale));
  return (x, y) => action[small[Math.floor((y * rows) / box.h) * columns + Math.floor((x * columns) / box.w)]];
}

// Colour is never the only cue: what is lost has a texture, each its own.
const TILE = 36; // pixels after which every texture repeats
const TEXTURES = {
  hatched: (x, y) => (x + y) % 9 < 2,
  ruled: (x, y) => y % 4 === 0,
  struck: (x, y) => (x + 8 * y) % 9 < 2,
  "": () => false,
};

function tile(texture, { fill, ink }) {
  const plain = asPixel(fill), tint = asPixel(mix(fill, ink, 0.3)), marked = TEXTURES[texture];
  return Uint32Array.from({ length: TILE * TILE }, (_, i) => (marked(i % TILE, Math.floor(i / TILE)) ? tint : plain));
}

// Pins and the newest message of every request are drawn as lines: in rows thinner than a pixel they would be lost.
function paintThinLines(pen, still, frame, colours) {
  if (frame.tall >= LINE) return;
  const thick = Math.max(LINE, frame.tall), wide = Math.max(frame.wide, 1);
  const line = (x, message, width) => pen.fillRect(x, Math.max(TOP, frame.y(message + 1) - thick), width, thick);
  for (let r = frame.a, look = null; r < frame.b; r++) {
    const its = colours.looks[still.codes[still.newest[r] - 1]];
    if (its !== look) pen.fillStyle = (look = its).fill; // reading a colour takes time
    line(frame.x(r), still.said[r] - 1, wide);
  }
  pen.fillStyle = colours.looks[PINNED].fill;
  still.fatesAt(still.requests - 1).forEach((fate, message) => {
    if (!fate || still.codes[fate - 1] !== PINNED || !frame.holds(message)) return;
    const x = frame.x(Math.max(frame.a, still.said.findIndex((size) => size > message)));
    line(x, message, LEFT + frame.box.w - x);
  });
}

// What is sent in full is quiet, its glyphs too.
function paintGlyphs(pen, still, frame, colours) {
  write(pen, colours, 12, 400, "center", "middle");
  const inks = still.looks.map((look, i) => mix(colours.looks[i].fill, colours.looks[i].ink, look.texture ? 1 : 0.45));
  for (let r = frame.a; r < frame.b; r++) {
    const fates = still.fatesAt(r);
    for (let m = frame.top; m < Math.min(frame.end, still.said[r]); m++) {
      const action = still.codes[fates[m] - 1];
      pen.fillStyle = inks[action];
      pen.fillText(still.looks[action].glyph, frame.x(r + 0.5) - 0.5, frame.y(m + 0.5));
    }
  }
}

// {words, action, x, y}: "× dropped" inside its area, where the label fits, as close to the centre as possible.
function areaNames(pen, still, box, colours, actionAt) {
  const STEP = 4, across = Math.floor(box.w / STEP), down = Math.floor(box.h / STEP);
  write(pen, colours, 12, 600, "center", "middle");
  const actions = Int8Array.from({ length: across * down }, (_, i) => actionAt(((i % across) + 0.5) * STEP, (Math.floor(i / across) + 0.5) * STEP));
  return still.looks.flatMap((look, action) => {
    if (!actions.includes(action)) return [];
    const words = badge(look);
    const wide = Math.ceil((pen.measureText(words).width + 12) / STEP), tall = Math.ceil(20 / STEP);
    const sums = new Int32Array((across + 1) * (down + 1));
    let [area, middleX, middleY] = [0, 0, 0];
    for (let y = 0; y < down; y++) {
      for (let x = 0, run = 0; x < across; x++) {
        const is = actions[y * across + x] === action ? 1 : 0;
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
        if (!best || off < best.off) best = { off, words, action, x: LEFT + (x + wide / 2) * STEP, y: TOP + (y + tall / 2) * STEP };
      }
    }
    return best ?? [];
  });
}

function paintAxes(pen, still, frame, colours) {
  const { box, wide } = frame;
  write(pen, colours, 12, 400, "right", "middle");
  for (const [message, y] of messageTicks(frame)) pen.fillText(count(message + 1), LEFT - 6, y);
  write(pen, colours, 12, 400, "left", "middle");
  pen.fillText("message", 0, 11);
  let free = 0;
  for (const { request, name, minor } of requestTicks(still, frame)) {
    const x = frame.x(request + 0.5), half = pen.measureText(name).width / 2;
    const at = Math.min(Math.max(x, LEFT + half), LEFT + box.w - half);
    if (!minor && at - half < free) continue;
    pen.fillStyle = colours.line;
    pen.fillRect(Math.round(x), TOP + box.h + 1, 1, minor ? 2 : 5);
    if (minor) continue;
    pen.fillStyle = colours.faint;
    pen.fillText(name, at - half, TOP + box.h + 13);
    free = at + half + 10;
  }
  pen.fillStyle = colours.alarm;
  for (const request of still.over) {
    if (frame.shows(request)) pen.fillRect(frame.x(request), TOP - 4, Math.max(1, wide - (wide > 4)), 3);
  }
}

function paintStrip(pen, still, { a, b, box }, colours) {
  const columns = Math.min(b - a, Math.floor(box.w)), wide = box.w / columns, gap = wide >= GAPS_FROM ? 1 : 0;
  pen.fillStyle = colours.soft;
  pen.fillRect(LEFT, box.strip, box.w, STRIP);
  for (let column = 0; column < columns; column++) {
    let [share, moved] = [100, false]; // of a bin the least that is shared
    for (let r = a + edge(column, b - a, columns); r < a + edge(column + 1, b - a, columns); r++) {
      share = Math.min(share, still.share[r]);
      moved ||= still.moved.has(r);
    }
    const tall = (STRIP * share) / 100;
    pen.fillStyle = colours.bar;
    pen.fillRect(LEFT + column * wide, box.strip + STRIP - tall, Math.max(wide - gap, 0.5), tall);
    if (!moved) continue;
    pen.fillStyle = colours.ink;
    pen.fillRect(LEFT + (column + 0.5) * wide - 0.75, box.strip - 3, 1.5, 8);
  }
}

function write(pen, colours, size, weight, align, baseline) {
  pen.font = `${weight} ${size}px ${colours.font}`;
  [pen.textAlign, pen.textBaseline, pen.fillStyle] = [align, baseline, colours.faint];
}
