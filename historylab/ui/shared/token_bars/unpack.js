// The chart from the bytes packed by figures/token_chart.py.

async function unpack(bytes) {
  const [head, packed] = readHead(bytes);
  const chart = { ...(await unpacked(packed)), ...head };
  for (const kind of chart.kinds) kind.tokens = chart[kind.kind];
  chart.sent = chart.untrimmed.map((_, i) => chart.kinds.reduce((sum, { tokens }) => sum + tokens[i], 0));
  chart.points = chart.sent.length;
  return chart;
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
