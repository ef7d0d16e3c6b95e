// Legends of colors, in the panel and in saved pictures.

function add(parent, tag, text, name) {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  if (name) e.className = name;
  parent.append(e);
  return e;
}

// drawBar draws a color bar with ticks. stops are colors from 0 to 255 with an optional opacity.
function drawBar(ctx, x, y, width, { stops, lo, hi, below, above, marks }, ink, checker) {
  const height = 12, at = (v) => x + width * (v - lo) / (hi - lo);
  if (checker) {
    ctx.fillStyle = checker;
    ctx.fillRect(x, y, width, height);
  }
  const gradient = ctx.createLinearGradient(x, 0, x + width, 0);
  stops.forEach((c, k) => gradient.addColorStop(k / (stops.length - 1), `rgba(${c[0]},${c[1]},${c[2]},${(c[3] ?? 255) / 255})`));
  ctx.fillStyle = gradient;
  ctx.fillRect(x, y, width, height);
  ctx.fillStyle = ink;
  ctx.textBaseline = "top";
  ctx.font = "12px system-ui, sans-serif";
  const found = marks || ticks(lo, hi), texts = tickTexts(found), last = found.list.length - 1;
  let end = -Infinity;
  found.list.forEach((v, k) => {
    ctx.fillRect(Math.round(at(v)) - 0.5, y + height, 1, 4);
    const text = (below && k === 0 ? "≤ " : above && k === last ? "≥ " : "") + texts[k], half = ctx.measureText(text).width / 2;
    const middle = Math.max(x - 14 + half, Math.min(x + width + 14 - half, at(v)));
    if (middle - half < end + 6) return; // the texts would overlap
    ctx.textAlign = "center";
    ctx.fillText(text, middle, y + height + 6);
    end = middle + half;
  });
}

// barCanvas returns a canvas with a color bar.
function barCanvas(bar, ink, width, checker) {
  const canvas = document.createElement("canvas"), ratio = Math.max(1, window.devicePixelRatio || 1);
  canvas.className = "scale";
  [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(32 * ratio)];
  const ctx = canvas.getContext("2d");
  ctx.scale(ratio, ratio);
  drawBar(ctx, 14, 0, width - 28, bar, ink, checker);
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `color bar from ${tickTexts({ step: (bar.hi - bar.lo) / 100, list: [bar.lo, bar.hi] }).join(" to ")}`);
  return canvas;
}

const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

// showLegend replaces the content of an element by a legend of points.
function showLegend(parent, legend, ink) {
  parent.replaceChildren();
  if (!legend) return;
  if (legend.stops) {
    parent.append(barCanvas(legend, ink, 318));
    if (legend.missing) add(parent, "p", `${grouped(legend.missing)} without a value`, "sub").prepend(dot12(otherColor));
    return;
  }
  const list = add(parent, "ul");
  for (const item of legend.items) {
    const row = add(list, "li");
    row.append(dot12(item.color));
    add(row, "span", item.name === "" ? "(empty)" : item.name, "name");
    add(row, "span", grouped(item.count), "count");
  }
}

function dot12(hex) {
  const e = document.createElement("i");
  e.style.background = hex; // a script can set a style that the policy forbids in text
  return e;
}
