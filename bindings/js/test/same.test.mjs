// The answers are those of Go, bit by bit, for closed and open meshes, all rules, and both types of
// points. run.mjs has built the program answers.

import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fromArrays, open } from "inpoly";
import { sphere } from "./cases.mjs";

const root = process.env.INPOLY_ROOT;
const n = 5000;

// Pseudorandom numbers in [0, 1).
function numbers(seed) {
  let x = seed;
  return () => (x = (x * 48271) % 2147483647) / 2147483647;
}

// Points around a box, some of them on corners of the mesh.
function cloud([low, high], vertices, Type) {
  const random = numbers(7);
  const points = new Type(3 * n).map((_, i) => low[i % 3] + (1.2 * random() - 0.1) * (high[i % 3] - low[i % 3]));
  for (let i = 0; i < 300; i++) {
    const v = 3 * Math.floor((random() * vertices.length) / 3);
    points.set(vertices.subarray(v, v + 3), 3 * i);
  }
  return points;
}

const text = (values, width) => Array.from({ length: values.length / width }, (_, i) => values.subarray(width * i, width * (i + 1)).join(" "));

// The mesh as an OBJ file. JavaScript writes the shortest digits that give the same float64.
function obj(vertices, faces) {
  return [...text(vertices, 3).map((v) => `v ${v}`), ...text(faces.map((v) => v + 1), 3).map((f) => `f ${f}`), ""].join("\n");
}

const meshes = { knot: new Uint8Array(readFileSync(process.env.INPOLY_KNOT)) };
const scene = join(root, "testdata/scene");
for (const name of readdirSync(scene).filter((f) => /\.(stl|obj|ply|off|glb|3mf)$/.test(f))) meshes[name] = new Uint8Array(readFileSync(join(scene, name)));
const [v, f] = sphere(40);
meshes["open.obj"] = new TextEncoder().encode(obj(v, f.subarray(0, 6 * 40 * 25)));

for (const [name, data] of Object.entries(meshes)) {
  for (const [rule, Type] of [["nonzero", Float64Array], ["positive", Float32Array], ["negative", Float64Array], ["evenodd", Float32Array]]) {
    test(`${name}, ${rule}, ${Type.name}`, async () => {
      const file = name.includes(".") ? name : `${name}.stl`;
      writeFileSync(file, data);
      const solid = await open(data, { name: file, rule });
      const { vertices, faces } = await solid.mesh();
      const points = cloud(solid.solids[0].box, vertices, Type);
      const answers = ["sides", "windings", "windingBounds", "distances", "distanceBounds", "nearest", "faces", "nearestBodies", "bodies"];
      const got = await solid.locate(points, { answers });
      writeFileSync("points", new Uint8Array(points.buffer));
      execFileSync(process.env.INPOLY_ANSWERS, ["-rule", rule, `-float32=${Type === Float32Array}`, "points", "answers", file]);
      for (const a of answers) {
        const want = readFileSync(`answers.${a}`);
        const bytes = Buffer.from(got[a].buffer);
        if (bytes.compare(want) !== 0) throw new Error(`${a} differ: ${difference(bytes, want, got[a].length)}`);
      }
      const copy = await fromArrays(vertices, faces, { rule, orient: "never" });
      const again = await copy.distances(points);
      if (Buffer.from(again.distances.buffer).compare(Buffer.from(got.distances.buffer)) !== 0) throw new Error("distances from arrays differ");
    });
  }
}

function difference(got, want, length) {
  if (got.length !== want.length) return `${got.length} bytes, want ${want.length}`;
  const at = got.findIndex((b, i) => b !== want[i]);
  return `element ${Math.floor((at * length) / got.length)} of ${length}`;
}
