// What Python sends: uint32 length of a header, the header (JSON), the rest. Deflated JSON to keep comes under a key; with
// what the list shows comes a bit for every message that the search found.

const MOST_KEPT = 8;
const kept = (globalThis.historylabKept ??= new Map()); // key → {promise, resolve}, the longest unused first

function unpack(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  return [JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))), bytes.subarray(4 + length)];
}

function entry(key) {
  let found = kept.get(key);
  if (!found) {
    found = { known: false };
    found.promise = new Promise((resolve) => (found.resolve = resolve));
  }
  kept.delete(key);
  kept.set(key, found);
  if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value);
  return found;
}

const wait = (key) => (key ? entry(key).promise : Promise.resolve(null));

function keep(key, deflated) {
  const found = entry(key);
  if (found.known) return;
  found.known = true;
  const stream = new Blob([deflated.slice()]).stream().pipeThrough(new DecompressionStream("deflate"));
  found.resolve(new Response(stream).json());
}
