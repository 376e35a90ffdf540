// The map as a picture: what is drawn, under the page's sentence and its legend. And the map on the whole screen.

const MARGIN = 20, PRESENT = "historylab:present"; // asked for by the page's keys

function savePicture({ base, marks, still, frame, colours, request }) {
  const canvas = document.createElement("canvas"), pen = canvas.getContext("2d"), scale = devicePixelRatio || 1;
  const wide = frame.box.width + 2 * MARGIN;
  write(pen, colours, 24, 600, "left", "alphabetic");
  const title = document.querySelector("h1")?.textContent ?? flagText(still, request);
  const lines = wrapped(pen, title, frame.box.width), top = MARGIN + lines.length * 30 + 46;
  [canvas.width, canvas.height] = [wide * scale, (top + frame.box.all + MARGIN) * scale];
  pen.scale(scale, scale);
  pen.fillStyle = colours.page;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  write(pen, colours, 24, 600, "left", "alphabetic");
  pen.fillStyle = colours.ink;
  lines.forEach((line, i) => pen.fillText(line, MARGIN, MARGIN + 24 + i * 30));
  paintLegend(pen, still, colours, request, top - 22);
  for (const layer of [base, marks]) pen.drawImage(layer, MARGIN, top, frame.box.width, frame.box.all);
  canvas.toBlob((blob) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `historylab-${still.name}-request-${request + 1}.png`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  });
}

function wrapped(pen, text, wide) {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (lines.at(-1) && pen.measureText(longer).width > wide) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

function paintLegend(pen, still, colours, request, y) {
  let x = MARGIN;
  still.looks.forEach((look, action) => {
    pen.fillStyle = colours.looks[action].fill;
    pen.fillRect(x, y - 9, 18, 18);
    write(pen, colours, 12, 400, "center", "middle");
    pen.fillStyle = colours.looks[action].ink;
    pen.fillText(look.glyph, x + 9, y + 0.5);
    write(pen, colours, 14, 400, "left", "middle");
    pen.fillStyle = colours.ink;
    const words = `${look.word} ${count(still.counts[request][action])}`;
    pen.fillText(words, x + 24, y + 0.5);
    x += 24 + pen.measureText(words).width + 18;
  });
}

const presents = () => document.documentElement.classList.contains("hl-present");

// On the whole screen as far as the browser allows; without, at least everything else leaves the page.
function present(on) {
  document.documentElement.classList.toggle("hl-present", on);
  if (on) document.documentElement.requestFullscreen?.().catch(() => {});
  else if (document.fullscreenElement) document.exitFullscreen();
  document.dispatchEvent(new CustomEvent(`${PRESENT}ed`));
}

globalThis.historylabPresents ??= (() => {
  document.addEventListener(PRESENT, () => present(!presents()));
  document.addEventListener("fullscreenchange", () => !document.fullscreenElement && presents() && present(false));
  document.addEventListener("keydown", (event) => event.key === "Escape" && presents() && present(false));
  return true;
})();
