// What map and chart have in common: the margins, so that the requests of both line up, the page's colours, the tooltip.

const LEFT = 48, RIGHT = 12, CLICK_PX = 4;

function palette(host) {
  const style = getComputedStyle(host), probe = document.createElement("canvas").getContext("2d");
  const hex = (name, otherwise) => {
    probe.fillStyle = otherwise;
    probe.fillStyle = style.getPropertyValue(name).trim() || otherwise;
    return probe.fillStyle;
  };
  const page = hex("--st-background-color", "#ffffff"), ink = hex("--st-text-color", "#222222");
  const dark = rgb(page).reduce((sum, part) => sum + part) < 382;
  const fill = (look) => (dark ? look.dark : look.light), on = (look) => (dark ? look.onDark : look.onLight);
  return { page, ink, fill, on, faint: mix(page, ink, 0.7), line: mix(page, ink, 0.2), soft: mix(page, ink, 0.07),
    bar: mix(page, ink, 0.42), alarm: hex("--hl-alarm", dark ? "#FF8A80" : "#B3261E"), font: style.fontFamily };
}

const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

const mix = (a, b, share) =>
  "#" + rgb(a).map((part, i) => Math.round(part + (rgb(b)[i] - part) * share).toString(16).padStart(2, "0")).join("");

// The canvas at the size of the box, empty; its pen draws in CSS pixels.
function clearedPen(canvas, box) {
  const scale = devicePixelRatio || 1, pen = canvas.getContext("2d");
  [canvas.width, canvas.height] = [Math.round(box.width * scale), Math.round(box.all * scale)];
  pen.scale(scale, scale);
  return pen;
}

// Beside the pointer, within the box.
function placeTip(tip, box, x, y) {
  tip.hidden = false;
  const { offsetWidth: wide, offsetHeight: tall } = tip, beside = x + 16 + wide > box.width ? x - 16 - wide : x + 16;
  tip.style.left = `${Math.max(0, Math.min(beside, box.width - wide))}px`;
  tip.style.top = `${Math.min(y + 14, Math.max(0, box.all - tall))}px`;
}
