// Picking: which point or triangle is drawn at a place of the picture.

// pickPoint returns the index of the visible point whose disc contains a place, or −1. If there are several,
// it returns the point nearest to the viewer. transform is the product of the projection matrix and the
// view matrix, x and y are the place in pixels from the top left, and radius(w) returns the radius of the
// disc of a point with the given depth. shown(i) reports whether a point is visible.
function pickPoint({ points }, transform, width, height, x, y, radius, shown) {
  const m = transform;
  let best = -1, depth = Infinity;
  for (let i = 0; i < points.length; i += 3) {
    const px = points[i], py = points[i + 1], pz = points[i + 2];
    const w = m[3] * px + m[7] * py + m[11] * pz + m[15];
    if (!(w > 0) || w >= depth) continue;
    const dx = (0.5 + 0.5 * (m[0] * px + m[4] * py + m[8] * pz + m[12]) / w) * width - x;
    const dy = (0.5 - 0.5 * (m[1] * px + m[5] * py + m[9] * pz + m[13]) / w) * height - y;
    const r = radius(w, i / 3);
    if (dx * dx + dy * dy <= r * r && shown(i / 3)) {
      best = i / 3;
      depth = w;
    }
  }
  return { point: best, depth };
}

// pickFace returns the first triangle that a ray crosses (Möller, Trumbore 1997), or −1. It ignores triangles
// for which shown returns false and places for which kept returns false. u and v are the weights of the
// second and the third corner.
function pickFace({ faces, vertices }, { from, along }, shown, kept) {
  const [ox, oy, oz] = from, [dx, dy, dz] = along;
  const best = { face: -1, t: Infinity, u: 0, v: 0 };
  for (let i = 0; i < faces.length; i += 3) {
    const a = 3 * faces[i], b = 3 * faces[i + 1], c = 3 * faces[i + 2];
    const ax = vertices[a], ay = vertices[a + 1], az = vertices[a + 2];
    const ex = vertices[b] - ax, ey = vertices[b + 1] - ay, ez = vertices[b + 2] - az;
    const fx = vertices[c] - ax, fy = vertices[c + 1] - ay, fz = vertices[c + 2] - az;
    const px = dy * fz - dz * fy, py = dz * fx - dx * fz, pz = dx * fy - dy * fx, det = ex * px + ey * py + ez * pz;
    if (det === 0) continue;
    const sx = ox - ax, sy = oy - ay, sz = oz - az, u = (sx * px + sy * py + sz * pz) / det;
    if (!(u >= 0 && u <= 1)) continue;
    const qx = sy * ez - sz * ey, qy = sz * ex - sx * ez, qz = sx * ey - sy * ex, v = (dx * qx + dy * qy + dz * qz) / det;
    if (!(v >= 0 && u + v <= 1)) continue;
    const t = (fx * qx + fy * qy + fz * qz) / det;
    if (t > 0 && t < best.t && shown(i / 3) && kept(ox + t * dx, oy + t * dy, oz + t * dz)) Object.assign(best, { face: i / 3, t, u, v });
  }
  return best;
}

// defectsOf returns the kinds of defects of a triangle: of the triangle itself, or of one of its edges.
function defectsOf({ layers, faces }, face) {
  const corners = [0, 1, 2].map((k) => faces[3 * face + k]);
  return layers.filter((l) => {
    if (!l.marks) return false;
    if (!l.edges) return l.marks.includes(face);
    for (let i = 0; i < l.marks.length; i += 2) {
      if (corners.includes(l.marks[i]) && corners.includes(l.marks[i + 1])) return true;
    }
    return false;
  });
}

// placeText returns a coordinate with digits down to about a millionth of the size of the mesh. It is for
// places on a surface, which are picked with the accuracy of the picture.
function placeText(x, scale) {
  const digits = Math.max(0, Math.min(20, 6 - Math.floor(Math.log10(scale))));
  return Math.abs(x) < 1e15 && digits > 0 && digits < 20 ? String(Number(x.toFixed(digits))) : String(Number(x.toPrecision(9)));
}

// command returns the command that explains a place. The name of the file is quoted for a POSIX shell.
function command(file, place) {
  const path = file.startsWith("-") ? "./" + file : file;
  const name = /^[A-Za-z0-9_@%+=:,./-]+$/.test(path) ? path : "'" + path.replaceAll("'", "'\\''") + "'";
  return `inpoly explain ${name} ${place.join(",")}`;
}
