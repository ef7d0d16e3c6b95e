// A part of a classic script, which does not know its own address.

import { Side, configure, fromArrays } from "inpoly";

const tetrahedron = [[0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 9], [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]];

async function main() {
  const error = await fromArrays(...tetrahedron).catch((e) => e);
  if (error.code !== "load" || !/not an ES module.*see configure/.test(error.message)) throw error;
  configure({ wasm: "/files/inpoly.wasm", createWorker: () => new Worker("/files/inpoly-worker.js") });
  const solid = await fromArrays(...tetrahedron);
  const sides = await solid.sides([[1, 1, 1], [9, 9, 9]]);
  if (sides.join() !== [Side.INSIDE, Side.OUTSIDE].join()) throw new Error(`sides ${sides}`);
}

const report = new URLSearchParams(location.search).get("report");
const post = (result) => fetch(report, { method: "POST", body: JSON.stringify(result) });
main().then(() => undefined, (e) => String(e?.stack ?? e)).then((error) => post({ name: "inpoly", error })).then(() => post({ end: true }));
