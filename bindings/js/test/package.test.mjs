// Runs cases.mjs in Node. run.mjs has installed the package.

import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { cases } from "./cases.mjs";
import { limit } from "./limit.mjs";

const path = process.env.INPOLY_KNOT;
const environment = {
  inpoly: await import("inpoly"), sync: await import("inpoly/sync"), three: await import("inpoly/three"),
  knot: async () => new Uint8Array(await readFile(path)),
  opens: Number(process.env.INPOLY_OPENS ?? 2000),
  limited: async () => limit(await readFile(new URL(import.meta.resolve?.("inpoly/inpoly.wasm") ?? process.env.INPOLY_WASM))),
};

for (const [name, run] of Object.entries(cases)) test(name, () => run(environment));
