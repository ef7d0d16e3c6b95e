// Painter draws a scene with WebGL 2.
class Painter {
  constructor(gl, scene) {
    this.gl = gl;
    this.scene = scene;
    this.programs = Object.fromEntries(Object.entries(shaders).map(([name, pair]) => [name, program(gl, pair)]));
    this.meshCount = scene.faces.length;
    this.mesh = this.array("faces", [["position", scene.vertices, 3]], scene.faces);
    this.points = this.array("points", [["position", scene.points, 3], ["side", scene.sides, 1]]);
    this.layers = scene.layers.map((l) => l.edges ? this.segments(l.data) : this.array("faces", [["position", l.data, 3]]));
    this.box = this.segments(this.boxEdges());
    const slice = scene.settings.slice;
    const picture = document.getElementById("slice-image");
    if (slice && picture && picture.naturalWidth) {
      this.slice = this.array("slice", [["position", new Float32Array(slice.corners.flat()), 3], ["place", new Float32Array([0, 1, 1, 1, 0, 0, 1, 0]), 2]]);
      this.picture = this.texture(picture);
    }
  }

  buffer(kind, data) {
    const gl = this.gl, b = gl.createBuffer();
    gl.bindBuffer(kind, b);
    gl.bufferData(kind, data, gl.STATIC_DRAW);
    return b;
  }

  // array returns a vertex array with attributes [name, numbers, components].
  array(name, lists, index) {
    const gl = this.gl, { at } = this.programs[name], a = gl.createVertexArray();
    gl.bindVertexArray(a);
    for (const [attribute, data, n] of lists) {
      this.buffer(gl.ARRAY_BUFFER, data);
      gl.enableVertexAttribArray(at[attribute]);
      gl.vertexAttribPointer(at[attribute], n, data instanceof Uint8Array ? gl.UNSIGNED_BYTE : gl.FLOAT, false, 0, 0);
    }
    if (index) this.buffer(gl.ELEMENT_ARRAY_BUFFER, index);
    gl.bindVertexArray(null);
    return { a, count: lists[0][1].length / lists[0][2] };
  }

  // segments returns a vertex array of lines. data contains the ends of the lines.
  segments(data) {
    const gl = this.gl, { at } = this.programs.lines, a = gl.createVertexArray();
    gl.bindVertexArray(a);
    this.buffer(gl.ARRAY_BUFFER, new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]));
    gl.enableVertexAttribArray(at.corner);
    gl.vertexAttribPointer(at.corner, 2, gl.FLOAT, false, 0, 0);
    this.buffer(gl.ARRAY_BUFFER, data);
    for (const [attribute, offset] of [["start", 0], ["end", 12]]) {
      gl.enableVertexAttribArray(at[attribute]);
      gl.vertexAttribPointer(at[attribute], 3, gl.FLOAT, false, 24, offset);
      gl.vertexAttribDivisor(at[attribute], 1);
    }
    gl.bindVertexArray(null);
    return { a, count: data.length / 6 };
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

  texture(image) {
    const gl = this.gl, t = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, t);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, image);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    gl.generateMipmap(gl.TEXTURE_2D);
    return t;
  }

  // use selects a program and sets its matrices.
  use(name, bias) {
    const gl = this.gl, { p, at } = this.programs[name];
    gl.useProgram(p);
    gl.uniformMatrix4fv(at.view, false, this.camera.view);
    gl.uniformMatrix4fv(at.projection, false, this.camera.projection);
    if (at.bias) gl.uniform1f(at.bias, bias || 0);
    return at;
  }

  // draw draws the objects that show selects: first opaque objects, then translucent objects, then the
  // defects, which are visible through all other objects.
  draw(camera, show, width, height, ratio) {
    const gl = this.gl, aspect = width / height;
    this.camera = camera.matrices(aspect, this.scene.far);
    this.viewport = [width, height];
    this.ratio = ratio;
    gl.viewport(0, 0, width, height);
    gl.clearColor(...show.background, 1);
    gl.depthMask(true);
    gl.colorMask(true, true, true, true);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.disable(gl.BLEND);
    if (this.points.count) this.drawPoints(camera, show, aspect);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    if (show.box) this.drawLines(this.box, [...show.ink, 0.35], 1, 0);
    if (this.slice && show.slice) this.drawSlice();
    if (show.mesh && this.meshCount) this.drawMesh(show);
    this.drawLayers(show);
    gl.bindVertexArray(null);
  }

  // drawPoints draws the points. Points outside come last, because they surround the other points. Many
  // points outside are drawn with a low opacity.
  drawPoints(camera, show, aspect) {
    const gl = this.gl, at = this.use("points"), outside = 1, area = this.viewport[0] * this.viewport[1];
    gl.uniform3fv(at.tints, this.scene.settings.sides.flatMap(color));
    // Discs of this size cover a seventh of the picture if no discs overlap.
    const pixels = this.ratio * Math.max(2.2, Math.min(9, Math.sqrt(0.18 * area / this.points.count) / this.ratio));
    gl.uniform1f(at.size, pixels * camera.distance(aspect) * camera.zoom ** 0.75);
    gl.bindVertexArray(this.points.a);
    gl.uniform4fv(at.visible, show.sides.map((on, side) => side === outside ? 0 : on));
    gl.uniform1f(at.opacity, 1);
    gl.drawArrays(gl.POINTS, 0, this.points.count);
    if (!show.sides[outside]) return;
    // layers is the mean number of overlapping discs if the points fill two fifths of the picture.
    const layers = this.scene.counts[outside] * 0.78 * Math.max(2, 0.62 * pixels) ** 2 / (0.4 * area);
    const opacity = Math.min(1, 0.5 / layers);
    gl.uniform4fv(at.visible, show.sides.map((on, side) => side === outside ? on : 0));
    gl.uniform1f(at.opacity, opacity);
    if (opacity < 1) {
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
      gl.depthMask(false);
    }
    gl.drawArrays(gl.POINTS, 0, this.points.count);
    gl.depthMask(true);
  }

  drawSlice() {
    const gl = this.gl;
    this.use("slice");
    gl.bindTexture(gl.TEXTURE_2D, this.picture);
    gl.bindVertexArray(this.slice.a);
    gl.depthMask(false);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.depthMask(true);
  }

  // drawMesh draws all faces without lighting, then the nearest faces with lighting.
  drawMesh(show) {
    const gl = this.gl, at = this.use("faces"), draw = () => gl.drawElements(gl.TRIANGLES, this.meshCount, gl.UNSIGNED_INT, 0);
    gl.bindVertexArray(this.mesh.a);
    gl.uniform3fv(at.tint, color(this.scene.settings.mesh));
    gl.uniform1f(at.opacity, show.opacity);
    gl.uniform1i(at.lit, 0);
    gl.depthMask(false);
    draw();
    gl.depthMask(true);
    gl.colorMask(false, false, false, false);
    draw();
    gl.colorMask(true, true, true, true);
    gl.uniform1i(at.lit, 1);
    draw();
  }

  // drawLayers draws the defects twice: faintly through all objects, then opaque where no object hides
  // them.
  drawLayers(show) {
    const gl = this.gl;
    for (const before of [false, true]) {
      gl.depthFunc(before ? gl.LEQUAL : gl.ALWAYS);
      gl.depthMask(before);
      this.scene.layers.forEach((l, i) => {
        if (!show.layers[l.key]) return;
        const tint = color(l.color);
        if (l.edges) {
          this.drawLines(this.layers[i], [...tint, before ? 1 : 0.45], 2, 1e-3);
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

  drawLines(list, tint, width, bias) {
    const gl = this.gl, at = this.use("lines", bias);
    gl.uniform2fv(at.viewport, this.viewport);
    gl.uniform1f(at.width, width * this.ratio);
    gl.uniform1f(at.near, this.camera.near);
    gl.uniform4fv(at.tint, tint);
    gl.bindVertexArray(list.a);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, list.count);
  }
}
