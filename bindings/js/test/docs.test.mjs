// Runs the examples of docs/javascript.md as their readers would. The word after js says which examples
// need something that Node lacks.

import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const text = readFileSync(join(process.env.INPOLY_ROOT, "docs/javascript.md"), "utf8");
const examples = [...text.matchAll(/^```js(?: (\w+))?\n([\s\S]*?)^```$/gm)].map(([, kind = "node", code]) => ({ kind, code }));
copyFileSync(process.env.INPOLY_KNOT, "knot.stl");

const run = (args) => {
  const { status, stdout, stderr } = spawnSync("node", args, { encoding: "utf8", timeout: 120e3 });
  if (status !== 0) throw new Error(`exit code ${status}\n${stdout}${stderr}`);
  return stdout;
};

examples.forEach(({ kind, code }, i) => {
  const name = `example${i + 1}.mjs`;
  const missing = kind === "three" && !existsSync("node_modules/three");
  test(`${name}: ${kind}`, { skip: missing && "three.js is missing" }, () => {
    writeFileSync(name, code);
    if (kind === "browser" || kind === "config") return void run(["--check", name]);
    const out = run([name]);
    // Examples print conditions that hold.
    if (/\bfalse\b/.test(out)) throw new Error(`it prints:\n${out}`);
  });
});

test("the document has examples", () => {
  const kinds = examples.map((e) => e.kind);
  for (const kind of ["node", "browser", "config", "three"]) if (!kinds.includes(kind)) throw new Error(`no example: ${kind}`);
});
