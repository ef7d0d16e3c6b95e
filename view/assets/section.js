// Sections of the mesh with a plane, and winding numbers on the plane.

// sliceAxes returns the axes that point right and up in a picture of a slice, as in package view.
function sliceAxes(axis, up) {
  return axis === 0 && up === 1 ? [2, 1] : [[1, 2], [0, 2], [0, 1]][axis];
}

// sliceGrid returns the range and the numbers of pixels of a slice, as newSlice in package view.
function sliceGrid(slice, axis, up, pixels) {
  const axes = sliceAxes(axis, up), lo = axes.map((k) => slice.low[k]), hi = axes.map((k) => slice.high[k]);
  let side = Math.max(hi[0] - lo[0], hi[1] - lo[1]);
  if (!(side > 0)) return null;
  for (let k = 0; k < 2; k++) {
    lo[k] -= slice.margin * side;
    hi[k] += slice.margin * side;
  }
  const size = [hi[0] - lo[0], hi[1] - lo[1]];
  side = Math.max(...size);
  const [cols, rows] = size.map((s) => Math.max(1, Math.round(pixels * (s / side))));
  return { axes, lo, hi, cols, rows };
}

// section returns the segments in which the triangles cross a plane: numbers x, y, x, y along the given
// axes. A vertex on the plane counts as above it, so the segments of a closed mesh form closed curves. The
// second point of a segment is where its triangle, in the order of its corners, goes up through the plane.
function section({ vertex, faces }, axis, value, [right, up]) {
  const h = vertex[axis], r = vertex[right], u = vertex[up], out = [], ends = [0, 0, 0, 0];
  for (let i = 0; i < faces.length; i += 3) {
    const a = h[faces[i]] >= value, b = h[faces[i + 1]] >= value, c = h[faces[i + 2]] >= value;
    if (a === b && b === c) continue;
    for (let k = 0; k < 3; k++) {
      let p = faces[i + k], q = faces[i + (k + 1) % 3];
      const rises = h[q] >= value;
      if ((h[p] >= value) === rises) continue;
      if (p > q) [p, q] = [q, p]; // both triangles of an edge compute the same point
      const t = (value / 2 - h[p] / 2) / (h[q] / 2 - h[p] / 2), at = rises ? 2 : 0;
      ends[at] = r[p] * (1 - t) + r[q] * t;
      ends[at + 1] = u[p] * (1 - t) + u[q] * t;
    }
    out.push(...ends);
  }
  return out;
}

// fill returns the winding numbers of the centers of the pixels, from the top row, for the section of a
// closed mesh. A ray to the right crosses a face that points right where it crosses a segment that points
// up, if the axes right, up and across the plane are right-handed.
function fill(segments, axis, { axes, lo, hi, cols, rows }) {
  const sign = (axes[0] + 1) % 3 === axes[1] ? 1 : -1, out = new Int32Array(cols * rows), changes = new Int32Array((cols + 1) * rows);
  const height = (hi[1] - lo[1]) / rows, width = (hi[0] - lo[0]) / cols;
  const y = (j) => hi[1] - (hi[1] - lo[1]) * ((j + 0.5) / rows), x = (i) => lo[0] + (hi[0] - lo[0]) * ((i + 0.5) / cols);
  for (let s = 0; s < segments.length; s += 4) {
    const ax = segments[s], ay = segments[s + 1], bx = segments[s + 2], by = segments[s + 3];
    const top = Math.max(ay, by), bottom = Math.min(ay, by);
    let j = Math.max(0, Math.floor((hi[1] - top) / height - 0.5) - 1);
    for (; j < rows; j++) {
      const v = y(j);
      if (v < bottom) break;
      if ((ay >= v) === (by >= v)) continue;
      const cross = ax + (bx - ax) * ((v - ay) / (by - ay));
      let i = Math.max(0, Math.min(cols, Math.round((cross - lo[0]) / width))); // number of centers to the left of the crossing
      while (i > 0 && x(i - 1) >= cross) i--;
      while (i < cols && x(i) < cross) i++;
      changes[j * (cols + 1) + i] += by > ay ? sign : -sign;
    }
  }
  for (let j = 0; j < rows; j++) {
    for (let i = cols - 1, w = changes[j * (cols + 1) + cols]; i >= 0; i--) {
      out[j * cols + i] = w;
      w += changes[j * (cols + 1) + i];
    }
  }
  return out;
}

// windingColor returns the color of a winding number, from 0 to 255.
function windingColor(scale, w) {
  if (w <= scale[0].w) return scale[0].color;
  for (let i = 1; i < scale.length; i++) {
    const a = scale[i - 1], b = scale[i];
    if (w <= b.w) return a.color.map((x, k) => Math.round(x + (w - a.w) / (b.w - a.w) * (b.color[k] - x)));
  }
  return scale[scale.length - 1].color;
}
