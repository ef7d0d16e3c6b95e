// findEdges returns the edges of the triangles as pairs of vertices: all edges, and the sharp edges, which
// are sides of one triangle or of more than two, or where two triangles meet at more than 30°.
function findEdges(faces, vertices) {
  const count = faces.length / 3, all = new Uint32Array(6 * count), first = new Int32Array(3 * count), flags = new Uint8Array(3 * count);
  let size = 16;
  while (size < 6 * count) size *= 2;
  const table = new Int32Array(size), mask = size - 1; // index of an edge plus 1, or 0
  let n = 0;
  for (let f = 0; f < count; f++) {
    for (let k = 0; k < 3; k++) {
      const a = faces[3 * f + k], b = faces[3 * f + (k + 1) % 3], lo = Math.min(a, b), hi = Math.max(a, b);
      let at = (Math.imul(lo, 0x9e3779b1) ^ Math.imul(hi, 0x85ebca6b)) & mask;
      at = (at ^ at >>> 15) & mask;
      while (table[at] && (all[2 * table[at] - 2] !== lo || all[2 * table[at] - 1] !== hi)) at = at + 1 & mask;
      if (!table[at]) {
        all[2 * n] = lo;
        all[2 * n + 1] = hi;
        first[n] = f;
        flags[n] = 1; // one triangle
        table[at] = ++n;
        continue;
      }
      const e = table[at] - 1;
      flags[e] = flags[e] === 1 ? (isSharp(faces, vertices, first[e], f) ? 2 : 0) : 2; // 0: smooth, 2: sharp
    }
  }
  const sharp = [];
  for (let e = 0; e < n; e++) if (flags[e]) sharp.push(all[2 * e], all[2 * e + 1]);
  return { all: all.slice(0, 2 * n), sharp: Uint32Array.from(sharp) };
}

// isSharp reports whether the planes of two triangles meet at more than 30°. The orientation of the
// triangles does not matter.
function isSharp(faces, vertices, f, g) {
  const a = normal(faces, vertices, f), b = normal(faces, vertices, g), l = Math.sqrt(dot(a, a) * dot(b, b));
  return l > 0 && Math.abs(dot(a, b)) < 0.866 * l; // cos 30°
}

// normal returns the normal of a triangle with the length of twice the area.
function normal(faces, vertices, f) {
  const a = 3 * faces[3 * f], b = 3 * faces[3 * f + 1], c = 3 * faces[3 * f + 2];
  const ux = vertices[b] - vertices[a], uy = vertices[b + 1] - vertices[a + 1], uz = vertices[b + 2] - vertices[a + 2];
  const vx = vertices[c] - vertices[a], vy = vertices[c + 1] - vertices[a + 1], vz = vertices[c + 2] - vertices[a + 2];
  return [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
}

// meanLength returns the mean length of at most 2000 edges.
function meanLength(edges, vertices) {
  const n = edges.length / 2, step = Math.max(1, Math.floor(n / 2000));
  let sum = 0, count = 0;
  for (let e = 0; e < n; e += step, count++) {
    const a = 3 * edges[2 * e], b = 3 * edges[2 * e + 1];
    sum += Math.hypot(vertices[a] - vertices[b], vertices[a + 1] - vertices[b + 1], vertices[a + 2] - vertices[b + 2]);
  }
  return count ? sum / count : 0;
}

// coarse returns triangles whose corners are the first vertices in the cubes of a grid with about 2n cubes
// along the longest side of the box. The page draws them while a large mesh moves.
function coarse(faces, vertices, n) {
  const key = (v) => {
    const at = (x) => Math.max(0, Math.min(2 * n, Math.floor((x + 1) * n)));
    return (at(vertices[3 * v]) * (2 * n + 1) + at(vertices[3 * v + 1])) * (2 * n + 1) + at(vertices[3 * v + 2]);
  };
  const firsts = new Map(), to = new Int32Array(vertices.length / 3).fill(-1);
  const first = (v) => {
    if (to[v] < 0) {
      const k = key(v);
      if (!firsts.has(k)) firsts.set(k, v);
      to[v] = firsts.get(k);
    }
    return to[v];
  };
  const out = [], seen = new Set(), m = to.length;
  for (let i = 0; i < faces.length; i += 3) {
    const a = first(faces[i]), b = first(faces[i + 1]), c = first(faces[i + 2]);
    if (a === b || b === c || c === a) continue;
    const lo = Math.min(a, b, c), hi = Math.max(a, b, c), k = lo * m + hi + (a + b + c - lo - hi) / m; // distinct triangles can share k; then one is missing
    if (seen.has(k)) continue;
    seen.add(k);
    out.push(a, b, c);
  }
  return Uint32Array.from(out);
}
