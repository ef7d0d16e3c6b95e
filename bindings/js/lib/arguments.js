// The arguments that callers pass, checked and converted to what the module takes. `make api` writes the lists of
// names from bindings/api.json.

import { InpolyError } from "./errors.js";

// The answers of Solid.locate.
export const answers = [
  "sides", "windings", "windingBounds", "distances", "distanceBounds", "nearest", "faces", "nearestBodies", "bodies",
  "nearestBounds", "barycentric", "normals", "features",
];

const choices = ["first", "innermost", "count"];

export function argumentError(message) {
  return new InpolyError("argument", message);
}

export function className(value) {
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
  for (let i = 0; i < value.length; i++) out.set(triple(value[i], `${what}[${i}]`), 3 * i); // holes are refused
  return out;
}

export function triple(p, what) {
  if (p === null || typeof p !== "object") throw argumentError(`${what} must be [x, y, z], not ${className(p)}`);
  if (typeof p.length !== "number" && "x" in p && "y" in p && "z" in p) p = [p.x, p.y, p.z];
  if (p.length !== 3) throw argumentError(`${what} must have 3 coordinates`);
  return Array.from(p, (x) => number(x, what));
}

// Returns the starts and the other vectors of lines: {starts, directions} or {starts, ends}. One vector is
// used for all lines.
export function lines(value, needed = ["directions", "ends"]) {
  object(value, "the lines");
  for (const name of Object.keys(value)) {
    if (name !== "starts" && !needed.includes(name)) throw argumentError(`unknown field ${name} of the lines, must be starts or ${needed.join(" or ")}`);
  }
  const given = needed.filter((name) => value[name] !== undefined && value[name] !== null);
  if (given.length !== 1) throw argumentError(`the lines must have starts and ${needed.join(" or ")}`);
  const [starts, vectors] = pairs(value.starts, value[given[0]], "the starts", `the ${given[0]}`);
  return { starts, vectors, segments: given[0] === "ends" };
}

// Returns two arrays of as many coordinates. If one is a single vector, it is repeated.
export function pairs(a, b, whatA, whatB) {
  const first = oneOrMany(a, whatA);
  const second = oneOrMany(b, whatB);
  const n = first.single ? second.values.length : first.values.length;
  const repeat = ({ single, values }) => {
    if (!single || n === 3) return values;
    const out = new Float64Array(n);
    for (let i = 0; i < n; i++) out[i] = values[i % 3];
    return out;
  };
  const [x, y] = [repeat(first), repeat(second)];
  if (x.length !== y.length) throw argumentError(`${whatA} have ${x.length} coordinates, but ${whatB} have ${y.length}`);
  return [x, y];
}

function oneOrMany(value, what) {
  if (value !== null && typeof value === "object" && !ArrayBuffer.isView(value) && "x" in value) value = [value];
  const values = coordinates(value, what);
  return { values, single: values.length === 3 };
}

// Returns the first points of polylines as a Uint32Array. n is the number of points.
export function offsets(value) {
  if (!Array.isArray(value) && !ArrayBuffer.isView(value)) throw argumentError("the offsets must be an array of numbers");
  return Uint32Array.from(value, (v) => {
    if (!Number.isInteger(v) || v < 0 || v >= 2 ** 32) throw argumentError(`the offset ${String(v)} is not an index`);
    return v;
  });
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
  if (value.length === 0 || typeof value[0] === "number") {
    checkTriples(value.length, what);
    return Int32Array.from(value, (v, i) => vertex(v, `${what}[${i}]`));
  }
  const out = new Int32Array(3 * value.length);
  for (let i = 0; i < value.length; i++) out.set(corners(value[i], `${what}[${i}]`), 3 * i);
  return out;
}

function corners(face, what) {
  if (!Array.isArray(face) && !ArrayBuffer.isView(face)) throw argumentError(`${what} must be three indexes, not ${className(face)}`);
  if (face.length !== 3) throw argumentError(`${what} has ${face.length} indexes, not 3: faces must be triangles`);
  return Array.from(face, (v) => vertex(v, what));
}

function vertex(v, what) {
  if (!Number.isInteger(v) || v < 0 || v >= 2 ** 31) throw argumentError(`${what}: ${String(v)} is not an index`);
  return v;
}

// Returns the meshes and the options of the arguments of fromArrays: (vertices, faces, options) or
// (list of {name, vertices, faces}, options). faces can be left out.
export function meshes(vertices, faces, options) {
  if (className(faces) === "Object" && options === undefined) [faces, options] = [undefined, faces];
  options = object(options ?? {});
  if (!Array.isArray(vertices) || vertices[0]?.vertices === undefined) {
    return { meshes: [mesh({ name: options.name, vertices, faces }, "")], options };
  }
  if (faces !== undefined) throw argumentError("a list of meshes has the faces of each mesh in its own object");
  return { meshes: Array.from(vertices, (m, i) => mesh(m, ` of mesh ${i}`)), options };
}

function mesh(m, of) {
  if (m === null || typeof m !== "object") throw argumentError(`mesh${of} must be an object`);
  checkFields(m, ["name", "vertices", "faces"], of ? of.slice(4) : "the mesh");
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

// The options of a call that goes to another thread or takes turns with other events.
export const controls = ["signal", "onProgress", "transfer"];

const moduleNames = [
  "method", "rule", "orient", "tolerance", "epsilon", "expectedPoints", "maxMemory", "seed", "splitBodies", "parts",
  "weld",
];

const integers = ["expectedPoints", "maxMemory", "seed"];

const types = {
  method: "string", rule: "string", orient: "string", tolerance: "number", epsilon: "number", expectedPoints: "number",
  maxMemory: "number", seed: "number", splitBodies: "boolean", parts: "string", weld: "number",
  // and those of calls
  name: "string", choice: "string", step: "number", index: "number", density: "number", by: "string", format: "string",
  unit: "string", transfer: "boolean", worker: "boolean", onProgress: "function",
};

// Checks the names and the types of options. names are the names that are allowed. null is like undefined.
export function checkOptions(options, names) {
  for (const [name, value] of Object.entries(object(options))) {
    if (!names.includes(name)) throw argumentError(`unknown option ${name}, must be one of ${names.join(", ")}`);
    if (value === undefined || value === null) continue;
    if (name === "signal") checkSignal(value);
    const type = types[name];
    if (type && typeof value !== type) {
      throw argumentError(`option ${name} must be a ${type}, not ${className(value)}`);
    }
  }
}

function checkSignal(signal) {
  const { aborted, addEventListener, removeEventListener } = signal;
  if (typeof aborted === "boolean" && typeof addEventListener === "function" && typeof removeEventListener === "function") return;
  throw argumentError(`option signal must be an AbortSignal, not ${className(signal)}`);
}

// Checks the options of open and fromArrays. others are the names besides those of the module.
export function checkSolidOptions(options, others) {
  checkOptions(options, ["name", ...moduleNames, ...others]);
  moduleOptions(options);
}

// Returns the options of the module as JSON.
export function moduleOptions(options) {
  const out = {};
  for (const name of moduleNames) {
    const value = options[name];
    if (value === undefined || value === null) continue;
    if (typeof value === "number" && !Number.isFinite(value)) throw new InpolyError("option", `option ${name} is ${value}`);
    if (integers.includes(name) && !(Number.isSafeInteger(value) && value >= 0)) {
      throw new InpolyError("option", `option ${name} must be an integer from 0 to 2^53 − 1, not ${value}`);
    }
    out[name] = value;
  }
  return JSON.stringify(out);
}

export function object(value, what = "the options") {
  if (className(value) !== "Object") throw argumentError(`${what} must be an object, not ${className(value)}`);
  return value;
}

// Reports whether an object was written with braces, and is not of a class.
export function isPlain(value) {
  if (value === null || typeof value !== "object") return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

// Refuses fields of a plain object that have none of the names. So no misspelled field is ignored.
export function checkFields(value, names, what) {
  if (!isPlain(value)) return;
  for (const name of Object.keys(value)) {
    if (!names.includes(name)) throw argumentError(`unknown field ${name} of ${what}, must be one of ${names.join(", ")}`);
  }
}

// Returns the parameters answers and choice of the method locate.
export function wanted(options) {
  const names = options.answers ?? ["sides"];
  const choice = options.choice ?? "first";
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
