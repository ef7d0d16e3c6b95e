"use strict";

// Matrices are arrays of 16 numbers in column-major order, as in WebGL.

function multiply(a, b) {
  const out = new Float32Array(16);
  for (let c = 0; c < 4; c++) {
    for (let r = 0; r < 4; r++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + r] * b[4 * c + k];
      out[4 * c + r] = sum;
    }
  }
  return out;
}

function dot(a, b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Camera looks at a target from a distance. Yaw rotates the camera around the axis that points up.
// Pitch rotates the camera toward this axis.
class Camera {
  constructor(size, up) {
    this.size = size.some((x) => x > 0) ? size : [1, 1, 1];
    this.radius = Math.max(1e-3, Math.hypot(...this.size));
    this.up = up;
    this.reset();
  }

  reset() {
    [this.yaw, this.pitch] = Camera.first;
    this.target = [0, 0, 0];
    this.zoom = 1;
  }

  // axes returns the directions to the right, up and toward the viewer.
  axes() {
    const cy = Math.cos(this.yaw), sy = Math.sin(this.yaw), cp = Math.cos(this.pitch), sp = Math.sin(this.pitch);
    // turn converts from coordinates whose third axis points up. It keeps the cyclic order of the axes.
    const turn = (v) => { const out = [0, 0, 0]; for (let k = 0; k < 3; k++) out[(this.up + 1 + k) % 3] = v[k]; return out; };
    return [turn([-sy, cy, 0]), turn([-sp * cy, -sp * sy, cp]), turn([cp * cy, cp * sy, sp])];
  }

  // distance returns the distance of the viewer from the target. Zoom 1 shows the whole box with a
  // rim in its initial orientation.
  distance(aspect) {
    const { yaw, pitch } = this, half = Math.tan(Camera.field / 2);
    [this.yaw, this.pitch] = Camera.first;
    const [x, y, z] = this.axes();
    [this.yaw, this.pitch] = [yaw, pitch];
    let fit = 1e-3;
    for (let corner = 0; corner < 8; corner++) {
      const c = this.size.map((s, k) => corner >> k & 1 ? s : -s);
      fit = Math.max(fit, dot(z, c) + Math.max(Math.abs(dot(x, c)) / aspect, Math.abs(dot(y, c))) / half);
    }
    return 1.07 * fit / this.zoom;
  }

  // matrices returns the view matrix and the projection matrix. far is the radius of the scene.
  matrices(aspect, far) {
    const [x, y, z] = this.axes(), d = this.distance(aspect);
    const eye = [0, 1, 2].map((k) => this.target[k] + d * z[k]);
    const view = new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1]);
    const near = Math.max(d * 0.02, d - 1.5 * this.radius - Math.hypot(...this.target)), end = d + far + Math.hypot(...this.target) + this.radius;
    const f = 1 / Math.tan(Camera.field / 2);
    const projection = new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (near + end) / (near - end), -1, 0, 0, 2 * near * end / (near - end), 0]);
    return { view, projection, near };
  }

  // ray returns the start and the direction of the ray from the viewer through a place of the picture.
  // x and y are from −1 to 1, to the right and up.
  ray(x, y, aspect) {
    const [right, up, back] = this.axes(), d = this.distance(aspect), half = Math.tan(Camera.field / 2);
    return {
      from: [0, 1, 2].map((k) => this.target[k] + d * back[k]),
      along: [0, 1, 2].map((k) => x * half * aspect * right[k] + y * half * up[k] - back[k]),
    };
  }

  // pixels returns the length in pixels of a length of 1 at the target, for a picture of the given height.
  pixels(aspect, height) { return height / (2 * Math.tan(Camera.field / 2) * this.distance(aspect)); }

  // text returns the state of the camera, and restore accepts it.
  text() {
    return [this.yaw, this.pitch, this.zoom, ...this.target].map((x) => Number(x.toPrecision(7))).join(",") + "," + "xyz"[this.up];
  }

  restore(text) {
    const parts = text.split(","), up = "xyz".indexOf(parts[6]), list = parts.slice(0, 6).map(Number);
    if (parts.length !== 7 || parts[6].length !== 1 || up < 0 || !list.every(Number.isFinite)) return false;
    [this.yaw, this.pitch, this.zoom] = list;
    this.target = list.slice(3);
    this.up = up;
    this.turn(0, 0);
    this.scale(1);
    return true;
  }

  turn(dx, dy) {
    this.yaw -= dx;
    this.pitch = Math.max(-1.57, Math.min(1.57, this.pitch + dy));
  }

  // move shifts the target. dx and dy are fractions of the height of the picture.
  move(dx, dy, aspect) {
    const [x, y] = this.axes(), step = 2 * Math.tan(Camera.field / 2) * this.distance(aspect);
    for (let k = 0; k < 3; k++) this.target[k] -= step * (dx * x[k] - dy * y[k]);
  }

  // look moves the target to place and shows a ball of the given radius around place.
  look(place, radius) {
    this.target = place;
    this.zoom = 1;
    this.scale(this.radius / Math.max(radius, 1e-6));
  }

  scale(factor) { this.zoom = Math.max(0.02, Math.min(5000, this.zoom * factor)); }
}
Camera.field = 0.6; // the vertical angle of view
Camera.first = [-0.95, 0.38]; // initial yaw and pitch

