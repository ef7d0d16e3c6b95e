// bytes decodes the base64 text of an element in pieces.
function bytes(id) {
  const element = document.getElementById(id), text = element ? element.textContent : "";
  const pad = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const out = new Uint8Array(text.length / 4 * 3 - pad), piece = 1 << 18;
  for (let from = 0, at = 0; from < text.length; from += piece) {
    const part = atob(text.slice(from, from + piece));
    for (let i = 0; i < part.length; i++) out[at++] = part.charCodeAt(i);
  }
  if (element) element.textContent = ""; // frees half of the memory
  return out;
}

const arrayTypes = { uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, float32: Float32Array, float64: Float64Array };

// numbers returns an array of the page, or null if the page has no such array.
function numbers(settings, id) {
  const Type = arrayTypes[settings.arrays[id]];
  return Type ? new Type(bytes(id).buffer) : null;
}

// local returns positions relative to the middle of the box, in the unit of the frame. coordinates are
// the lists of all x, all y and all z.
function local(coordinates, { center, scale }) {
  const n = coordinates[0].length, out = new Float32Array(3 * n);
  for (let k = 0; k < 3; k++) {
    const list = coordinates[k], middle = center[k];
    for (let i = 0; i < n; i++) out[3 * i + k] = (list[i] - middle) / scale;
  }
  return out;
}

// readScene returns the data of the page. vertex and point have the exact coordinates, and vertices and
// points have the positions that are drawn.
function readScene() {
  const settings = JSON.parse(document.getElementById("settings").textContent);
  const read = (id) => numbers(settings, id), vectors = (id) => [0, 1, 2].map((k) => read(id + "-" + k));
  const scene = { settings, vertex: vectors("vertex"), point: vectors("point") };
  if (settings.reduced) { // the vertices are coordinates of the frame
    scene.vertex = scene.vertex.map((list, k) => Float64Array.from(list, (x) => x * settings.scale + settings.center[k]));
  }
  scene.vertices = local(scene.vertex, settings);
  scene.points = local(scene.point, settings);
  scene.faces = new Uint32Array(read("faces"));
  scene.numbers = read("numbers");
  scene.sides = new Uint8Array(read("sides"));
  scene.rows = read("rows");
  scene.bound = read("bound");
  scene.channels = settings.channels.map((c) => ({ ...c, data: c.kind === "state" ? scene.sides : read(c.key) }));
  scene.layers = settings.layers.map((l) => ({ ...l, data: new Float32Array(read("layer-" + l.key)), marks: read("marks-" + l.key) }));
  scene.body = bodyOfFaces(settings, scene.faces.length / 3);
  scene.far = Math.hypot(...settings.size);
  for (const list of [scene.vertices, scene.points]) {
    for (const x of list) if (Math.abs(x) * 1.8 > scene.far) scene.far = Math.abs(x) * 1.8; // √3
  }
  scene.counts = [0, 0, 0, 0];
  for (const s of scene.sides) scene.counts[s]++;
  return scene;
}

// bodyOfFaces returns the body of each triangle, or null if there is one body.
function bodyOfFaces({ runs }, count) {
  if (!runs.length) return null;
  const out = new Uint32Array(count);
  let at = 0;
  for (const [body, n] of runs) out.fill(body, at, at += n);
  return out;
}

// color converts #rrggbb to three numbers from 0 to 1.
function color(hex) {
  return [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);
}
