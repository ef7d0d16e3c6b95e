// Runs command-cases.mjs in Node. run.mjs has installed the package and written the folder data.

import { readFile, stat, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import * as command from "inpoly/command";
import { commandCases } from "./command-cases.mjs";
import { limit } from "./limit.mjs";

const packed = "node_modules/inpoly/inpoly-command.wasm.gz";
const environment = {
  command,
  data: async (name) => new Blob([await readFile(`data/${name}`)]),
  limited: async () => limit(gunzipSync(await readFile(packed))),
};

for (const [name, run] of Object.entries(commandCases)) test(name, () => run(environment));

test("the command: paths and URLs of files", async () => {
  const { stdout, code } = await command.run(["knot.stl", "p.csv", "--stats", "json", "-q"], {
    "knot.stl": "data/knot.stl", "p.csv": pathToFileURL("data/points.csv"),
  });
  if (code !== 0 || stdout.split("\n").length !== 4098) throw new Error(`${code} ${stdout.slice(0, 200)}`);
  const folder = await command.run([], { a: "data" }).catch((e) => e);
  if (folder.code !== "file" || !/regular file/.test(folder.message)) throw folder;
});

test("the command: an input larger than a read", async () => {
  const rows = 400_000;
  await writeFile("large.csv", `x,y,z\n${"0.5,0.25,-1000.125\n".repeat(rows)}`);
  const { code, stderr } = await command.run(["knot.stl", "l.csv", "-o", "o.npy"], { "knot.stl": "data/knot.stl", "l.csv": "large.csv" });
  if (code !== 0 || !stderr.includes("400,000 points")) throw new Error(`${(await stat("large.csv")).size} bytes: ${code} ${stderr}`);
});
