// The vertices and faces of a BufferGeometry of three.js, which is not imported.

import { argumentError } from "./arguments.js";

export function arraysOf(geometry) {
  const position = geometry?.attributes?.position;
  if (!position) throw argumentError("the geometry has no attribute position: it must be a BufferGeometry");
  if (position.itemSize !== 3) throw argumentError(`the attribute position has ${position.itemSize} numbers a vertex, not 3`);
  if (geometry.morphAttributes?.position?.length > 0) {
    throw argumentError("the geometry has morph targets: compute the morphed positions and pass them to fromArrays");
  }
  const index = geometry.index;
  const { start, count } = range(geometry, index ? index.count : position.count);
  if (count % 3 !== 0) throw argumentError(`the geometry draws ${count} corners, which is not a multiple of 3`);
  const vertices = vectors(position);
  if (index) return { vertices, faces: Uint32Array.from({ length: count }, (_, i) => index.getX(start + i)) };
  return { vertices: vertices.subarray(3 * start, 3 * (start + count)), faces: undefined };
}

// The drawn part of n corners. drawRange.count is Infinity by default.
function range({ drawRange = { start: 0, count: Infinity } }, n) {
  const start = Math.min(n, drawRange.start);
  return { start, count: Math.min(n - start, drawRange.count) };
}

// The positions as an array. Attributes that are interleaved or normalized are converted by their own
// methods, as three.js does.
function vectors(position) {
  const plain = !position.isInterleavedBufferAttribute && !position.normalized;
  const { array } = position;
  if (plain && (array instanceof Float32Array || array instanceof Float64Array)) {
    return array.subarray(0, 3 * position.count);
  }
  const out = new Float64Array(3 * position.count);
  for (let i = 0; i < position.count; i++) {
    out[3 * i] = position.getX(i);
    out[3 * i + 1] = position.getY(i);
    out[3 * i + 2] = position.getZ(i);
  }
  return out;
}
