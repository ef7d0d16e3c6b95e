// Checks the types with the compiler of TypeScript: the package typescript, or tsc in PATH.

import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { test } from "node:test";

const program = `
import { open, fromArrays, configure, terminate, InpolyError, Side, Solid, type Points, type Answers } from "inpoly";
import { load, type SyncSolid } from "inpoly/sync";
import { fromBufferGeometry, arraysOf } from "inpoly/three";
import { run, type RunResult } from "inpoly/command";

const solid: Solid = await fromArrays(new Float64Array(9), new Uint32Array(3), { rule: "evenodd", signal: AbortSignal.abort() });
const sides: Uint8Array = await solid.sides([[0, 0, 0]]);
const inside: boolean = sides[0] === Side.INSIDE;
const { windings, bounds }: { windings: Float64Array; bounds: Float64Array } = await solid.windings(new Float32Array(3));
const some = await solid.locate([{ x: 1, y: 2, z: 3 }], { answers: ["sides", "faces"] });
const indexes: Int32Array = some.faces;
// @ts-expect-error: not requested
some.windings;
// @ts-expect-error: unknown rule
await open("a.stl", { rule: "odd" });
// @ts-expect-error: the wrong type of array
await solid.sides(new Int32Array(3));
// @ts-expect-error: solids have no constructor
new Solid();
await fromArrays([{ name: "a", vertices: new Float64Array(9) }], { tolerance: 1 });
await fromArrays([0, 0, 0], { name: "a" });
await open([new Uint8Array(3), { name: "b.stl", data: new ArrayBuffer(3) }], { onProgress: ({ stage, done }) => [stage, done] });
const sync: SyncSolid = (await load()).open(new Uint8Array(1));
const now: Uint8Array = sync.sides(new Float64Array(3));
const { vertices, faces } = arraysOf({ attributes: {}, index: null });
const points: Points = vertices;
const keys: (keyof Answers)[] = ["sides"];
const third: Solid = await fromBufferGeometry({ attributes: {}, index: null }, { name: "g" });
if (new Error() instanceof InpolyError) terminate();
const result: RunResult = await run(["a.stl", "b.csv"], { "a.stl": new Blob([]), "b.csv": "b.csv" }, { onProgress: ({ name, done }) => [name, done] });
const out: Blob = result.files["c"]!;
// @ts-expect-error: a number is not a file
await run([], { "a.stl": 3 });
configure({ wasm: new URL("https://example.com/a.wasm") });
{
  using scoped: Solid = await open("a.stl");
  using now = (await load()).open(new Uint8Array(1));
  [scoped.closed, now.closed];
}
const morphs: { position?: number[]; normal?: number[] } = {};
await fromBufferGeometry({ attributes: {}, index: null, morphAttributes: morphs });
configure({ createWorker: () => new Worker("worker.js", { type: "module" }) });
export { out, inside, bounds, windings, indexes, now, faces, points, keys, third };
`;

const file = "node_modules/typescript/bin/tsc";
const tsc = existsSync(file) ? ["node", file] : ["tsc"];
const missing = spawnSync(tsc[0], [...tsc.slice(1), "--version"]).status !== 0;

const libraryOnly = `
import { fromArrays, type Points } from "inpoly";
import { load } from "inpoly/sync";
import { run } from "inpoly/command";
const points: Points = new Float64Array(3);
const solid = await fromArrays(points, { rule: "evenodd" });
solid.close();
(await run(["version"])).stdout.trim();
(await load()).fromArrays(points)[Symbol.dispose]();
`;

function compile(text, lib) {
  writeFileSync("types.mts", text);
  const options = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "--types", "", "--lib", lib];
  const { status, stdout, stderr } = spawnSync(tsc[0], [...tsc.slice(1), ...options, "types.mts"], { encoding: "utf8" });
  if (status !== 0) throw new Error(stdout + stderr);
}

test("types", { skip: missing && "tsc is missing" }, () => compile(program, "es2022,dom,esnext.disposable"));
test("types without esnext.disposable", { skip: missing && "tsc is missing" }, () => compile(libraryOnly, "es2022,dom"));
test("types without DOM", { skip: missing && "tsc is missing" }, () => compile(libraryOnly, "es2022"));
