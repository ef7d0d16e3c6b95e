// Builds the npm package, installs it to a temporary folder, and runs its tests there. Needs Go and Node.
//
//   node js/test/run.mjs

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
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
  const env = {
    ...process.env, INPOLY_ROOT: root, INPOLY_KNOT: join(root, "testdata/knot.stl"),
    INPOLY_WASM: String(new URL(`file://${join(installed, "inpoly.wasm")}`)),
  };
  failed = spawnSync("node", ["--test", ...only, ...tests], { cwd: work, env, stdio: "inherit", timeout: 300e3 }).status;
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;
