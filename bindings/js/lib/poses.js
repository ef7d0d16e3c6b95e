// Poses that callers pass: quaternions, matrices and objects of three.js, which is not imported.

import { argumentError, className, isPlain, number, object, triple } from "./arguments.js";

// Returns poses as a Float64Array of 13 numbers each: 0, the quaternion w, x, y, z, and the translation; or
// 1, the rows of a matrix, and the translation. The rest is 0.
export function poses(value) {
  const list = Array.isArray(value) && !isRows(value) && typeof value[0] !== "number" ? value : [value];
  const out = new Float64Array(13 * list.length);
  list.forEach((p, i) => {
    const { rotation, translation } = pose(p);
    out[13 * i] = rotation.length === 9 ? 1 : 0;
    out.set(rotation, 13 * i + 1);
    out.set(translation, 13 * i + 1 + rotation.length);
  });
  return out;
}

// Returns the rotation of a pose, 4 numbers of a quaternion or 9 of a matrix, and its translation.
function pose(p) {
  if (isRows(p) || p?.elements !== undefined) return fromMatrix(rows(p, 4, "the matrix of a pose"));
  if (ArrayBuffer.isView(p) || (Array.isArray(p) && typeof p[0] === "number")) {
    throw argumentError("a pose cannot be a flat array of numbers, whose order is not clear: pass {rotation, translation}, a Matrix4 of three.js, or four rows");
  }
  object(p, "a pose");
  if (p.isQuaternion || p.isVector3 || p.isEuler) {
    throw argumentError("a pose cannot be a rotation or a translation alone: pass {rotation} or {translation}");
  }
  if (p.isObject3D && (hasValue(p.parent) || p.matrixAutoUpdate === false)) {
    p.updateWorldMatrix(true, false);
    return fromMatrix(rows(p.matrixWorld, 4, "the matrix of a pose"));
  }
  const placed = hasValue(p.position) && hasValue(p.quaternion);
  if (!placed || isPlain(p)) checkFields(p, placed);
  if (placed && hasValue(p.scale)) {
    triple(p.scale, "the scale of a pose").forEach((s) => {
      if (!(Math.abs(s - 1) <= 2 ** -19)) throw argumentError(`the scale of a pose is ${s}, must be 1: a pose cannot scale; scale the vertices instead`);
    });
  }
  const [turn, shift] = placed ? [p.quaternion, p.position] : [p.rotation, p.translation];
  return {
    rotation: hasValue(turn) ? rotation(turn) : [1, 0, 0, 0],
    translation: hasValue(shift) ? triple(shift, "the translation of a pose") : [0, 0, 0],
  };
}

const hasValue = (v) => v !== undefined && v !== null;

// Refuses fields that a pose does not have. So a misspelled field is not the identity.
function checkFields(p, placed) {
  const names = placed ? ["position", "quaternion", "scale"] : ["rotation", "translation"];
  for (const name of Object.keys(p)) {
    if (!names.includes(name)) {
      throw argumentError(`unknown field ${name} of a pose, must be rotation and translation (or position and quaternion)`);
    }
  }
  if (!names.some((name) => hasValue(p[name]))) {
    throw argumentError("a pose must have a rotation or a translation; the identity is {translation: [0, 0, 0]}");
  }
}

// Returns a quaternion w, x, y, z or the 9 numbers of a matrix, row by row.
function rotation(r) {
  if (r?.isEuler || (r && typeof r === "object" && "order" in r)) {
    throw argumentError("the rotation of a pose cannot be an Euler: pass the quaternion, as new Quaternion().setFromEuler(e)");
  }
  if (isRows(r) || r?.elements !== undefined) return rows(r, 3, "the rotation of a pose").flat();
  if (r && typeof r === "object" && ["w", "x", "y", "z"].every((name) => typeof r[name] === "number")) return [r.w, r.x, r.y, r.z];
  if (r?.length !== 4) {
    throw argumentError("the rotation of a pose must be a quaternion [w, x, y, z] or {x, y, z, w}, a Matrix3 of three.js, or three rows");
  }
  return Array.from(r, (x) => number(x, "the rotation of a pose"));
}

// Reports whether m has rows of numbers.
function isRows(m) {
  const row = Array.isArray(m) ? m[0] : undefined;
  return (Array.isArray(row) || ArrayBuffer.isView(row)) && typeof row[0] === "number";
}

// Returns n rows of n numbers. The elements of Matrix3 and Matrix4 of three.js are columns.
function rows(m, n, what) {
  const range = Array.from({ length: n }, (_, i) => i);
  if (m?.elements !== undefined) {
    const e = m.elements;
    if (e?.length !== n * n) throw argumentError(`${what} must have ${n * n} elements, not ${e?.length ?? className(e)}`);
    return range.map((i) => range.map((j) => number(e[n * j + i], what)));
  }
  if (m.length !== n || Array.from(m).some((row) => row?.length !== n)) throw argumentError(`${what} must have ${n} rows of ${n} numbers`);
  return range.map((i) => range.map((j) => number(m[i][j], what)));
}

function fromMatrix(m) {
  if (m[3][0] !== 0 || m[3][1] !== 0 || m[3][2] !== 0 || m[3][3] !== 1) {
    throw argumentError(`the last row of the matrix of a pose is ${m[3].join(", ")}, must be 0, 0, 0, 1`);
  }
  return { rotation: m.slice(0, 3).flatMap((row) => row.slice(0, 3)), translation: m.slice(0, 3).map((row) => row[3]) };
}
