// Draws the moving layer: the scrubber, the labels it must not cross, the selected message, the hovered cell, the strip's
// caption, the flags.

const CHANGED = "start changed", FLAG = "⚑";

function mark(canvas, still, frame, colours, { names, request, message, hover, starred, playing }) {
  const pen = clearedPen(canvas, frame.box);
  if (playing) {
    markNames(pen, colours, names);
    veil(pen, frame, colours, request);
  }
  if (hover) markHover(pen, frame, colours, hover);
  markStarred(pen, still, frame, colours, starred, request, playing);
  if (frame.shows(request)) markRequest(pen, frame, colours, request);
  if (!playing) markNames(pen, colours, names);
  if (message !== null && frame.holds(message)) markMessage(pen, frame, colours, message, request);
  markCaption(pen, still, frame, colours, request);
}

// While it plays, the map grows: what comes later is only a shadow.
function veil(pen, frame, colours, request) {
  const x = Math.max(LEFT, frame.x(request + 1)), wide = LEFT + frame.box.w - x;
  pen.fillStyle = colours.page;
  pen.globalAlpha = 0.93;
  pen.fillRect(x, TOP - 5, wide, frame.box.h + 6);
  pen.fillRect(x, frame.box.strip - 4, wide, STRIP + 5);
  pen.globalAlpha = 1;
}

function markHover(pen, frame, colours, { request, message }) {
  pen.fillStyle = colours.ink;
  pen.globalAlpha = 0.13;
  pen.fillRect(frame.x(request), TOP, Math.max(frame.wide, 1), frame.box.strip + STRIP - TOP);
  if (message !== null) pen.fillRect(LEFT, frame.y(message), frame.box.w, Math.max(frame.tall, 1));
  pen.globalAlpha = 1;
}

function markRequest(pen, frame, colours, request) {
  const { wide, box } = frame, x = frame.x(request + 0.5);
  pen.strokeStyle = colours.ink;
  if (wide >= 8) { // a frame around the column
    pen.lineWidth = 2;
    pen.strokeRect(frame.x(request) - 1, TOP - 1, wide + 1, box.h + 2);
    pen.strokeRect(frame.x(request) - 1, box.strip - 1, wide + 1, STRIP + 2);
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

function markNames(pen, colours, names) {
  write(pen, colours, 12, 600, "center", "middle");
  for (const { words, action, x, y } of names) {
    [pen.lineWidth, pen.lineJoin, pen.strokeStyle] = [5, "round", colours.looks[action].fill];
    pen.strokeText(words, x, y);
    pen.fillStyle = colours.looks[action].ink;
    pen.fillText(words, x, y);
  }
}

function markMessage(pen, frame, colours, message, request) {
  const y = frame.y(message + 0.5), half = Math.max(frame.tall / 2, 1.5);
  [pen.strokeStyle, pen.lineWidth] = [colours.ink, 1];
  pen.strokeRect(LEFT - 0.5, y - half - 0.5, frame.box.w + 1, 2 * half + 1);
  if (frame.shows(request)) {
    [pen.strokeStyle, pen.lineWidth, pen.fillStyle] = [colours.ink, 2, colours.page];
    pen.beginPath();
    pen.arc(frame.x(request + 0.5), y, 4.5, 0, 2 * Math.PI);
    pen.fill();
    pen.stroke();
  }
  write(pen, colours, 12, 600, "right", "middle");
  pen.fillStyle = colours.page; // over the number of the axis that would stand under it
  for (const [, at] of [[message, y], ...messageTicks(frame)]) if (Math.abs(at - y) < 14) pen.fillRect(0, at - 8, LEFT - 3, 16);
  pen.fillStyle = colours.ink;
  pen.fillText(count(message + 1), LEFT - 6, y);
}

// Must-remember messages: a flag at the end of the row, in the free margin; red from the request that lost it on.
function markStarred(pen, still, frame, colours, starred, request, playing) {
  const last = playing ? request + 1 : still.requests, thick = Math.max(2, Math.min(frame.tall, 6));
  for (const [message, gaps] of starred) {
    if (!frame.holds(message) || (playing && message >= still.said[request])) continue;
    const y = frame.y(message + 0.5);
    let lost = false;
    for (const [first, stop] of gaps) {
      lost ||= request >= first && request < stop;
      const [from, to] = [Math.max(first, frame.a), Math.min(stop, last, frame.b)];
      if (from >= to) continue;
      for (const [colour, rim] of [[colours.page, 1], [colours.alarm, 0]]) { // seen on any cell
        pen.fillStyle = colour;
        pen.fillRect(frame.x(from), y - thick / 2 - rim, frame.x(to) - frame.x(from), thick + 2 * rim);
      }
      if (from === first) flagAt(pen, colours, frame.x(from), y);
    }
    write(pen, colours, 12, 400, "left", "middle");
    pen.fillStyle = lost ? colours.alarm : colours.ink;
    pen.fillText(FLAG, LEFT + frame.box.w + 1, y);
  }
}

// The flag on a disc of the page's colour: readable on any cell.
function flagAt(pen, colours, x, y) {
  pen.fillStyle = colours.page;
  pen.beginPath();
  pen.arc(x, y, 8, 0, 2 * Math.PI);
  pen.fill();
  write(pen, colours, 12, 600, "center", "middle");
  pen.fillStyle = colours.alarm;
  pen.fillText(FLAG, x, y);
}

function markCaption(pen, still, frame, colours, request) {
  const { box } = frame, right = LEFT + box.w, middle = box.strip - CAPTION / 2;
  write(pen, colours, 12, 400, "left", "middle");
  const wide = (words) => pen.measureText(words).width, all = `This request ${stripText(still, request)}`;
  const words = wide(all) > box.w && request ? `First ${still.share[request]}% as before` : all, room = box.w - wide(words) - 20;
  pen.fillText(words, LEFT, middle, box.w);
  pen.textAlign = "right";
  if (!frame.whole) return markWindow(pen, still, frame, colours, room);
  if (!still.moved.size || pen.measureText(`${CHANGED} `).width > room) return;
  pen.fillText(CHANGED, right, middle);
  pen.fillStyle = colours.ink;
  pen.fillRect(right - pen.measureText(CHANGED).width - 7, middle - 4, 1.5, 8);
}

// Which part of the whole is on screen: in words, and as a thumb that can be dragged.
function markWindow(pen, still, frame, colours, room) {
  const { box, a, b } = frame, y = box.strip + STRIP + 4, words = windowText(still, frame);
  pen.fillStyle = colours.ink;
  if (pen.measureText(words).width <= room) pen.fillText(words, LEFT + box.w, box.strip - CAPTION / 2);
  pen.fillStyle = colours.soft;
  pen.fillRect(LEFT, y, box.w, 6);
  pen.fillStyle = colours.bar;
  pen.fillRect(LEFT + (box.w * a) / still.requests, y, Math.max(8, (box.w * (b - a)) / still.requests), 6);
}
