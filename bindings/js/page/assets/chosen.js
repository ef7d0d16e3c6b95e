// The files that the user has chosen, and their roles: mesh, points or other. Files of other roles can be
// read by the command, such as the buffers of glTF.

const meshSuffixes = [
  "stl", "stla", "stlb", "obj", "off", "coff", "noff", "cnoff", "stoff", "gltf", "glb", "3mf", "msh", "vtk", "vtp", "vtu", "vts", "vtr", "vti", "cityjson",
];
const pointSuffixes = ["csv", "tsv", "tab", "txt", "text", "xyz", "dat", "pts", "asc", "prn", "npy", "las", "laz", "parquet", "pcd", "npz", "geojson", "geojsonl", "jsonl", "ndjson"];
const companions = ["bin", "mtl", "png", "jpg", "jpeg", "webp", "ktx2"];

// suffix returns the suffix of a file name in lower case, without the suffix of compression.
function suffix(name) {
  const m = /\.([^.]+)$/.exec(name.toLowerCase().replace(/\.(gz|zst|zstd)$/, ""));
  return m ? m[1] : "";
}

// start returns the first bytes of a file as text. It unpacks gzip.
async function start(file, length) {
  const two = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (two[0] !== 0x1f || two[1] !== 0x8b) return new TextDecoder().decode(await file.slice(0, length).arrayBuffer());
  const reader = file.stream().pipeThrough(new DecompressionStream("gzip")).getReader(), decoder = new TextDecoder();
  let text = "";
  while (text.length < length) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  reader.cancel().catch(() => {});
  return text.slice(0, length);
}

class Chosen {
  constructor() { this.list = []; } // { name, file, role }

  of(role) { return this.list.filter((f) => f.role === role); }
  inputs() { return this.list.map((f) => [f.name, f.file]); }

  // add adds files. New meshes replace the old meshes, and a new point file replaces the old one. It returns a
  // sentence about replaced files, or "".
  async add(files) {
    const names = files.map((f) => f.name), hasText = [...names, ...this.of("mesh").map((f) => f.name)].some((n) => ["gltf", "obj"].includes(suffix(n)));
    const fresh = [];
    for (const file of files) fresh.push({ name: file.name.replaceAll("/", "_"), file, role: await this.role(file, hasText) });
    const unknown = fresh.filter((f) => f.role === "");
    for (const f of unknown) { // the command says what is wrong
      const mesh = fresh.some((o) => o.role === "mesh") || this.of("mesh").length > 0;
      f.role = mesh ? "points" : "mesh";
    }
    const replaced = this.list.filter((old) => fresh.some((f) => f.name === old.name || f.role === old.role && f.role !== "other"));
    this.list = this.list.filter((old) => !replaced.includes(old));
    for (const f of fresh) {
      if (this.list.some((old) => old.name === f.name)) continue;
      this.list.push(f);
    }
    this.single(this.of("points").pop());
    const names_ = replaced.filter((old) => !fresh.some((f) => f.name === old.name)).map((f) => f.name);
    return names_.length ? `Replaced: ${names_.join(", ")}` : "";
  }

  // single makes the file the only point file.
  single(file) {
    for (const f of this.of("points")) if (f !== file) f.role = "other";
  }

  set(file, role) {
    file.role = role;
    if (role === "points") this.single(file);
  }

  remove(file) { this.list = this.list.filter((f) => f !== file); }

  // role returns the role of a file by its suffix. A PLY file with faces is a mesh.
  async role(file, companion) {
    const s = suffix(file.name);
    if (meshSuffixes.includes(s) || /\.city\.jsonl?(\.gz|\.zstd?)?$/i.test(file.name)) return "mesh";
    if (pointSuffixes.includes(s)) return "points";
    if (companion && companions.includes(s)) return "other";
    if (s !== "ply") return "";
    const head = await start(file, 1 << 16).catch(() => "");
    return /^element\s+(face\w*|tristrips)\s+0*[1-9]/m.test(head.split(/^end_header/m)[0]) ? "mesh" : "points";
  }
}
