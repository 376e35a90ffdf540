// Draws the moving layer: the scrubber, the selected message, the hovered cell, the strip's caption, the flags.

const CHANGED = "beginning changed", FLAG = "⚑";

function mark(canvas, still, box, colours, scale, { request, message, hover, starred }) {
  canvas.width = Math.round(box.width * scale);
  canvas.height = Math.round(box.all * scale);
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  if (hover) markHover(pen, still, box, colours, hover);
  markStarred(pen, still, box, colours, starred);
  markRequest(pen, still, box, colours, request);
  if (message !== null) markMessage(pen, still, box, colours, message, request);
  markCaption(pen, still, box, colours, request);
}

function markHover(pen, still, box, colours, { row, column }) {
  const [wide, tall] = [box.w / still.columns, box.h / still.rows];
  pen.fillStyle = colours.ink;
  pen.globalAlpha = 0.13;
  pen.fillRect(LEFT + column * wide, TOP, Math.max(wide, 1), box.strip + STRIP - TOP);
  if (row !== null) pen.fillRect(LEFT, TOP + row * tall, box.w, Math.max(tall, 1));
  pen.globalAlpha = 1;
}

function markRequest(pen, still, box, colours, request) {
  const wide = box.w / still.requests, x = LEFT + (request + 0.5) * wide;
  pen.strokeStyle = colours.ink;
  if (wide >= 8) { // a frame around the column
    pen.lineWidth = 2;
    pen.strokeRect(LEFT + request * wide - 1, TOP - 1, wide + 1, box.h + 2);
    pen.strokeRect(LEFT + request * wide - 1, box.strip - 1, wide + 1, STRIP + 2);
    return;
  }
  for (const [colour, width] of [[colours.page, 4], [colours.ink, 2]]) {
    [pen.strokeStyle, pen.lineWidth] = [colour, width];
    pen.beginPath();
    pen.moveTo(x, TOP - 5);
    pen.lineTo(x, TOP + box.h + 5);
    pen.moveTo(x, box.strip - 3);
    pen.lineTo(x, box.strip + STRIP);
    pen.stroke();
  }
}

function markMessage(pen, still, box, colours, message, request) {
  const row = binOf(message, still.messages, still.rows), tall = box.h / still.rows;
  const y = TOP + (row + 0.5) * tall, half = Math.max(tall / 2, 1.5);
  [pen.strokeStyle, pen.lineWidth] = [colours.ink, 1];
  pen.strokeRect(LEFT - 0.5, y - half - 0.5, box.w + 1, 2 * half + 1);
  const x = LEFT + ((request + 0.5) * box.w) / still.requests;
  [pen.strokeStyle, pen.lineWidth, pen.fillStyle] = [colours.ink, 2, colours.page];
  pen.beginPath();
  pen.arc(x, y, 4.5, 0, 2 * Math.PI);
  pen.fill();
  pen.stroke();
  write(pen, colours, 12, 600, "right", "middle");
  const number = count(message + 1);
  pen.fillStyle = colours.page;
  pen.fillRect(0, y - 8, LEFT - 3, 16);
  pen.fillStyle = colours.ink;
  pen.fillText(number, LEFT - 6, y);
}

// Must-remember messages: a flag at the end of the row, in the free margin.
function markStarred(pen, still, box, colours, starred) {
  write(pen, colours, 12, 400, "left", "middle");
  pen.fillStyle = colours.ink;
  const rows = new Set(starred.map((message) => binOf(message, still.messages, still.rows)));
  for (const row of rows) pen.fillText(FLAG, LEFT + box.w + 1, TOP + ((row + 0.5) * box.h) / still.rows);
}

function markCaption(pen, still, box, colours, request) {
  write(pen, colours, 12, 400, "left", "middle");
  const words = `This request ${stripText(still, request)}`;
  pen.fillText(words, LEFT, box.strip - CAPTION / 2, box.w);
  if (!still.moved.size || pen.measureText(`${words} ${CHANGED} `).width + 20 > box.w) return;
  pen.textAlign = "right";
  pen.fillText(CHANGED, LEFT + box.w, box.strip - CAPTION / 2);
  pen.fillStyle = colours.ink;
  pen.fillRect(LEFT + box.w - pen.measureText(CHANGED).width - 7, box.strip - CAPTION / 2 - 4, 1.5, 8);
}
