// Colors of points: by state, by a number, or by a text.

const numberStops = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"]; // viridis
const signedStops = ["#0b2f7d", "#1f77e0", "#9fb4cf", "#f2b45a", "#e07b00", "#8a4a00"]; // negative is inside, as in the colors of states
const textColors = ["#1f77e0", "#e89a1c", "#12a86b", "#d03c78", "#a855f7", "#8c6d31", "#17a2b8", "#e5484d", "#5c7d3a", "#5b6ee1"];
const otherColor = "#98a1ac"; // missing values, and texts beyond the list of colors

// mix returns a color between stops. t is from 0 to 1.
function mix(stops, t) {
  const x = Math.max(0, Math.min(1, t)) * (stops.length - 1), i = Math.min(stops.length - 2, Math.floor(x)), f = x - i;
  return stops[i].map((v, k) => v + f * (stops[i + 1][k] - v));
}

// range returns the range of colors of the numbers for which shown(i) is true. If a hundredth of the numbers at one end makes
// the range more than four times as wide, the range ends before them, and the legend says so.
function range(data, signed, shown = () => true) {
  const step = Math.max(1, Math.floor(data.length / 50000)), sorted = [];
  let lo = Infinity, hi = -Infinity;
  for (let i = 0; i < data.length; i++) {
    const x = data[i];
    if (!Number.isFinite(x) || !shown(i)) continue;
    if (x < lo) lo = x;
    if (x > hi) hi = x;
    if (i % step === 0) sorted.push(x);
  }
  if (lo > hi) return null;
  const out = { lo, hi, below: false, above: false };
  sorted.sort((a, b) => a - b);
  const first = sorted[Math.floor(0.01 * (sorted.length - 1))], last = sorted[Math.ceil(0.99 * (sorted.length - 1))];
  if (sorted.length >= 100 && last > first && hi - lo > 4 * (last - first)) {
    Object.assign(out, { lo: first, hi: last, below: lo < first, above: hi > last });
  }
  if (signed) { // the color of 0 is in the middle
    const most = Math.max(-out.lo, out.hi);
    Object.assign(out, { lo: -most, hi: most });
  }
  if (out.lo === out.hi) { // a constant has the color in the middle
    const rim = Math.abs(out.lo) / 2 || 1;
    Object.assign(out, { lo: out.lo - rim, hi: out.hi + rim });
  }
  return out;
}

// ticks returns three to six round numbers in a range.
function ticks(lo, hi) {
  const rough = (hi - lo) / 4, power = 10 ** Math.floor(Math.log10(rough)), out = [];
  const step = power * [1, 2, 5, 10].find((m) => m * power >= 0.75 * rough);
  for (let i = Math.ceil(lo / step - 1e-9); i * step <= hi + 1e-9 * step && out.length < 9; i++) out.push(i * step);
  return { step, list: out };
}

// tickTexts returns short texts of ticks that differ from each other.
function tickTexts({ step, list }) {
  const most = Math.max(...list.map(Math.abs));
  if (most >= 1e6 || most < 1e-3) return list.map((x) => x === 0 ? "0" : Number(x.toPrecision(Math.max(1, Math.min(15, Math.ceil(Math.log10(most / step)) + 1)))).toExponential().replace("e+", "e"));
  return list.map((x) => (x + 0).toFixed(Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)))).replace(/^-(0\.?0*)$/, "$1"));
}

// textOf returns the text of a value of a channel.
function textOf(channel, value) {
  if (channel.kind !== "text") return Number.isNaN(value) ? "no number" : String(value);
  if (value >= 0) return channel.words[value];
  if (value === -1) return "none";
  return channel.key === "body" ? "uncertain" : "not stored";
}

// colorPoints returns three bytes for each point, and a legend of the visible points. sides has the visible
// states. The legend is null for states, because the
// table of states has their colors. It has either stops and a range, or a list of items.
function colorPoints(scene, channel, sides) {
  const n = scene.sides.length, out = new Uint8Array(3 * n);
  const put = (i, c) => { out[3 * i] = c[0]; out[3 * i + 1] = c[1]; out[3 * i + 2] = c[2]; };
  const byte = (hex) => color(hex).map((x) => Math.round(255 * x));
  if (channel.kind === "state") {
    const tints = scene.settings.sides.map(byte);
    for (let i = 0; i < n; i++) put(i, tints[scene.sides[i]]);
    return { colors: out, legend: null };
  }
  const other = byte(otherColor);
  if (channel.kind === "text") {
    const counts = new Map();
    let all = 0;
    channel.data.forEach((x, i) => { if (sides[scene.sides[i]]) { all++; counts.set(x, (counts.get(x) || 0) + 1); } });
    const order = [...counts].filter(([x]) => x >= 0).sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, textColors.length);
    const tints = new Map(order.map(([x], k) => [x, byte(textColors[k])]));
    for (let i = 0; i < n; i++) put(i, tints.get(channel.data[i]) || other);
    const items = order.map(([x, count], k) => ({ color: textColors[k], name: textOf(channel, x), count }));
    const rest = all - items.reduce((sum, item) => sum + item.count, 0);
    const listed = new Set(order.map(([x]) => x)), others = [...counts.keys()].some((x) => x !== -1 && !listed.has(x));
    const name = channel.key === "body" ? "none or uncertain" : others ? "other or missing" : "missing";
    if (rest) items.push({ color: otherColor, name, count: rest });
    return { colors: out, legend: { name: channel.name, items } };
  }
  const span = range(channel.data, channel.kind === "signed", (i) => sides[scene.sides[i]]);
  if (!span) return { colors: out.fill(160), legend: { name: channel.name, items: [{ color: otherColor, name: "no finite value", count: "" }] } };
  const stops = (channel.kind === "signed" ? signedStops : numberStops).map(byte);
  const table = Array.from({ length: 257 }, (_, k) => mix(stops, k / 256).map(Math.round));
  let missing = 0;
  for (let i = 0; i < n; i++) {
    const t = (channel.data[i] - span.lo) / (span.hi - span.lo);
    if (t !== t && sides[scene.sides[i]]) missing++;
    put(i, t !== t ? other : table[Math.round(256 * Math.max(0, Math.min(1, t)))]);
  }
  return { colors: out, legend: { name: channel.name, stops, ...span, missing } };
}
