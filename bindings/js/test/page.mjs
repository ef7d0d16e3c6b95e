// Runs the cases in a page and posts the results to the server.

import * as inpoly from "../node_modules/inpoly/index.js";
import * as sync from "../node_modules/inpoly/sync.js";
import * as three from "../node_modules/inpoly/three.js";
import * as command from "../node_modules/inpoly/command.js";
import { cases } from "./cases.mjs";
import { commandCases } from "./command-cases.mjs";

const environment = {
  inpoly, sync, three, command, opens: 300,
  data: async (name) => (await fetch(`../data/${name}`)).blob(),
  knot: async () => new Uint8Array(await (await fetch("/knot.stl")).arrayBuffer()),
};
const report = new URLSearchParams(location.search).get("report");
const post = (result) => fetch(report, { method: "POST", body: JSON.stringify(result) });

cases["a URL"] = async () => {
  const solid = await inpoly.open("/knot.stl");
  const same = await inpoly.open(new URL("/knot.stl", location.href));
  if (solid.names[0] !== "knot" || same.names[0] !== "knot") throw new Error(`names ${solid.names}, ${same.names}`);
  const error = await inpoly.open("/missing.stl").catch((e) => e);
  if (error.code !== "file" || !/404/.test(error.message)) throw error;
};

cases["no Worker"] = async () => {
  const { Worker } = globalThis;
  inpoly.terminate();
  globalThis.Worker = undefined;
  try {
    const error = await inpoly.fromArrays(new Float64Array(9)).catch((e) => e);
    if (error.code !== "load" || !/worker: false/.test(error.message)) throw error;
    (await inpoly.fromArrays(new Float64Array(9), { worker: false })).close();
  } finally {
    globalThis.Worker = Worker;
  }
};

for (const [name, run] of Object.entries({ ...cases, ...commandCases })) {
  let error;
  try {
    await run(environment);
  } catch (e) {
    error = String(e?.stack ?? e);
  }
  await post({ name, error });
}
await post({ end: true });
