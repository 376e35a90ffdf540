// Reads what figures/packing.py packs, which documents the layout.

// The head, and what follows it.
function readHead(bytes) {
  const after = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  return [JSON.parse(new TextDecoder().decode(bytes.subarray(4, after))), bytes.subarray(after)];
}

// What follows a head: the words, with the arrays under their names.
async function unpacked(bytes) {
  const [words, planes] = readHead(await inflate(bytes));
  return readArrays(words, planes);
}

function readArrays({ arrays, ...part }, bytes) {
  let at = 0;
  for (const [name, length, width, steps] of arrays) {
    const array = (part[name] = new Uint32Array(length));
    array.set(bytes.subarray(at, (at += length)));
    for (let plane = 1; plane < width; plane++) {
      for (let i = 0; i < length; i++) array[i] |= bytes[at++] << (8 * plane);
    }
    for (let i = 0, sum = 0; steps && i < length; i++) array[i] = sum += array[i] & 1 ? -(array[i] + 1) / 2 : array[i] / 2;
  }
  return part;
}

// Through its reader, all within one task: as a Blob or a Response it would wait for others between several of them.
async function inflate(bytes) {
  const { writable, readable } = new DecompressionStream("deflate"), given = writable.getWriter(), parts = [];
  given.write(bytes);
  given.close();
  for (let reader = readable.getReader(), read; !(read = await reader.read()).done; ) parts.push(read.value);
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  parts.reduce((at, part) => (whole.set(part, at), at + part.length), 0);
  return whole;
}
