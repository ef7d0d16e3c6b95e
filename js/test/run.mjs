// Builds the npm package, installs it to a temporary folder, and runs its tests there. Needs Go and Node.
//
//   node js/test/run.mjs [flags of node --test]
//
// Tests that need Chromium, three.js or TypeScript skip if they are missing. INPOLY_NODE_MODULES can
// name a folder node_modules with the packages three and typescript.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { runs } from "./command-cases.mjs";
import { testBrowser } from "./browser.mjs";
import { untar } from "../build/tar.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "inpoly-js-"));
let failed = 0;
try {
  const archive = execFileSync("node", ["js/build/npm.mjs", work], { cwd: root, encoding: "utf8" }).trim();
  const installed = join(work, "node_modules/inpoly");
  for (const [name, data] of untar(gunzipSync(readFileSync(archive)))) {
    const path = join(installed, name.slice("package/".length));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, data);
  }
  writeFileSync(join(work, "package.json"), '{"type":"module"}');
  cpSync(join(root, "js/test"), join(work, "test"), { recursive: true });
  const only = process.argv.slice(2);
  const tests = readdirSync(join(work, "test")).filter((f) => f.endsWith(".test.mjs")).map((f) => join("test", f));
  const answers = join(work, "go-answers");
  execFileSync("go", ["build", "-tags", "noasm", "-o", answers, "./js/test/testdata/answers"], { cwd: root, stdio: "inherit" });
  expectations();
  const modules = process.env.INPOLY_NODE_MODULES ?? join(root, "js/node_modules");
  for (const name of ["three", "typescript"]) {
    if (existsSync(join(modules, name))) symlinkSync(join(modules, name), join(work, "node_modules", name));
  }
  const env = {
    ...process.env, INPOLY_ROOT: root, INPOLY_ANSWERS: answers, INPOLY_KNOT: join(root, "testdata/knot.stl"),
    INPOLY_WASM: String(new URL(`file://${join(installed, "inpoly.wasm")}`)),
  };
  const node = spawnSync("node", ["--test", ...only, ...tests], { cwd: work, env, stdio: "inherit", timeout: 1200e3 });
  failed = node.status === 0 ? 0 : 1;
  if (only.length === 0) failed += await testBrowser(work, env.INPOLY_KNOT, (line) => console.log(`Chromium: ${line}`));
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

// Writes the folder data: the input files of the runs, and the results of the Go command in runs.json.
function expectations() {
  const command = join(work, "go-inpoly");
  execFileSync("go", ["build", "-tags", "noasm", "-o", command, "./cmd/inpoly"], { cwd: root, stdio: "inherit" });
  const data = join(work, "data");
  mkdirSync(data);
  for (const name of ["knot.stl", "points.csv"]) cpSync(join(root, "testdata", name), join(data, name));
  const columns = readFileSync(join(data, "points.csv"), "utf8").replace(/^[^,\n]*,([^,]*,[^,]*,[^,]*),.*$/gm, "$1");
  writeFileSync(join(data, "xyz.csv"), columns);
  const results = runs.map(({ args, outputs = [] }) => {
    const { status: code, stdout, stderr } = spawnSync(command, args, { cwd: data, encoding: "utf8" });
    return { code, stdout, stderr, files: Object.fromEntries(outputs.map((name) => [name, readFileSync(join(data, name), "base64")])) };
  });
  writeFileSync(join(data, "runs.json"), JSON.stringify(results));
}
