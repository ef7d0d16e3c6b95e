const uncut = [0, 0, 0, 1]; // a plane beyond which there is nothing

// Painter draws a scene with WebGL 2.
class Painter {
  constructor(gl, scene) {
    this.gl = gl;
    this.scene = scene;
    this.programs = Object.fromEntries(Object.entries(shaders).map(([name, pair]) => [name, program(gl, pair)]));
    const positions = this.buffer(gl.ARRAY_BUFFER, scene.vertices);
    this.mesh = this.array("faces", [["position", positions, 3]]);
    this.meshIndex = gl.createBuffer();
    this.setFaces(scene.faces);
    this.edges = this.array("edges", [["position", positions, 3]]);
    this.edgeIndex = gl.createBuffer();
    this.edgeCount = 0;
    this.makePoints();
    this.layers = scene.layers.map((l) => l.edges ? this.segments(l.data) : { ...this.array("faces", [["position", this.buffer(gl.ARRAY_BUFFER, l.data), 3]]), count: l.data.length / 3 });
    this.box = this.segments(this.boxEdges());
    this.slice = null;
  }

  buffer(kind, data) {
    const gl = this.gl, b = gl.createBuffer();
    gl.bindBuffer(kind, b);
    gl.bufferData(kind, data, gl.STATIC_DRAW);
    return b;
  }

  // array returns a vertex array with attributes [name, buffer, components, type].
  array(name, lists) {
    const gl = this.gl, { at } = this.programs[name], a = gl.createVertexArray();
    gl.bindVertexArray(a);
    for (const [attribute, b, n, type = gl.FLOAT, normalized = false] of lists) {
      if (at[attribute] === undefined) continue;
      gl.bindBuffer(gl.ARRAY_BUFFER, b);
      gl.enableVertexAttribArray(at[attribute]);
      gl.vertexAttribPointer(at[attribute], n, type, normalized, 0, 0);
    }
    gl.bindVertexArray(null);
    return { a };
  }

  // makePoints stores the points in an order in which every first part is spread over all points.
  makePoints() {
    const gl = this.gl, { points, sides } = this.scene, n = sides.length, divides = (a, b) => b === 0 ? a === 1 : divides(b, a % b);
    let step = Math.max(1, Math.round(0.618 * n));
    while (n > 1 && !divides(n, step)) step++;
    this.order = new Uint32Array(n);
    const places = new Float32Array(3 * n), states = new Uint8Array(n);
    for (let i = 0, k = 0; i < n; i++, k = (k + step) % n) {
      this.order[i] = k;
      for (let c = 0; c < 3; c++) places[3 * i + c] = points[3 * k + c];
      states[i] = sides[k];
    }
    this.colorBuffer = gl.createBuffer();
    this.points = {
      ...this.array("points", [["position", this.buffer(gl.ARRAY_BUFFER, places), 3], ["side", this.buffer(gl.ARRAY_BUFFER, states), 1, gl.UNSIGNED_BYTE],
        ["color", this.colorBuffer, 3, gl.UNSIGNED_BYTE, true]]),
      count: n,
    };
  }

  // setColors sets the colors of the points: three bytes for each point.
  setColors(colors) {
    const gl = this.gl, out = new Uint8Array(colors.length);
    this.order.forEach((k, i) => { for (let c = 0; c < 3; c++) out[3 * i + c] = colors[3 * k + c]; });
    gl.bindBuffer(gl.ARRAY_BUFFER, this.colorBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, out, gl.STATIC_DRAW);
  }

  setIndex(list, index, data) {
    const gl = this.gl;
    gl.bindVertexArray(list.a);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, index);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, data, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
  }

  // setFaces sets the triangles to draw. Their number can differ from the triangles of the scene, because
  // bodies can be hidden and the coarse mesh can replace them.
  setFaces(faces) {
    this.setIndex(this.mesh, this.meshIndex, faces);
    this.meshCount = faces.length;
  }

  setEdges(edges, mean) {
    this.setIndex(this.edges, this.edgeIndex, edges);
    this.edgeCount = edges.length;
    this.meanEdge = mean;
  }

  // setSlice sets the rectangle and the picture of the slice.
  setSlice(corners, picture) {
    const gl = this.gl;
    if (!this.slice) {
      this.sliceCorners = gl.createBuffer();
      this.slice = this.array("slice", [["position", this.sliceCorners, 3], ["place", this.buffer(gl.ARRAY_BUFFER, new Float32Array([0, 1, 1, 1, 0, 0, 1, 0])), 2]]);
      this.picture = gl.createTexture();
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, this.sliceCorners);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(corners.flat()), gl.STATIC_DRAW);
    gl.bindTexture(gl.TEXTURE_2D, this.picture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, picture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    gl.generateMipmap(gl.TEXTURE_2D);
  }

  // segments returns a vertex array of lines. data contains the ends of the lines.
  segments(data) {
    const gl = this.gl, { at } = this.programs.lines, a = gl.createVertexArray();
    gl.bindVertexArray(a);
    this.buffer(gl.ARRAY_BUFFER, new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]));
    gl.enableVertexAttribArray(at.corner);
    gl.vertexAttribPointer(at.corner, 2, gl.FLOAT, false, 0, 0);
    const ends = this.buffer(gl.ARRAY_BUFFER, data);
    for (const [attribute, offset] of [["start", 0], ["end", 12]]) {
      gl.enableVertexAttribArray(at[attribute]);
      gl.vertexAttribPointer(at[attribute], 3, gl.FLOAT, false, 24, offset);
      gl.vertexAttribDivisor(at[attribute], 1);
    }
    gl.bindVertexArray(null);
    return { a, plain: this.array("edges", [["position", ends, 3]]).a, count: data.length / 6 };
  }

  boxEdges() {
    const s = this.scene.settings.size, out = [];
    for (let k = 0; k < 3; k++) {
      for (const [i, j] of [[-1, -1], [-1, 1], [1, -1], [1, 1]]) {
        for (const along of [-1, 1]) {
          const p = [0, 0, 0];
          p[k] = along * s[k];
          p[(k + 1) % 3] = i * s[(k + 1) % 3];
          p[(k + 2) % 3] = j * s[(k + 2) % 3];
          out.push(...p);
        }
      }
    }
    return new Float32Array(out);
  }

  // use selects a program and sets its matrices and the cut.
  use(name, bias) {
    const gl = this.gl, { p, at } = this.programs[name];
    gl.useProgram(p);
    gl.uniformMatrix4fv(at.view, false, this.camera.view);
    gl.uniformMatrix4fv(at.projection, false, this.camera.projection);
    if (at.bias) gl.uniform1f(at.bias, bias || 0);
    if (at.cut) gl.uniform4fv(at.cut, this.cut);
    return at;
  }

  // draw draws the objects that show selects: first opaque objects, then translucent objects, then the
  // defects, which are visible through all other objects.
  draw(camera, show, width, height, ratio) {
    const gl = this.gl, aspect = width / height;
    this.camera = camera.matrices(aspect, this.scene.far);
    this.viewport = [width, height];
    this.ratio = ratio;
    this.cut = show.cut || uncut;
    this.plain = show.plain;
    gl.viewport(0, 0, width, height);
    gl.clearColor(...show.background, 1);
    gl.depthMask(true);
    gl.colorMask(true, true, true, true);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.disable(gl.BLEND);
    const count = Math.ceil(this.points.count * show.share);
    if (count) this.drawPoints(camera, show, aspect, count);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    if (show.box) {
      this.cut = uncut;
      this.drawLines(this.box, [...show.ink, 0.35], 1, 0);
      this.cut = show.cut || uncut;
    }
    if (this.slice && show.slice) {
      this.drawSlice(Boolean(show.cut));
      if (count) this.drawNearby(show, count);
    }
    if (show.mesh && this.meshCount) this.drawMesh(show);
    this.edgesTooDense = false;
    if (show.edges !== "none" && this.edgeCount) this.drawEdges(camera, show, aspect, height);
    this.drawLayers(show);
    gl.bindVertexArray(null);
  }

  // pointSize returns the diameter of a point in pixels when the whole mesh is in view. Discs of this size
  // cover a seventh of the picture if no discs overlap.
  pointSize(show, width, height, ratio) {
    const shown = this.scene.counts.reduce((sum, n, side) => sum + (show.sides[side] ? n : 0), 0);
    return show.pointScale * ratio * Math.max(2.2, Math.min(9, Math.sqrt(0.18 * width * height / Math.max(1, shown)) / ratio));
  }

  // sizes returns the factors that make the size of a disc from its depth; the second is for points outside.
  // Points outside are smaller because they hide the other points.
  sizes(camera, show, aspect, width, height, ratio) {
    const pixels = this.pointSize(show, width, height, ratio);
    return [pixels * camera.distance(aspect) * camera.zoom ** 0.75, show.sides.some((on, side) => on && side !== 1 && this.scene.counts[side]) ? 0.62 : 1];
  }

  // drawPoints draws the points. Points outside come last, because they surround the other points. Many
  // points outside are drawn with a low opacity.
  drawPoints(camera, show, aspect, count) {
    const gl = this.gl, at = this.use("points"), outside = 1, [width, height] = this.viewport;
    const [size, small] = this.sizes(camera, show, aspect, width, height, this.ratio), pixels = this.pointSize(show, width, height, this.ratio);
    gl.uniform1f(at.size, size);
    gl.uniform1f(at.small, small);
    gl.uniform1f(at.rimmed, 0);
    gl.uniform4fv(at.band, [0, 0, 0, -1]);
    gl.bindVertexArray(this.points.a);
    const pass = (visible, opacity) => {
      gl.uniform4fv(at.visible, visible);
      gl.uniform1f(at.opacity, opacity);
      if (opacity < 1) {
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
        gl.depthMask(false);
      }
      gl.drawArrays(gl.POINTS, 0, count);
      gl.disable(gl.BLEND);
      gl.depthMask(true);
    };
    if (show.sides.some((on, side) => on && side !== outside)) pass(show.sides.map((on, side) => side === outside ? 0 : on), show.pointOpacity);
    if (!show.sides[outside]) return;
    // layers is the mean number of overlapping discs if the points fill two fifths of the picture.
    const layers = this.scene.counts[outside] * 0.78 * Math.max(2, small * pixels) ** 2 / (0.4 * width * height);
    pass(show.sides.map((on, side) => side === outside ? on : 0), show.pointOpacity * (small < 1 ? Math.min(1, 0.5 / layers) : 1));
  }

  // drawNearby draws the points near the slice again, over the slice and with a light rim.
  drawNearby(show, count) {
    const gl = this.gl, at = this.programs.points.at;
    this.use("points");
    gl.uniform4fv(at.band, [...show.plane.normal, show.plane.near]);
    gl.uniform1f(at.offset, show.plane.offset);
    gl.uniform1f(at.rimmed, 1);
    gl.uniform4fv(at.visible, show.sides);
    gl.uniform1f(at.opacity, 1);
    if (show.cut) { // nothing is between the viewer and the slice, and the slice must not hide a part of a disc
      gl.uniform4fv(at.cut, [...show.cut.slice(0, 3), show.cut[3] + show.plane.near]);
      gl.depthFunc(gl.ALWAYS);
    }
    gl.bindVertexArray(this.points.a);
    gl.drawArrays(gl.POINTS, 0, count);
    gl.depthFunc(gl.LEQUAL);
  }

  // drawSlice draws the slice. If the mesh is cut, the slice hides the objects behind it, except where W is
  // about 0.
  drawSlice(covers) {
    const gl = this.gl, pass = (strength, least, depth) => {
      const at = this.use("slice");
      gl.uniform1f(at.strength, strength);
      gl.uniform1f(at.least, least);
      gl.depthMask(depth);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
      gl.depthMask(true);
    };
    gl.bindTexture(gl.TEXTURE_2D, this.picture);
    gl.bindVertexArray(this.slice.a);
    if (covers) pass(1, 0.3, true);
    pass(covers ? 0.5 : 0.65, 0.004, false);
  }

  // drawMesh draws all faces without lighting, then the nearest faces with lighting. An opaque mesh needs only
  // the second step.
  drawMesh(show) {
    const gl = this.gl, at = this.use("faces"), draw = () => gl.drawElements(gl.TRIANGLES, this.meshCount, gl.UNSIGNED_INT, 0);
    gl.bindVertexArray(this.mesh.a);
    gl.uniform3fv(at.tint, color(this.scene.settings.mesh));
    gl.uniform1f(at.opacity, show.opacity);
    if (show.opacity < 1) {
      gl.uniform1i(at.lit, 0);
      gl.depthMask(false);
      draw();
      gl.depthMask(true);
      gl.colorMask(false, false, false, false);
      draw();
      gl.colorMask(true, true, true, true);
    }
    gl.uniform1i(at.lit, 1);
    draw();
  }

  // drawEdges draws edges. If many edges are close together, they are drawn with a low opacity, so that they
  // do not hide the faces, or not at all.
  drawEdges(camera, show, aspect, height) {
    const gl = this.gl, at = this.use("edges", 2e-5), pixels = this.meanEdge * camera.pixels(aspect, height) / this.ratio;
    const opacity = show.edges === "sharp" ? Math.min(0.7, pixels / 8) : Math.min(0.55, (pixels - 1.5) / 16);
    this.edgesTooDense = opacity < 0.02;
    if (this.edgesTooDense) return;
    gl.uniform4fv(at.tint, [...show.ink, opacity]);
    gl.bindVertexArray(this.edges.a);
    gl.drawElements(gl.LINES, this.edgeCount, gl.UNSIGNED_INT, 0);
  }

  // drawLayers draws the defects twice: faintly through all objects, then opaque where no object hides
  // them.
  drawLayers(show) {
    const gl = this.gl;
    this.cut = uncut;
    for (const before of [false, true]) {
      gl.depthFunc(before ? gl.LEQUAL : gl.ALWAYS);
      gl.depthMask(before);
      this.scene.layers.forEach((l, i) => {
        if (!show.layers[l.key]) return;
        const tint = color(l.color);
        if (l.edges) { // many edges are drawn thinner and fainter, so that they do not hide the mesh
          const many = Math.min(1, 1500 / this.layers[i].count);
          this.drawLines(this.layers[i], [...tint, before ? 0.5 + 0.5 * many : 0.1 + 0.35 * many], 1 + many, 1e-3);
          return;
        }
        const at = this.use("faces", 5e-4);
        gl.uniform3fv(at.tint, tint);
        gl.uniform1f(at.opacity, before ? 0.85 : 0.22);
        gl.uniform1i(at.lit, before ? 1 : 0);
        gl.bindVertexArray(this.layers[i].a);
        gl.drawArrays(gl.TRIANGLES, 0, this.layers[i].count);
      });
    }
    gl.depthFunc(gl.LEQUAL);
    gl.depthMask(true);
  }

  // drawLines draws lines with a width in pixels. Without a fast graphics processor, this takes long for many
  // lines, so they are one pixel wide while a large scene moves.
  drawLines(list, tint, width, bias) {
    const gl = this.gl;
    if (this.plain) {
      gl.uniform4fv(this.use("edges", bias).tint, tint);
      gl.bindVertexArray(list.plain);
      gl.drawArrays(gl.LINES, 0, 2 * list.count);
      return;
    }
    const at = this.use("lines", bias);
    gl.uniform2fv(at.viewport, this.viewport);
    gl.uniform1f(at.width, width * this.ratio);
    gl.uniform1f(at.near, this.camera.near);
    gl.uniform4fv(at.tint, tint);
    gl.bindVertexArray(list.a);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, list.count);
  }
}
