// While it plays, what a request no longer sends falls out of its column and takes on the look of what became of it.

const FALL_MS = 650, DEEP = 64, MOST_AT_ONCE = 6, NARROWEST = 14, SENT_IN_PART = 2;

class Falls {
  constructor(canvas) {
    [this.canvas, this.falling, this.waiting] = [canvas, [], 0];
  }

  // What request `before` still sent and request `now` does not.
  drop(still, frame, colours, before, now) {
    if (still_motion.matches) return;
    const [was, is] = [still.fatesAt(before), still.fatesAt(now)];
    const sent = (fate) => fate && still.codes[fate - 1] <= SENT_IN_PART;
    const [x, wide, since, found] = [frame.x(now), Math.max(frame.wide, NARROWEST), performance.now(), []];
    for (let m = frame.top; m < Math.min(frame.end, still.said[before]); m++) {
      if (!sent(was[m]) || sent(is[m])) continue;
      const first = m;
      while (m + 1 < frame.end && was[m + 1] === was[first] && is[m + 1] === is[first]) m++;
      const [from, to] = [was[first], is[first]].map((fate) => colours.looks[still.codes[fate - 1]]);
      const glyph = still.looks[still.codes[is[first] - 1]].glyph;
      const tall = Math.max((m + 1 - first) * frame.tall, 6);
      found.push({ x, y: frame.y(first), wide, tall, from, to, glyph, since });
    }
    const every = Math.ceil(found.length / MOST_AT_ONCE); // of many only some, or they would hide the map
    this.falling.push(...found.filter((_, i) => i % every === 0));
    this.waiting ||= requestAnimationFrame(() => this.paint(frame.box, colours));
  }

  paint(box, colours) {
    const pen = clearedPen(this.canvas, box), now = performance.now();
    this.waiting = 0;
    this.falling = this.falling.filter(({ since }) => now - since < FALL_MS);
    for (const { x, y, wide, tall, from, to, glyph, since } of this.falling) {
      const gone = (now - since) / FALL_MS, at = y + DEEP * gone * gone;
      pen.globalAlpha = 1 - gone * gone;
      pen.fillStyle = mix(from.fill, to.fill, Math.min(1, gone * 2));
      pen.fillRect(x, at, wide, tall);
      pen.strokeStyle = colours.page;
      pen.strokeRect(x - 0.5, at - 0.5, wide + 1, tall + 1);
      if (wide < NARROWEST || tall < NARROWEST) continue;
      write(pen, colours, 11, 600, "center", "middle");
      pen.fillStyle = gone < 0.5 ? from.ink : to.ink;
      pen.fillText(glyph, x + wide / 2, at + tall / 2);
    }
    if (this.falling.length) this.waiting = requestAnimationFrame(() => this.paint(box, colours));
  }
}
