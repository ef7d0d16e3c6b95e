// Checks the types with the compiler of TypeScript: the package typescript, or tsc in PATH.

import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { Solid } from "inpoly";

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

// A program with the expected types of all methods. It also runs: is compares the type that the compiler infers
// with the class of the value.
const expected = `
import { Side, fromArrays, open, type AllHits, type Explanation, type Hits, type Intervals, type Nearest, type Points, type Pose, type Properties, type Report, type Section, type Solid } from "inpoly";
import { load, type SyncSolid } from "inpoly/sync";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
interface Names {
  Float64Array: Float64Array; Uint8Array: Uint8Array; Int8Array: Int8Array; Int32Array: Int32Array; Uint32Array: Uint32Array;
  Number: number; Boolean: boolean; String: string; Strings: string[]; Numbers: number[]; Frozen: readonly string[];
}
let count = 0;
function is<K extends keyof Names, T>(name: K, value: T, ..._: Same<T, Names[K]> extends true ? [] : [never]): void {
  const found = Array.isArray(value) ? ({ "": "Strings", string: "Strings", number: "Numbers" }[[...new Set(value.map((v) => typeof v))].join()] ?? "Array") : Object.prototype.toString.call(value).slice(8, -1);
  if (found !== name.replace("Frozen", "Strings")) throw new Error("expected " + name + ", found " + found);
  count++;
}
// typed checks the type alone.
function typed<E>() { return <T,>(value: T, ..._: Same<T, E> extends true ? [] : [never]): T => value; }

const corners = new Float64Array([0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 9]);
const faces = new Uint32Array([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]);
const points: Points = [[1, 1, 1], [NaN, 0, 0]];
const solid = typed<Solid>()(await fromArrays(corners, faces, { method: "cells", rule: "positive", orient: "never" }));
const now = typed<SyncSolid>()((await load()).fromArrays(corners, faces));
const lines = { starts: [[1, 2, -3], [1, NaN, 0]] as [number, number, number][], directions: [0, 0, 1] };
const segments = { starts: { x: 1, y: 2, z: -3 }, ends: [1, 2, 9] };

function hits(h: Hits) {
  is("Float64Array", h.t); is("Float64Array", h.bounds); is("Int32Array", h.faces); is("Int32Array", h.bodies); is("Int8Array", h.signs); is("Int8Array", h.jumps);
}
function nearest(n: Nearest) {
  is("Float64Array", n.points); is("Float64Array", n.bounds); is("Int32Array", n.faces); is("Int32Array", n.bodies); is("Uint8Array", n.features);
  is("Float64Array", n.normals); is("Float64Array", n.barycentric);
}
function intervals(v: Intervals) {
  is("Uint32Array", v.offsets); is("Uint8Array", v.sides); is("Float64Array", v.starts); is("Float64Array", v.startBounds); is("Float64Array", v.ends);
  is("Float64Array", v.endBounds); is("Float64Array", v.lengths); is("Float64Array", v.lengthBounds); is("Int32Array", v.firstSegments); is("Int32Array", v.lastSegments);
}
function sections(list: Section[]) {
  const s = list[0]!;
  is("Boolean", s.closed); is("String", s.rule); is("Number", s.bound); is("Boolean", s.contours[0]!.closed); is("Number", s.polygons[0]!.outer.area);
  typed<number | null>()(s.area); typed<number[][]>()(s.polygons[0]!.outer.points); typed<number[]>()(s.plane.origin);
}
function measured(list: Properties[]) {
  const p = list[0]!;
  is("String", p.name); is("Number", p.faces); is("Boolean", p.closed); is("String", p.reason);
  typed<number | null>()(p.volume); typed<(number | null)[]>()(p.centroid); typed<(number | null)[][]>()(p.inertia);
}
function explained(list: Explanation[]) {
  const e = list[0]!;
  is("String", e.name); is("String", e.because); is("Number", e.tolerance); typed<"in" | "out" | "on" | "uncertain">()(e.side); typed<number | null>()(e.winding);
}
function reported(r: Report) {
  is("Strings", r.names); is("Strings", r.warnings); is("Boolean", r.defects); typed<Record<string, unknown>[]>()(r.solids);
}

is("Uint8Array", await solid.sides(points)); is("Uint8Array", now.sides(points));
is("Uint8Array", await solid.contains(points)); is("Uint8Array", now.contains(points));
const w = await solid.windings(points), ws = now.windings(points);
is("Float64Array", w.windings); is("Float64Array", w.bounds); is("Float64Array", ws.windings); is("Float64Array", ws.bounds);
const d = await solid.distances(points), ds = now.distances(points);
is("Float64Array", d.distances); is("Float64Array", d.bounds); is("Float64Array", ds.distances); is("Float64Array", ds.bounds);
nearest(await solid.nearest(points)); nearest(now.nearest(points));
is("Int32Array", await solid.bodies(points, { choice: "count" })); is("Int32Array", now.bodies(points, { choice: "innermost" }));
for (const a of [
  await solid.locate(points, { answers: ["sides", "windings", "windingBounds", "distances", "distanceBounds", "nearest", "faces", "nearestBodies", "bodies", "nearestBounds", "normals", "features", "barycentric"] }),
  now.locate(points, { answers: ["sides", "windings", "windingBounds", "distances", "distanceBounds", "nearest", "faces", "nearestBodies", "bodies", "nearestBounds", "normals", "features", "barycentric"] }),
]) {
  is("Uint8Array", a.sides); is("Float64Array", a.windings); is("Float64Array", a.windingBounds); is("Float64Array", a.distances); is("Float64Array", a.distanceBounds);
  is("Float64Array", a.nearest); is("Int32Array", a.faces); is("Int32Array", a.nearestBodies); is("Int32Array", a.bodies); is("Float64Array", a.nearestBounds);
  is("Float64Array", a.normals); is("Uint8Array", a.features); is("Float64Array", a.barycentric);
}
is("Uint8Array", (await solid.locate(points)).sides);
explained(await solid.explain(1, 1, 1)); explained(now.explain(1, 1, 1));
reported(await solid.report()); reported(now.report());
is("Strings", await solid.warnings()); is("Strings", now.warnings());
for (const m of [await solid.mesh(), now.mesh(0)]) { is("Float64Array", m.vertices); is("Int32Array", m.faces); }
hits(await solid.firstHits(lines)); hits(now.firstHits(segments));
is("Uint8Array", await solid.anyHits(lines)); is("Uint8Array", now.anyHits(segments));
const all = typed<AllHits>()(await solid.allHits(lines)), alls = typed<AllHits>()(now.allHits(segments));
hits(all); hits(alls); is("Uint32Array", all.offsets); is("Uint32Array", alls.offsets);
intervals(await solid.intervals(segments, { step: 1, index: 0 })); intervals(now.intervals(segments, { step: 1 }));
intervals(await solid.polylineIntervals(corners, [0, 2, 4])); intervals(now.polylineIntervals(corners, new Uint32Array([0, 4])));
sections(await solid.sections([0, 0, 3], [0, 0, 1])); sections(now.sections([0, 0, 3], [0, 0, 1], { index: 0 }));
is("String", await solid.drawSections([0, 0, 3], [0, 0, 1], { format: "geojson" })); is("String", now.drawSections([0, 0, 3], [0, 0, 1], { unit: "mm" }));
measured(await solid.measure({ by: "component", density: 2 })); measured(now.measure({ by: "body" }));
const larger = typed<Solid>()(await solid.refit((await solid.mesh()).vertices)), sameSync = typed<SyncSolid>()(now.refit(now.mesh(0).vertices));
const moved = typed<Solid>()(await solid.at({ translation: [1, 0, 0] })), posed = typed<SyncSolid>()(now.at([{ rotation: [1, 0, 0, 0] }]));
const pose = typed<Pose | readonly Pose[] | null>()(moved.pose) as Pose, poses = typed<Pose | readonly Pose[] | null>()(posed.pose) as Pose;
for (const p of [pose, poses]) { is("Numbers", p.rotation); is("Numbers", p.translation); }
if (typed<Pose | readonly Pose[] | null>()(solid.pose) !== null || now.pose !== null) throw new Error("a solid that was not moved has a pose");
is("Frozen", solid.names); is("Frozen", now.names); is("Boolean", solid.closed); is("Boolean", now.closed);
const info = solid.solids[0]!;
typed<Pose | null>()(info.pose);
is("String", info.name); is("Number", info.vertices); is("Number", info.faces); is("Boolean", info.closed);
typed<1>()(Side.OUTSIDE);
typed<void>()(moved.close()); typed<void>()(posed.close());

async function errors() {
  // @ts-expect-error: another type, so these checks can fail
  is("Int32Array", ws.windings);
  // @ts-expect-error: another type
  typed<Properties>()(await solid.measure());
  // @ts-expect-error: unknown method
  await open("a.stl", { method: "wrong" });
  // @ts-expect-error: unknown orientation
  await fromArrays(corners, faces, { orient: "x" });
  // @ts-expect-error: unknown option
  await fromArrays(corners, faces, { colour: 1 });
  // @ts-expect-error: a text is no number
  await open("a.stl", { tolerance: "1" });
  // @ts-expect-error: rays have no ends
  await solid.intervals(lines);
  // @ts-expect-error: neither directions nor ends
  await solid.firstHits({ starts: corners });
  // @ts-expect-error: unknown part
  await solid.measure({ by: "half" });
  // @ts-expect-error: a list of parts
  (await solid.measure()).volume;
  // @ts-expect-error: unknown answer
  await solid.locate(points, { answers: ["side"] });
  // @ts-expect-error: unknown format
  await solid.drawSections(corners, corners, { format: "png" });
  // @ts-expect-error: a promise has no elements
  solid.sides(points)[0];
  // @ts-expect-error: no signal without a worker
  now.sides(points, { signal: AbortSignal.abort() });
  // @ts-expect-error: two numbers are no point
  await solid.sides([{ x: 1, y: 2 }]);
}
errors.length;
solid.close(); now.close();
console.log(count);
process.exit(0);
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

// Compiles a program. A file has the options, because not all versions of the compiler take empty lists in arguments.
function compile(text, lib, emit = false) {
  writeFileSync("types.mts", text);
  const compilerOptions = { strict: true, noEmit: !emit, module: "nodenext", target: "es2022", types: [], lib };
  writeFileSync("tsconfig.json", JSON.stringify({ compilerOptions, files: ["types.mts"] }));
  const { status, stdout, stderr } = spawnSync(tsc[0], [...tsc.slice(1), "--project", "tsconfig.json"], { encoding: "utf8" });
  if (status !== 0) throw new Error(stdout + stderr);
}

test("types", { skip: missing && "tsc is missing" }, () => compile(program, ["es2022", "dom", "esnext.disposable"]));
test("types without esnext.disposable", { skip: missing && "tsc is missing" }, () => compile(libraryOnly, ["es2022", "dom"]));
test("types without DOM", { skip: missing && "tsc is missing" }, () => compile(libraryOnly, ["es2022"]));
test("expected types", { skip: missing && "tsc is missing" }, () => {
  compile(`declare const process: { exit(code: number): never };\n${expected}`, ["es2022", "dom", "esnext.disposable"], true);
  const { status, stdout, stderr } = spawnSync("node", ["types.mjs"], { encoding: "utf8" });
  if (status !== 0 || !(Number(stdout) > 100)) throw new Error(stdout + stderr);
});
// A method without an expected type would not be checked above.
test("all methods have an expected type", () => {
  for (const name of Object.getOwnPropertyNames(Solid.prototype)) {
    if (name !== "constructor" && !expected.includes(`solid.${name}`)) throw new Error(`${name} has no expected type`);
  }
});
