const smooth = 30; // milliseconds for one picture while moving

// Page connects the controls with the picture.
class Page {
  constructor() {
    this.canvas = document.getElementById("canvas");
    this.scene = readScene();
    this.camera = new Camera(this.scene.settings.fit, this.scene.settings.up);
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.pointers = new Map();
    this.pace = new Pace(smooth);
    this.marks = new Marks(this.scene);
    this.measured = []; // [text, exact coordinates]
    this.picked = null; // exact coordinates
    fillColors(this.scene);
    this.bodies = new Bodies(this.scene, () => { this.facesChanged(); this.update(); });
    this.fragment = new Fragment([...document.querySelectorAll("[data-keep]")]);
    this.slices = new Slices(this.scene, document.getElementById("slice-image"), () => { this.sliceMoved = true; this.update(); });
    this.info = new Info(this.scene, () => this.unpick());
    this.restore();
    this.connect();
    this.showFigure();
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
    this.painter.setColors(this.colors);
    this.facesChanged();
    this.sliceMoved = true;
    this.paint();
  }

  fail(text) {
    const message = document.getElementById("message");
    message.textContent = text;
    message.hidden = false;
    for (const id of ["canvas", "axes", "buttons", "help", "thinned", "marks"]) document.getElementById(id).style.display = "none";
    document.documentElement.dataset.ready = "tables";
  }

  ratio() { return Math.min(2, window.devicePixelRatio || 1); }
  ink() { return this.dark.matches ? "#e4e9f0" : "#1c2430"; }
  aspect() { return this.canvas.clientWidth / Math.max(1, this.canvas.clientHeight); }

  // show returns the state of the controls.
  show() {
    const on = (id) => { const e = document.getElementById(id); return Boolean(e && e.checked); };
    const value = (id, initial) => { const e = document.getElementById(id); return e ? Number(e.value) : initial; };
    const show = {
      mesh: on("show-mesh"), slice: on("show-slice"), box: on("show-box"), edges: document.getElementById("edges").value,
      opacity: value("opacity") / 100, sides: [0, 0, 0, 0], layers: {}, share: 1,
      pointScale: 2 ** (value("point-size", 0) / 10), pointOpacity: value("point-opacity", 100) / 100,
      background: this.dark.matches ? color("#10141a") : color("#f5f7fa"),
      ink: this.dark.matches ? [0.75, 0.8, 0.88] : [0.25, 0.3, 0.38],
    };
    for (const e of document.querySelectorAll("[data-side]")) show.sides[e.dataset.side] = e.checked ? 1 : 0;
    for (const e of document.querySelectorAll("[data-layer]")) show.layers[e.dataset.layer] = e.checked;
    if (this.slices.set) {
      show.plane = this.slices.plane();
      if (on("cut")) { // the part between the slice and the viewer is not drawn
        const toward = this.camera.ray(0, 0, 1).from[this.slices.axis] > show.plane.offset ? 1 : -1;
        show.cut = [...show.plane.normal.map((x) => toward * x), toward * show.plane.offset];
      }
    }
    return show;
  }

  // update schedules drawing for the next frame.
  update() {
    this.keep();
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; if (this.painter) this.paint(); else this.showFigure(); });
  }

  // move schedules drawing of a picture that can omit parts, and a complete picture when the movement ends.
  move() {
    this.moving = true;
    clearTimeout(this.settle);
    this.settle = setTimeout(() => { this.moving = false; this.update(); }, this.pace.rest());
    this.update();
  }

  paint() {
    const ratio = this.ratio(), c = this.canvas, { painter } = this, show = this.show();
    const level = this.moving ? this.pace.now() : Pace.levels[0], scale = ratio * level.resolution;
    const width = Math.max(1, Math.round(c.clientWidth * scale)), height = Math.max(1, Math.round(c.clientHeight * scale));
    if (c.width !== width || c.height !== height) [c.width, c.height] = [width, height];
    this.prepareEdges(show.edges);
    if (this.sliceMoved) {
      this.sliceMoved = false;
      this.showFigure();
      const now = this.slices.current();
      if (now) painter.setSlice(this.slices.corners(now.grid), now.picture);
    }
    show.share = Math.min(1, level.points / Math.max(1, this.scene.sides.length));
    show.plain = level.coarse > 0;
    const thin = this.faces.length > 3 * 20000 ? level.coarse : 0;
    if (thin !== this.thin) {
      this.thin = thin;
      painter.setFaces(thin ? this.coarseFaces(thin) : this.faces);
    }
    if (thin) show.edges = "none";
    const from = performance.now();
    painter.draw(this.camera, show, width, height, scale);
    painter.gl.readPixels(0, 0, 1, 1, painter.gl.RGBA, painter.gl.UNSIGNED_BYTE, new Uint8Array(4)); // waits for the picture
    this.pace.measured(performance.now() - from, this.moving);
    this.drawAxes();
    this.marks.update(this.transform(), c.clientWidth, c.clientHeight);
    this.note(show, thin, level);
    const root = document.documentElement, error = painter.gl.getError();
    if (error) root.dataset.error = "WebGL error " + error;
    const [uncertain, out, surface, inside] = this.scene.counts;
    Object.assign(root.dataset, { in: inside, out, on: surface, uncertain, triangles: this.scene.faces.length / 3, theme: this.dark.matches ? "dark" : "light", ready: "yes" });
  }

  // transform returns the product of the projection matrix and the view matrix.
  transform() {
    const { view, projection } = this.camera.matrices(this.aspect(), this.scene.far);
    return multiply(projection, view);
  }

  // note says which parts of the scene the picture omits.
  note(show, thin, level) {
    const parts = [], n = this.scene.sides.length;
    if (show.share < 1 && n) parts.push(`${grouped(Math.ceil(n * show.share))} of ${grouped(n)} points`);
    if (thin) parts.push(`${grouped(this.painter.meshCount / 3)} of ${grouped(this.faces.length / 3)} triangles`);
    if (level.resolution < 1) parts.push(`${Math.round(100 * level.resolution)} % of the resolution`);
    const note = document.getElementById("thinned");
    note.textContent = parts.length ? "While moving: " + parts.join(", ") : this.painter.edgesTooDense ? "Edges are too dense to draw: zoom in" : "";
    if (parts.length) document.documentElement.dataset.thinned = note.textContent;
    const rate = this.pace.rate();
    document.getElementById("rate").textContent = `${Math.max(1, Math.round(this.pace.full))} ms for the complete picture` + (rate ? `, ${Math.round(rate)} pictures per second while moving` : "");
    if (rate) document.documentElement.dataset.rate = rate.toFixed(1);
  }

  // facesChanged selects the triangles of the visible bodies.
  facesChanged() {
    const { faces, body } = this.scene, { hidden } = this.bodies;
    this.faces = faces;
    if (body && hidden.size) {
      const off = Uint8Array.from({ length: this.bodies.count }, (_, i) => hidden.has(i) ? 1 : 0);
      let n = 0;
      for (let f = 0; f < body.length; f++) n += 1 - off[body[f]];
      this.faces = new Uint32Array(3 * n);
      for (let f = 0, at = 0; f < body.length; f++) {
        if (off[body[f]]) continue;
        for (let k = 0; k < 3; k++) this.faces[at++] = faces[3 * f + k];
      }
    }
    [this.edges, this.edgesSet, this.coarseLists, this.thin] = [null, null, new Map(), 0];
    if (this.painter) this.painter.setFaces(this.faces);
  }

  // coarseFaces returns the triangles that replace a large mesh while it moves. A list is derived from the
  // next finer list that exists.
  coarseFaces(cubes) {
    const finer = Math.min(...[...this.coarseLists.keys()].filter((n) => n > cubes)), from = this.coarseLists.get(finer) || this.faces;
    if (!this.coarseLists.has(cubes)) this.coarseLists.set(cubes, coarse(from, this.scene.vertices, cubes));
    return this.coarseLists.get(cubes);
  }

  // prepareEdges finds the edges when they are needed for the first time.
  prepareEdges(kind) {
    if (kind === "none" || this.edgesSet === kind) return;
    this.edges ??= findEdges(this.faces, this.scene.vertices);
    this.edgesSet = kind;
    this.painter.setEdges(this.edges[kind], meanLength(this.edges[kind], this.scene.vertices));
  }

  // recolor computes the colors of the points.
  recolor() {
    const select = document.getElementById("color"), channel = this.scene.channels[select ? select.value : 0] || { kind: "state" };
    const { colors, legend } = colorPoints(this.scene, channel, this.show().sides);
    [this.colors, this.legend] = [colors, legend];
    if (this.painter) this.painter.setColors(colors);
    const box = document.getElementById("legend");
    if (box) showLegend(box, legend, this.ink());
  }

  // showFigure draws the slice in the panel.
  showFigure() {
    if (!this.slices.set) return;
    const image = document.getElementById("slice-image");
    if (image) image.hidden = true;
    document.getElementById("slice-canvas").hidden = false;
    this.slices.show(this.colors, this.show().sides, this.ink());
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
      `${layer.name}: number ${index + 1}, near ${place.map((x, k) => "xyz"[k] + " " + placeText(x * scale + center[k], scale)).join(", ")}`;
    this.update();
  }

  // pick explains what is drawn at a place of the page, or adds the place to the distance.
  pick(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect(), x = clientX - box.left, y = clientY - box.top, hit = this.hit(x, y);
    const measuring = document.getElementById("measure").getAttribute("aria-pressed") === "true";
    if (!hit) {
      if (!measuring) this.unpick();
      return;
    }
    const place = hit.point >= 0 ? exactPlace(this.scene, hit.point) : surfacePlace(this.scene, hit);
    if (measuring) {
      if (this.measured.length === 2) this.measured = [];
      const rounded = hit.point >= 0 ? place : place.map((c) => Number(placeText(c, this.scene.settings.scale)));
      this.measured.push([hit.point >= 0 ? "row " + rowNumber(this.scene, hit.point) : "surface", rounded]);
      this.info.measure(this.measured);
      this.marks.set(this.measured.map((m) => m[1]), true);
    } else {
      if (hit.point >= 0) this.info.point(hit.point);
      else this.info.face(hit);
      this.marks.set([place], false);
    }
    this.update();
  }

  // hit returns the point or the triangle at a place of the canvas, or null. A point behind the surface is
  // visible if the mesh is translucent.
  hit(x, y) {
    const show = this.show(), { scene, painter } = this, ratio = this.ratio(), width = this.canvas.clientWidth, height = this.canvas.clientHeight, aspect = width / height;
    const beyond = (px, py, pz) => show.cut && show.cut[0] * px + show.cut[1] * py + show.cut[2] * pz > show.cut[3] + 1e-6;
    let face = { face: -1 };
    if (show.mesh || show.edges !== "none") {
      const ray = this.camera.ray(2 * x / width - 1, 1 - 2 * y / height, aspect), { hidden } = this.bodies;
      face = pickFace(scene, ray, (f) => !scene.body || !hidden.has(scene.body[f]), (...p) => !beyond(...p));
    }
    if (painter && scene.sides.length) {
      const [size, small] = painter.sizes(this.camera, show, aspect, width * ratio, height * ratio, ratio);
      const radius = (w, i) => Math.max(5, Math.max(2, Math.min(40, size * (scene.sides[i] === 1 ? small : 1) / w)) / 2 / ratio + 1);
      const p = scene.points, found = pickPoint(scene, this.transform(), width, height, x, y, radius,
        (i) => show.sides[scene.sides[i]] && !beyond(p[3 * i], p[3 * i + 1], p[3 * i + 2]));
      // The direction of the ray has the length 1 along the view, so t is the depth of the triangle.
      const covered = face.face >= 0 && show.mesh && show.opacity > 0.9 && face.t < found.depth * (1 - 1e-3);
      if (found.point >= 0 && !covered) return { point: found.point };
    }
    return face.face >= 0 ? { point: -1, ...face } : null;
  }

  unpick() {
    document.getElementById("info").hidden = true;
    this.measured = [];
    this.marks.set([], false);
    this.update();
  }

  toggleMeasure() {
    const b = document.getElementById("measure"), on = b.getAttribute("aria-pressed") !== "true";
    b.setAttribute("aria-pressed", on);
    this.unpick();
    if (on) this.info.measure([]);
  }

  save() {
    if (!this.painter) return;
    this.moving = false;
    this.paint();
    savePicture(this.canvas, this);
  }

  // keep stores the state in the fragment of the address, after a short time without changes.
  keep() {
    clearTimeout(this.keeping);
    this.keeping = setTimeout(() => {
      const { slices } = this, text = this.fragment.text({
        cam: this.camera.text() === this.firstCamera ? "" : this.camera.text(),
        slice: slices.set && !slices.initial() ? "xyz"[slices.axis] + "=" + slices.value : "", hide: this.bodies.text(),
      });
      if (text === location.hash.slice(1)) return;
      this.kept = text;
      history.replaceState(null, "", text ? "#" + text : location.pathname + location.search);
    }, 250);
  }

  // restore sets the state that the fragment of the address has.
  restore() {
    this.camera.up = this.scene.settings.up;
    this.camera.reset();
    this.firstCamera = this.camera.text();
    const entries = this.fragment.restore(location.hash), slice = /^([xyz])=(.+)$/.exec(entries.get("slice") || "");
    this.camera.restore(entries.get("cam") || "");
    this.bodies.set(numbersOf(entries.get("hide") || "", this.bodies.count));
    if (this.slices.set) {
      if (slice && Number.isFinite(Number(slice[2]))) this.slices.move("xyz".indexOf(slice[1]), Number(slice[2]));
      else this.slices.move(this.slices.set.axis, this.slices.set.value);
    }
    this.facesChanged();
    this.recolor();
  }

  zoom(factor) { this.camera.scale(factor); this.move(); }
  reset() { this.camera.reset(); this.update(); }
  nextUp() { this.camera.up = (this.camera.up + 1) % 3; this.update(); }

  connect() {
    const click = (id, f) => document.getElementById(id).addEventListener("click", f);
    click("zoom-in", () => this.zoom(1.25));
    click("zoom-out", () => this.zoom(0.8));
    click("reset", () => this.reset());
    click("up", () => this.nextUp());
    click("measure", () => this.toggleMeasure());
    click("save", () => this.save());
    for (const e of document.querySelectorAll("[data-find]")) e.addEventListener("click", () => { if (this.painter) this.find(e.dataset.find); });
    for (const e of document.querySelectorAll("[data-keep]")) e.addEventListener("input", () => this.control(e));
    this.dark.addEventListener("change", () => { this.recolor(); this.showFigure(); this.update(); });
    addEventListener("hashchange", () => { if (location.hash.slice(1) !== this.kept) { this.restore(); this.sliceMoved = true; this.update(); } });
    // Drawing before the browser shows the frame keeps the picture from being stretched.
    new ResizeObserver(() => { if (this.painter) this.paint(); }).observe(this.canvas);
    const c = this.canvas;
    c.addEventListener("pointerdown", (e) => {
      c.setPointerCapture(e.pointerId);
      this.pointers.set(e.pointerId, [e.clientX, e.clientY]);
      this.press = this.pointers.size === 1 && e.button === 0 ? [e.clientX, e.clientY] : null;
    });
    c.addEventListener("pointerup", (e) => {
      const at = this.press;
      if (at && this.pointers.has(e.pointerId) && Math.hypot(e.clientX - at[0], e.clientY - at[1]) < 6) this.pick(e.clientX, e.clientY);
      this.press = null;
    });
    for (const end of ["pointerup", "pointercancel"]) c.addEventListener(end, (e) => this.pointers.delete(e.pointerId));
    c.addEventListener("pointermove", (e) => this.drag(e));
    c.addEventListener("wheel", (e) => { e.preventDefault(); this.zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0015))); }, { passive: false });
    c.addEventListener("dblclick", () => this.reset());
    c.addEventListener("contextmenu", (e) => e.preventDefault());
    c.addEventListener("keydown", (e) => this.key(e));
    c.addEventListener("webglcontextlost", (e) => { e.preventDefault(); this.painter = null; });
    c.addEventListener("webglcontextrestored", () => this.start());
  }

  // control handles a change of a control.
  control(e) {
    if (e.id === "color" || e.dataset.side !== undefined) {
      this.recolor();
      this.showFigure();
    }
    if (e.type === "range") this.move();
    else this.update();
  }

  // drag rotates with one pointer, and moves and zooms with two pointers.
  drag(e) {
    const last = this.pointers.get(e.pointerId);
    if (!last) return;
    const at = this.press, dx = e.clientX - last[0], dy = e.clientY - last[1], height = this.canvas.clientHeight;
    if (at && this.pointers.size === 1 && Math.hypot(e.clientX - at[0], e.clientY - at[1]) < 6) return; // possibly a click
    this.press = null;
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
    this.move();
  }

  key(e) {
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }, a = arrows[e.key];
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (a && e.shiftKey) this.camera.move(a[0] * 0.05, a[1] * 0.05, this.aspect());
    else if (a) this.camera.turn(a[0] * 0.12, a[1] * 0.12);
    else if (e.key === "+" || e.key === "=") this.camera.scale(1.25);
    else if (e.key === "-" || e.key === "_") this.camera.scale(0.8);
    else if (e.key === "0" || e.key === "Home") this.camera.reset();
    else if (e.key === "u") this.nextUp();
    else if (e.key === "m") this.toggleMeasure();
    else if (e.key === "Escape") this.unpick();
    else return;
    e.preventDefault();
    this.move();
  }
}

// The page begins when the picture of the slice is loaded. A script of the page can use its name.
let view;
const image = document.getElementById("slice-image"), begin = () => { view = new Page(); view.start(); };
if (image && !image.complete) for (const event of ["load", "error"]) image.addEventListener(event, begin, { once: true });
else begin();
