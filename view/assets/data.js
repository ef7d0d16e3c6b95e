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

function floats(id) { return new Float32Array(bytes(id).buffer); }

// readScene returns the data of the page.
function readScene() {
  const settings = JSON.parse(document.getElementById("settings").textContent);
  const scene = {
    settings,
    vertices: floats("vertices"),
    faces: new Uint32Array(bytes("faces").buffer),
    points: floats("points"),
    sides: bytes("sides"),
    layers: settings.layers.map((l) => ({ ...l, data: floats("layer-" + l.key) })),
    far: Math.hypot(...settings.size),
  };
  for (const list of [scene.vertices, scene.points]) {
    for (const x of list) if (Math.abs(x) * 1.8 > scene.far) scene.far = Math.abs(x) * 1.8; // √3
  }
  scene.counts = [0, 0, 0, 0];
  for (const s of scene.sides) scene.counts[s]++;
  return scene;
}

// color converts #rrggbb to three numbers from 0 to 1.
function color(hex) {
  return [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);
}
