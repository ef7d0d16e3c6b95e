// Page connects the controls with the picture.
class Page {
  constructor() {
    this.canvas = document.getElementById("canvas");
    this.scene = readScene();
    this.camera = new Camera(this.scene.settings.fit, this.scene.settings.up);
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.pointers = new Map();
    this.connect();
  }

  // start prepares WebGL. A message replaces the picture if the browser has no WebGL 2.
  start() {
    let gl = null;
    try {
      gl = this.canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
      this.painter = gl && new Painter(gl, this.scene);
    } catch (err) {
      this.painter = null;
      document.documentElement.dataset.error = String(err);
    }
    if (!this.painter) {
      this.fail("This browser does not support WebGL 2, which the 3D picture needs. The tables and the slice work without WebGL 2.");
      return;
    }
    this.paint();
  }

  fail(text) {
    const message = document.getElementById("message");
    message.textContent = text;
    message.hidden = false;
    for (const id of ["canvas", "axes", "buttons", "help"]) document.getElementById(id).style.display = "none";
    document.documentElement.dataset.ready = "tables";
  }

  // show returns the state of the controls.
  show() {
    const on = (id) => { const e = document.getElementById(id); return Boolean(e && e.checked); };
    const show = {
      mesh: on("show-mesh"), slice: on("show-slice"), box: on("show-box"),
      opacity: document.getElementById("opacity").value / 100, sides: [0, 0, 0, 0], layers: {},
      background: this.dark.matches ? color("#10141a") : color("#f5f7fa"),
      ink: this.dark.matches ? [0.75, 0.8, 0.88] : [0.25, 0.3, 0.38],
    };
    for (const e of document.querySelectorAll("[data-side]")) show.sides[e.dataset.side] = e.checked ? 1 : 0;
    for (const e of document.querySelectorAll("[data-layer]")) show.layers[e.dataset.layer] = e.checked;
    return show;
  }

  // update schedules drawing for the next frame.
  update() {
    if (!this.painter || this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.paint(); });
  }

  paint() {
    const ratio = Math.min(2, window.devicePixelRatio || 1), c = this.canvas;
    const width = Math.max(1, Math.round(c.clientWidth * ratio)), height = Math.max(1, Math.round(c.clientHeight * ratio));
    if (c.width !== width || c.height !== height) [c.width, c.height] = [width, height];
    this.painter.draw(this.camera, this.show(), width, height, ratio);
    this.drawAxes();
    const root = document.documentElement, gl = this.painter.gl, error = gl.getError();
    if (error) root.dataset.error = "WebGL error " + error;
    const [uncertain, out, surface, inside] = this.scene.counts;
    Object.assign(root.dataset, { in: inside, out, on: surface, uncertain, triangles: this.scene.faces.length / 3, ready: "yes" });
  }

  // drawAxes draws the directions of the axes.
  drawAxes() {
    const [x, y, z] = this.camera.axes(), parts = [];
    ["x", "y", "z"].forEach((name, k) => {
      const unit = [0, 0, 0];
      unit[k] = 1;
      parts.push([dot(z, unit), name, 36 * dot(x, unit), -36 * dot(y, unit), ["#e5484d", "#2fa35b", "#3b82f6"][k]]);
    });
    parts.sort((a, b) => a[0] - b[0]); // the nearest axis is drawn last
    document.getElementById("axes").innerHTML = parts.map(([, name, px, py, c]) =>
      `<line x1="0" y1="0" x2="${0.78 * px}" y2="${0.78 * py}" stroke="${c}"/><text x="${px * 1.08}" y="${py * 1.08}" fill="${c}">${name}</text>`).join("");
    document.getElementById("up").textContent = "xyz"[this.camera.up] + "↑";
  }

  // find moves the camera to the next defect of a kind. It skips defects that are already in view, such as
  // the other edges of the same hole.
  find(key) {
    const layer = this.scene.layers.find((l) => l.key === key), n = layer.edges ? 2 : 3, count = layer.data.length / (3 * n);
    const middle = (i) => [0, 1, 2].map((k) => { let sum = 0; for (let c = 0; c < n; c++) sum += layer.data[3 * (n * i + c) + k]; return sum / n; });
    const last = this.found && this.found.key === key ? this.found : { index: -1, place: [Infinity, 0, 0], radius: 0 };
    let index = (last.index + 1) % count;
    for (let tries = 0; tries < count; tries++, index = (index + 1) % count) {
      const p = middle(index);
      if (!(Math.hypot(p[0] - last.place[0], p[1] - last.place[1], p[2] - last.place[2]) < last.radius)) break;
    }
    const place = middle(index);
    let size = 0;
    for (let c = 0; c < n; c++) size = Math.max(size, Math.hypot(...[0, 1, 2].map((k) => layer.data[3 * (n * index + c) + k] - place[k])));
    this.found = { key, index, place, radius: Math.min(0.4 * this.camera.radius, 12 * size) };
    this.camera.look([...place], this.found.radius);
    for (const e of document.querySelectorAll(`[data-layer="${key}"]`)) e.checked = true;
    const { center, scale } = this.scene.settings;
    document.getElementById("place").textContent =
      `${layer.name}: number ${index + 1}, near ${place.map((x, k) => "xyz"[k] + " " + Number((x * scale + center[k]).toPrecision(6))).join(", ")}`;
    this.update();
  }

  zoom(factor) { this.camera.scale(factor); this.update(); }
  reset() { this.camera.reset(); this.update(); }
  nextUp() { this.camera.up = this.camera.up === 2 ? 1 : 2; this.update(); }
  aspect() { return this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight); }

  connect() {
    const click = (id, f) => document.getElementById(id).addEventListener("click", f);
    click("zoom-in", () => this.zoom(1.25));
    click("zoom-out", () => this.zoom(0.8));
    click("reset", () => this.reset());
    click("up", () => this.nextUp());
    for (const e of document.querySelectorAll("[data-find]")) e.addEventListener("click", () => { if (this.painter) this.find(e.dataset.find); });
    for (const e of document.querySelectorAll("input")) e.addEventListener("input", () => this.update());
    this.dark.addEventListener("change", () => this.update());
    // Drawing before the browser shows the frame keeps the picture from being stretched.
    new ResizeObserver(() => { if (this.painter) this.paint(); }).observe(this.canvas);
    const c = this.canvas;
    c.addEventListener("pointerdown", (e) => { c.setPointerCapture(e.pointerId); this.pointers.set(e.pointerId, [e.clientX, e.clientY]); });
    for (const end of ["pointerup", "pointercancel"]) c.addEventListener(end, (e) => this.pointers.delete(e.pointerId));
    c.addEventListener("pointermove", (e) => this.drag(e));
    c.addEventListener("wheel", (e) => { e.preventDefault(); this.zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0015))); }, { passive: false });
    c.addEventListener("dblclick", () => this.reset());
    c.addEventListener("contextmenu", (e) => e.preventDefault());
    c.addEventListener("keydown", (e) => this.key(e));
    c.addEventListener("webglcontextlost", (e) => { e.preventDefault(); this.painter = null; });
    c.addEventListener("webglcontextrestored", () => this.start());
  }

  // drag rotates with one pointer, and moves and zooms with two pointers.
  drag(e) {
    const last = this.pointers.get(e.pointerId);
    if (!last) return;
    const dx = e.clientX - last[0], dy = e.clientY - last[1], height = this.canvas.clientHeight;
    if (this.pointers.size === 1) {
      if (e.shiftKey || e.buttons & 6) this.camera.move(dx / height, dy / height, this.aspect());
      else this.camera.turn(dx * 0.008, dy * 0.008);
    } else if (this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== e.pointerId)[1];
      const before = Math.hypot(last[0] - other[0], last[1] - other[1]), after = Math.hypot(e.clientX - other[0], e.clientY - other[1]);
      if (before > 0) this.camera.scale(after / before);
      this.camera.move(dx / 2 / height, dy / 2 / height, this.aspect()); // the middle of two pointers moves half as far
    }
    this.pointers.set(e.pointerId, [e.clientX, e.clientY]);
    this.update();
  }

  key(e) {
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }, a = arrows[e.key];
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (a && e.shiftKey) this.camera.move(a[0] * 0.05, a[1] * 0.05, this.aspect());
    else if (a) this.camera.turn(a[0] * 0.12, a[1] * 0.12);
    else if (e.key === "+" || e.key === "=") this.camera.scale(1.25);
    else if (e.key === "-" || e.key === "_") this.camera.scale(0.8);
    else if (e.key === "0" || e.key === "Home") this.camera.reset();
    else if (e.key === "u") this.camera.up = this.camera.up === 2 ? 1 : 2;
    else return;
    e.preventDefault();
    this.update();
  }
}

const image = document.getElementById("slice-image"), begin = () => new Page().start();
if (image && !image.complete) for (const event of ["load", "error"]) image.addEventListener(event, begin, { once: true });
else begin();
