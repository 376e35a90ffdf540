// Unpacks the bytes packed by figures/retention_map.py, which documents their layout.

const known = new Map(); // key → promise of the part that depends on the timeline alone
const MOST_KNOWN = 4;

async function unpack(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const now = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  if (!known.has(now.key)) {
    known.set(now.key, inflate(bytes.slice(4 + length)).then(readStill));
    if (known.size > MOST_KNOWN) known.delete(known.keys().next().value);
  }
  return { now, still: await known.get(now.key) };
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function readStill(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const still = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const rest = bytes.subarray(4 + length);
  still.newest = rest.subarray(0, still.columns);
  still.cells = rest.subarray(still.columns);
  still.moved = new Set(still.moved);
  return still;
}

// Bins of nearly equal size, as in retention_grid.bin_edges: bin i of n holds the items from edge(i) up to edge(i + 1).
const edge = (i, count, bins) => Math.floor((i * count) / bins);
const binOf = (item, count, bins) => Math.floor(((item + 1) * bins - 1) / count);

// Downsample to a smaller grid: each bin takes its worst cell. Bytes are ordered from the best fate to the worst.
function reduce(cells, rows, columns, height, width) {
  if (rows === height && columns === width) return cells;
  const small = new Uint8Array(height * width);
  const at = Int32Array.from({ length: columns }, (_, c) => binOf(c, columns, width));
  for (let r = 0; r < rows; r++) {
    const line = binOf(r, rows, height) * width;
    for (let c = 0, i = r * columns; c < columns; c++, i++) {
      if (cells[i] > small[line + at[c]]) small[line + at[c]] = cells[i];
    }
  }
  return small;
}
