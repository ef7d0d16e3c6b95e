// Marks draws the picked places and the measured distance over the picture.
class Marks {
  constructor(scene) {
    this.scene = scene;
    this.svg = document.getElementById("marks");
    this.places = []; // exact coordinates
    this.line = false; // the places are the ends of a distance
    this.shown = [];
  }

  // set replaces the places.
  set(places, line) {
    [this.places, this.line] = [places, line];
  }

  // update computes where the places are in the picture and draws them.
  update(transform, width, height) {
    this.shown = this.places.map((place) => {
      const p = [...localPlace(this.scene.settings, place), 1], row = (r) => p.reduce((sum, x, k) => sum + transform[4 * k + r] * x, 0), w = row(3);
      return w > 0 ? [(0.5 + 0.5 * row(0) / w) * width, (0.5 - 0.5 * row(1) / w) * height] : null;
    });
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const part = (tag, attributes) => {
      const e = document.createElementNS(this.svg.namespaceURI, tag);
      for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
      return e;
    };
    const parts = [], [a, b] = this.shown;
    if (this.line && a && b) for (const name of ["halo", "line"]) parts.push(part("line", { x1: a[0], y1: a[1], x2: b[0], y2: b[1], class: name }));
    this.shown.forEach((p, k) => {
      if (!p) return;
      parts.push(part("circle", { cx: p[0], cy: p[1], r: 7, class: "halo" }), part("circle", { cx: p[0], cy: p[1], r: 7, class: "line" }));
      if (!this.line) return;
      const text = part("text", { x: p[0] + 11, y: p[1] - 9 });
      text.textContent = "AB"[k];
      parts.push(text);
    });
    if (this.line && a && b) {
      const text = part("text", { x: (a[0] + b[0]) / 2 + 8, y: (a[1] + b[1]) / 2 - 8 });
      text.textContent = this.label();
      parts.push(text);
    }
    this.svg.replaceChildren(...parts);
  }

  label() {
    const [a, b] = this.places;
    return String(Number(Math.hypot(...a.map((x, k) => x - b[k])).toPrecision(6)));
  }

  // draw draws the marks into a saved picture.
  draw(ctx, ratio) {
    const scaled = this.shown.map((p) => p && p.map((x) => x * ratio)), [a, b] = scaled;
    ctx.lineCap = "round";
    for (const [tint, width] of [["#ffffff", 5], ["#111820", 2]]) {
      ctx.strokeStyle = tint;
      ctx.lineWidth = width * ratio;
      ctx.beginPath();
      if (this.line && a && b) { ctx.moveTo(...a); ctx.lineTo(...b); }
      for (const p of scaled) if (p) { ctx.moveTo(p[0] + 7 * ratio, p[1]); ctx.arc(p[0], p[1], 7 * ratio, 0, 7); }
      ctx.stroke();
    }
    if (!this.line || !a || !b) return;
    ctx.font = `600 ${14 * ratio}px system-ui, sans-serif`;
    const [x, y] = [(a[0] + b[0]) / 2 + 8 * ratio, (a[1] + b[1]) / 2 - 8 * ratio];
    ctx.lineWidth = 4 * ratio;
    ctx.strokeStyle = "#ffffff";
    ctx.strokeText(this.label(), x, y);
    ctx.fillStyle = "#111820";
    ctx.fillText(this.label(), x, y);
  }
}
