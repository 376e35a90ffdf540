// Unpacks the bytes packed by figures/token_chart.py, which documents their layout.

async function unpack(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const chart = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const stream = new Blob([bytes.slice(4 + length)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const rows = readRows(planes, chart.kinds.length + 2);
  chart.untrimmed = rows.pop();
  chart.sent = rows.pop();
  chart.kinds.forEach((kind, i) => { kind.tokens = rows[i]; });
  chart.points = chart.sent.length;
  let at = 0;
  chart.shown = chart.shown.length ? chart.shown.map((step) => (at += step)) : Array.from(chart.sent, (_, i) => i);
  return chart;
}

function readRows(planes, count) {
  const values = planes.length / 4, points = values / count;
  return Array.from({ length: count }, (_, row) => {
    let sum = 0;
    return Float64Array.from({ length: points }, (_, i) => {
      const at = row * points + i;
      const byte = (plane) => planes[plane * values + at];
      return (sum += byte(0) | (byte(1) << 8) | (byte(2) << 16) | (byte(3) << 24));
    });
  });
}

// Point i of n stands for the requests from edge(i) up to edge(i + 1), in bins like numpy's array_split.
function edge(chart, i) {
  const small = Math.floor(chart.requests / chart.points), larger = chart.requests % chart.points;
  return i * small + Math.min(i, larger);
}

function pointOf(chart, request) {
  const small = Math.floor(chart.requests / chart.points), larger = chart.requests % chart.points;
  const inLarger = larger * (small + 1);
  return request < inLarger ? Math.floor(request / (small + 1)) : larger + Math.floor((request - inLarger) / small);
}
