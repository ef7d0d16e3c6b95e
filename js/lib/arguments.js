// The arguments that callers pass, checked and converted to what the module takes.

import { InpolyError } from "./errors.js";

// The answers of Solid.locate.
export const answers = [
  "sides", "windings", "windingBounds", "distances", "distanceBounds", "nearest", "faces", "nearestBodies", "bodies",
];

const choices = ["first", "innermost", "count"];

export function argumentError(message) {
  return new InpolyError("argument", message);
}

function className(value) {
  if (value === null || typeof value !== "object") return typeof value === "object" ? "null" : typeof value;
  return Object.prototype.toString.call(value).slice(8, -1);
}

function checkAttached(array, what) {
  try {
    new Uint8Array(array.buffer);
  } catch {
    throw argumentError(`the buffer of ${what} is detached: it was transferred before`);
  }
}

function checkTriples(length, what) {
  if (length % 3 !== 0) throw argumentError(`the length of ${what}, ${length}, is not a multiple of 3`);
}

// Returns coordinates as a Float64Array or Float32Array. Without a copy if they are one.
export function coordinates(value, what) {
  const name = className(value);
  if (name === "Float64Array" || name === "Float32Array") {
    checkAttached(value, what);
    checkTriples(value.length, what);
    return value;
  }
  if (!Array.isArray(value)) {
    throw argumentError(`${what} must be a Float64Array, a Float32Array or an array of [x, y, z], not ${name}`);
  }
  if (value.length === 0 || typeof value[0] === "number") {
    checkTriples(value.length, what);
    return Float64Array.from(value, (x, i) => number(x, `${what}[${i}]`));
  }
  const out = new Float64Array(3 * value.length);
  value.forEach((p, i) => {
    const [x, y, z] = triple(p, `${what}[${i}]`);
    out.set([x, y, z], 3 * i);
  });
  return out;
}

function triple(p, what) {
  if (p === null || typeof p !== "object") throw argumentError(`${what} must be [x, y, z], not ${className(p)}`);
  if (typeof p.length !== "number" && "x" in p && "y" in p && "z" in p) p = [p.x, p.y, p.z];
  if (p.length !== 3) throw argumentError(`${what} must have 3 coordinates`);
  return Array.from(p, (x) => number(x, what));
}

export function number(x, what) {
  if (typeof x !== "number") throw argumentError(`${what} must be a number, not ${className(x)}`);
  return x;
}

// Returns indexes of vertices as a typed array. undefined stays undefined.
export function indexes(value, what) {
  if (value === undefined || value === null) return undefined;
  const name = className(value);
  if (name === "Uint32Array" || name === "Int32Array" || name === "Uint16Array") {
    checkAttached(value, what);
    checkTriples(value.length, what);
    return value;
  }
  if (!Array.isArray(value)) {
    throw argumentError(`${what} must be a Uint32Array, an Int32Array, a Uint16Array or an array, not ${name}`);
  }
  const flat = value.flat();
  checkTriples(flat.length, what);
  return Int32Array.from(flat, (v, i) => {
    if (!Number.isInteger(v) || v < 0 || v >= 2 ** 31) throw argumentError(`${what}: ${v} at ${i} is not an index`);
    return v;
  });
}

// Returns the meshes and the options of the arguments of fromArrays: (vertices, faces, options) or
// (list of {name, vertices, faces}, options). faces can be left out.
export function meshes(vertices, faces, options) {
  const isOptions = faces && typeof faces === "object" && !ArrayBuffer.isView(faces) && !Array.isArray(faces);
  if (isOptions && options === undefined) [faces, options] = [undefined, faces];
  options = object(options ?? {});
  if (!Array.isArray(vertices) || vertices[0]?.vertices === undefined) {
    return { meshes: [mesh({ name: options.name, vertices, faces }, "")], options };
  }
  if (faces !== undefined) throw argumentError("a list of meshes has the faces of each mesh in its own object");
  return { meshes: vertices.map((m, i) => mesh(m, ` of mesh ${i}`)), options };
}

function mesh(m, of) {
  if (m === null || typeof m !== "object") throw argumentError(`mesh${of} must be an object`);
  return {
    name: text(m.name ?? "", `the name${of}`),
    vertices: coordinates(m.vertices, `the vertices${of}`),
    faces: indexes(m.faces, `the faces${of}`),
  };
}

function text(value, what) {
  if (typeof value !== "string") throw argumentError(`${what} must be a string, not ${className(value)}`);
  return value;
}

// Returns bytes as a Uint8Array of the same memory, or undefined if the value has no bytes.
export function bytes(value) {
  const buffer = className(value);
  if (buffer === "ArrayBuffer" || buffer === "SharedArrayBuffer") return attached(() => new Uint8Array(value));
  if (!ArrayBuffer.isView(value)) return undefined;
  return attached(() => new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
}

function attached(view) {
  try {
    return view();
  } catch {
    throw argumentError("the buffer of the file is detached: it was transferred before");
  }
}

const controls = ["name", "signal", "onProgress", "transfer", "worker", "answers", "choice"];

// Returns the options of the module as JSON. Options of JavaScript are left out.
export function moduleOptions(options) {
  const out = {};
  for (const [name, value] of Object.entries(object(options))) {
    if (controls.includes(name) || value === undefined) continue;
    if (typeof value === "number" && !Number.isFinite(value)) {
      throw new InpolyError("option", `option ${name} is ${value}`);
    }
    out[name] = value;
  }
  return JSON.stringify(out);
}

export function object(options) {
  if (options === null || typeof options !== "object") throw argumentError(`the options must be an object, not ${className(options)}`);
  return options;
}

// Returns the parameters answers and choice of the method locate.
export function wanted(options) {
  const { answers: names = ["sides"], choice = "first" } = object(options);
  if (!Array.isArray(names) || names.length === 0) throw argumentError("answers must be a list of names");
  for (const n of names) {
    if (!answers.includes(n)) throw argumentError(`unknown answer ${JSON.stringify(n)}, must be one of ${answers.join(", ")}`);
  }
  if (!choices.includes(choice)) throw argumentError(`unknown choice ${JSON.stringify(choice)}, must be one of ${choices.join(", ")}`);
  return { answers: [...new Set(names)].join(","), choice };
}

// Reports whether a typed array is all of a buffer that can be transferred.
export function fillsBuffer(array) {
  return array.byteLength === array.buffer.byteLength && className(array.buffer) === "ArrayBuffer";
}
