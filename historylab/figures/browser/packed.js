// Unpacks what figures/packing.py packed, which documents the layout.

function readJson(bytes, at) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true);
  return [JSON.parse(new TextDecoder().decode(bytes.subarray(at + 4, at + 4 + length))), at + 4 + length];
}

// What follows the head: the words, with the arrays under their names.
async function unpacked(bytes, at) {
  const plain = await inflate(bytes.slice(at));
  const [words, from] = readJson(plain, 0);
  return readArrays(words, plain, from);
}

function readArrays({ arrays, ...part }, bytes, at) {
  for (const [name, length, width, steps] of arrays) {
    const array = (part[name] = new Uint32Array(length));
    for (let plane = 0; plane < width; plane++) {
      for (let i = 0; i < length; i++) array[i] |= bytes[at++] << (8 * plane);
    }
    for (let i = 0, sum = 0; steps && i < length; i++) array[i] = sum += array[i] & 1 ? -(array[i] + 1) / 2 : array[i] / 2;
  }
  return part;
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
