// Slices connects the controls of the slice with its picture.
class Slices {
  // changed is called when the slice has moved.
  constructor(scene, image, changed) {
    this.scene = scene;
    this.image = image;
    this.set = scene.settings.slice;
    this.changed = changed;
    this.sheets = [null, null, null];
    this.cache = new Map();
    if (!this.set) return;
    this.at = document.getElementById("slice-at");
    this.text = document.getElementById("slice-value");
    this.axes = [...document.querySelectorAll("[name=slice-axis]")];
    this.move(this.set.axis, this.set.value);
    for (const e of this.axes) {
      e.disabled = this.positions(Number(e.value)) === null;
      e.addEventListener("change", () => this.move(Number(e.value), this.middle(Number(e.value))));
    }
    this.at.addEventListener("input", () => this.slide());
    this.text.addEventListener("change", () => {
      const v = Number(this.text.value.trim().replace(/^[xyz]\s*=/, ""));
      this.move(this.axis, this.text.value.trim() && Number.isFinite(v) ? v : this.value);
    });
    this.set.stacks.forEach((stack, k) => {
      if (!stack) return;
      this.sheets[k] = new Image();
      this.sheets[k].addEventListener("load", () => { this.cache.clear(); changed(); });
      this.sheets[k].src = stack.sheet;
    });
  }

  // positions returns the possible positions on an axis in ascending order. Without restriction, it returns
  // an empty list. It returns null if there is no slice on the axis.
  positions(axis) {
    const { exact, stacks } = this.set;
    if (exact) return sliceGrid(this.set, axis, this.scene.settings.up, this.set.pixels) ? [] : null;
    const list = stacks[axis] ? [...stacks[axis].values] : [];
    if (axis === this.set.axis) list.push(this.set.value);
    return list.length ? [...new Set(list)].sort((a, b) => a - b) : null;
  }

  middle(axis) {
    if (axis === this.set.axis) return this.set.value;
    return this.set.low[axis] / 2 + this.set.high[axis] / 2;
  }

  // move selects the position on an axis that is nearest to value.
  move(axis, value) {
    const list = this.positions(axis);
    if (list === null) return;
    const { low, high } = this.set;
    this.axis = axis;
    this.value = list.length ? list.reduce((best, v) => Math.abs(v - value) < Math.abs(best - value) ? v : best) : value;
    this.axes.forEach((e) => { e.checked = Number(e.value) === axis; });
    const span = high[axis] - low[axis];
    Object.assign(this.at, list.length ? { min: 0, max: list.length - 1, step: 1 } : { min: 0, max: 1000, step: 1 });
    this.at.value = list.length ? list.indexOf(this.value) : span > 0 ? 1000 * (this.value - low[axis]) / span : 0;
    this.label();
    this.changed();
  }

  slide() {
    const list = this.positions(this.axis), { low, high } = this.set, k = this.axis, t = Number(this.at.value);
    this.value = list.length ? list[t] : low[k] + (high[k] - low[k]) * (t / 1000);
    this.label();
    this.changed();
  }

  // name returns the axis and the position with enough digits to tell neighboring positions apart.
  name() { return "xyz"[this.axis] + "=" + placeText(this.value, this.scene.settings.scale); }

  label() {
    this.text.value = placeText(this.value, this.scene.settings.scale);
    this.at.setAttribute("aria-valuetext", this.name());
  }

  // initial reports whether the slice is where the command has computed it.
  initial() { return this.axis === this.set.axis && this.value === this.set.value; }

  // current returns the slice at its position: the grid, a picture without points, the range of winding
  // numbers if it is known, and a note on their accuracy. It returns null while the picture is not loaded.
  current() {
    if (!this.set) return null;
    const key = this.name() + "/" + this.value;
    if (!this.cache.has(key)) {
      this.cache.clear();
      const made = this.make();
      if (!made) return null;
      this.cache.set(key, made);
    }
    return this.cache.get(key);
  }

  make() {
    const { set, axis, value, scene } = this, { up } = scene.settings;
    const accuracy = (bound) => bound > 0 ? "computed within " + Number(bound.toPrecision(2)) : "exact integers, except on the surface";
    if (this.initial() && this.image && this.image.naturalWidth) {
      const grid = sliceGrid(set, axis, up, this.image.naturalWidth);
      return { grid, picture: this.image, note: accuracy(set.bound), range: null };
    }
    const segments = (grid) => section(scene, axis, value, grid.axes);
    if (set.exact) {
      const grid = sliceGrid(set, axis, up, set.pixels), lines = segments(grid), w = fill(lines, axis, grid), canvas = this.canvas(grid.cols, grid.rows);
      const ctx = canvas.getContext("2d"), image = ctx.createImageData(grid.cols, grid.rows), colors = new Map();
      let lo = 0, hi = 1;
      for (let i = 0; i < w.length; i++) {
        if (!colors.has(w[i])) colors.set(w[i], windingColor(set.scale, w[i]));
        image.data.set(colors.get(w[i]), 4 * i);
        lo = Math.min(lo, w[i]);
        hi = Math.max(hi, w[i]);
      }
      ctx.putImageData(image, 0, 0);
      this.outline(ctx, grid, lines, canvas);
      return { grid, picture: canvas, note: accuracy(0), range: [lo, hi] };
    }
    const stack = set.stacks[axis], sheet = this.sheets[axis], index = stack ? stack.values.indexOf(value) : -1;
    if (index < 0 || !sheet.naturalWidth) return null;
    const grid = sliceGrid(set, axis, up, Math.max(stack.cols, stack.rows)), zoom = Math.max(1, Math.floor(set.pixels / Math.max(stack.cols, stack.rows)));
    const canvas = this.canvas(stack.cols * zoom, stack.rows * zoom), ctx = canvas.getContext("2d");
    ctx.imageSmoothingEnabled = false;
    ctx.drawImage(sheet, 0, index * stack.rows, stack.cols, stack.rows, 0, 0, canvas.width, canvas.height);
    this.outline(ctx, grid, segments(grid), canvas);
    const about = `slice ${index + 1} of ${stack.values.length} across ${"xyz"[axis]}, ${stack.cols} × ${stack.rows} pixels, ${accuracy(stack.bound)}`;
    return { grid, picture: canvas, note: about + (scene.settings.reduced ? "; section of the simplified mesh" : ""), range: null };
  }

  canvas(width, height) {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [width, height];
    return canvas;
  }

  // pixel returns the place of a point of the plane in a canvas.
  pixel({ lo, hi }, canvas, x, y) { return [(x - lo[0]) / (hi[0] - lo[0]) * canvas.width, (hi[1] - y) / (hi[1] - lo[1]) * canvas.height]; }

  outline(ctx, grid, lines, canvas) {
    ctx.strokeStyle = "#5a6678";
    ctx.lineWidth = Math.min(1.5, Math.max(canvas.width, canvas.height) / 200);
    ctx.lineCap = "round";
    ctx.beginPath();
    for (let i = 0; i < lines.length; i += 4) {
      ctx.moveTo(...this.pixel(grid, canvas, lines[i], lines[i + 1]));
      ctx.lineTo(...this.pixel(grid, canvas, lines[i + 2], lines[i + 3]));
    }
    ctx.stroke();
  }

  // plane returns the plane in coordinates of the picture.
  plane() {
    const { center, scale } = this.scene.settings, normal = [0, 0, 0];
    normal[this.axis] = 1;
    return { normal, offset: (this.value - center[this.axis]) / scale, near: this.set.near / scale };
  }

  // corners returns the corners of the slice in coordinates of the picture: bottom left, bottom right, top
  // left, top right.
  corners({ axes, lo, hi }) {
    return [[0, 0], [1, 0], [0, 1], [1, 1]].map(([i, j]) => {
      const p = [0, 0, 0];
      p[this.axis] = this.value;
      p[axes[0]] = [lo[0], hi[0]][i];
      p[axes[1]] = [lo[1], hi[1]][j];
      return localPlace(this.scene.settings, p);
    });
  }

  // show draws the figure of the panel: the slice and the visible points near it, in their colors.
  show(colors, sides, ink) {
    const now = this.current(), canvas = document.getElementById("slice-canvas");
    document.getElementById("slice-name").textContent = "Winding number W on " + this.name();
    if (!now) {
      document.getElementById("slice-note").textContent = "loading";
      return;
    }
    const ctx = canvas.getContext("2d"), zoom = Math.max(1, 640 / Math.max(now.picture.width, now.picture.height));
    canvas.width = Math.round(now.picture.width * zoom);
    canvas.height = Math.round(now.picture.height * zoom);
    ctx.imageSmoothingEnabled = false;
    ctx.drawImage(now.picture, 0, 0, canvas.width, canvas.height);
    const { scene, axis, set } = this, h = scene.point[axis], [x, y] = now.grid.axes.map((k) => scene.point[k]), near = [];
    for (let i = 0; i < h.length; i++) {
      if (Math.abs(h[i] - this.value) > set.near || !sides[scene.sides[i]]) continue;
      const at = this.pixel(now.grid, canvas, x[i], y[i]);
      if (at[0] >= 0 && at[1] >= 0 && at[0] <= canvas.width && at[1] <= canvas.height) near.push([i, at]);
    }
    // Many points are drawn smaller, so that they cover at most about a third of the slice.
    const r = Math.min(Math.max(canvas.width, canvas.height) / 130, Math.max(1, Math.sqrt(0.1 * canvas.width * canvas.height / Math.max(1, near.length)) / 1.35));
    const disc = ([px, py], radius, tint) => {
      ctx.fillStyle = tint;
      ctx.beginPath();
      ctx.arc(px, py, radius, 0, 7);
      ctx.fill();
    };
    for (const [i, at] of near) {
      if (r > 2) disc(at, 1.35 * r, "#fff");
      disc(at, r, `rgb(${colors[3 * i]},${colors[3 * i + 1]},${colors[3 * i + 2]})`);
    }
    const [right, up] = now.grid.axes, note = document.getElementById("slice-note");
    document.getElementById("slice-right").textContent = "xyz"[right] + " →";
    document.getElementById("slice-up").textContent = "xyz"[up] + " ↑";
    note.textContent = now.note + (h.length ? `; ${grouped(near.length)} visible ${near.length === 1 ? "point" : "points"} within ${Number(set.near.toPrecision(3))}` : "");
    canvas.setAttribute("aria-label", `Winding number on the plane ${this.name()} in colors, with the section of the mesh`);
    this.legend(now, ink);
  }

  // legend draws the color bar of the slice. Unless the range of the slice is known, it is the legend that the
  // command has made, or the whole scale for precomputed slices.
  legend(now, ink) {
    const bar = document.getElementById("slice-scale"), { scale } = this.set, first = scale[0].w, last = scale[scale.length - 1].w;
    document.getElementById("slice-fixed").hidden = !(now.picture === this.image);
    bar.replaceChildren();
    if (now.picture === this.image) return;
    const lo = Math.max(first, now.range ? now.range[0] : first), hi = Math.min(last, now.range ? now.range[1] : last);
    const list = Array.from({ length: hi - lo + 1 }, (_, i) => lo + i), stops = Array.from({ length: 97 }, (_, k) => windingColor(scale, lo + (hi - lo) * k / 96));
    bar.append(barCanvas({ stops, lo, hi, below: lo === first, above: hi === last, marks: { step: 1, list } }, ink, 318));
  }
}
