// Builds the npm package, installs it to a temporary folder, and runs its tests there. Needs Go and Node.
//
//   node bindings/js/test/run.mjs [flags of node --test]
//   node bindings/js/test/run.mjs --bundlers NAMES       only bundles the application with these bundlers; "all" are all
//
// npm installs three.js, TypeScript and the bundlers at the versions of app/package-lock.json. Tests that need
// them, or Chromium, skip if they are missing. INPOLY_NODE_MODULES can name a folder node_modules with these
// packages; then npm is not needed. A run without arguments installs them, and bundles with esbuild, only if
// INPOLY_FULL is set. INPOLY_BUNDLERS names other bundlers.

import { execFile, execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { runs } from "./command-cases.mjs";
import { startBrowser } from "./browser.mjs";
import { addPackage, bundlers, cheap, testBundlers } from "./bundlers.mjs";
import { untar } from "../build/tar.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "inpoly-js-"));
const app = join(work, "test/app");
const only = process.argv.slice(2);
const alone = only[0] === "--bundlers";
const named = (alone ? only[1] : process.env.INPOLY_BUNDLERS) ?? (process.env.INPOLY_FULL ? "esbuild" : "");
const chosen = named === "all" ? bundlers : named.split(/[\s,]+/).filter(Boolean);
let failed = 0;
try {
  for (const name of chosen) if (!bundlers.includes(name)) throw new Error(`no bundler ${name}; there are ${bundlers.join(", ")}`);
  cpSync(join(root, "bindings/js/test"), join(work, "test"), { recursive: true });
  writeFileSync(join(work, "package.json"), '{"type":"module"}');
  const installing = addModules();
  const archive = execFileSync("node", ["bindings/js/build/npm.mjs", work], { cwd: root, encoding: "utf8" }).trim();
  const installed = join(work, "node_modules/inpoly");
  for (const [name, data] of untar(gunzipSync(readFileSync(archive)))) {
    const path = join(installed, name.slice("package/".length));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, data);
  }
  const missing = await installing;
  if (missing) console.log(`three.js, TypeScript and bundlers: skipped: ${missing}`);
  if (!alone) failed += testInNode(installed, archive);
  if (only.length === 0 || alone) failed += await testInBrowser(installed, missing);
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
process.exitCode = failed === 0 ? 0 : 1;

function testInNode(installed, archive) {
  const tests = readdirSync(join(work, "test")).filter((f) => f.endsWith(".test.mjs")).map((f) => join("test", f));
  const answers = join(work, "go-answers");
  execFileSync("go", ["build", "-tags", "noasm", "-o", answers, "./bindings/js/test/testdata/answers"], { cwd: root, stdio: "inherit" });
  expectations();
  for (const name of ["three", "typescript"]) {
    if (existsSync(join(app, "node_modules", name))) symlinkSync(join(app, "node_modules", name), join(work, "node_modules", name));
  }
  const sizes = spawnSync("go", ["run", "./sizes", `npm=${archive}`], { cwd: join(root, "tools"), stdio: "inherit" });
  const env = {
    ...process.env, INPOLY_ROOT: root, INPOLY_ANSWERS: answers, INPOLY_KNOT: join(root, "testdata/knot.stl"),
    INPOLY_WASM: String(new URL(`file://${join(installed, "inpoly.wasm")}`)),
  };
  const node = spawnSync("node", ["--test", ...only, ...tests], { cwd: work, env, stdio: "inherit", timeout: 1200e3 });
  return [sizes, node].filter(({ status }) => status !== 0).length;
}

async function testInBrowser(installed, missing) {
  const log = (line) => console.log(`Chromium: ${line}`);
  const browser = startBrowser();
  if (!browser) {
    log("skipped: Chromium is missing");
    return 0;
  }
  try {
    let failed = 0;
    if (!alone) failed += await browser.run({ folder: work, path: "/test/browser.html", files: { "/knot.stl": join(root, "testdata/knot.stl") } }, log);
    if (missing) return failed;
    addPackage(installed, app);
    return failed + await testBundlers(chosen, app, join(root, "docs/javascript.md"), browser, log);
  } finally {
    await browser.close();
  }
}

// Adds three.js, TypeScript and the chosen bundlers to the application. If they are not to be had, the promise is
// the reason.
async function addModules() {
  const given = process.env.INPOLY_NODE_MODULES;
  if (given) {
    mkdirSync(join(app, "node_modules"));
    for (const name of readdirSync(given)) symlinkSync(join(given, name), join(app, "node_modules", name));
    return undefined;
  }
  if (chosen.length === 0) return "set INPOLY_FULL=1";
  const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--fetch-retries=1", "--fetch-retry-mintimeout=1000"];
  if (chosen.every((name) => cheap.includes(name))) args.push("--omit=dev");
  const { error, stderr } = await new Promise((resolve) => {
    execFile("npm", args, { cwd: app, shell: process.platform === "win32" }, (error, _, stderr) => resolve({ error, stderr }));
  });
  if (!error) return undefined;
  if (error.code === "ENOENT") return "npm is missing";
  const unreachable = /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|E40[134]|E50\d)\b/.exec(stderr);
  if (!unreachable) throw new Error(`npm ${args.join(" ")}: ${error.message}`);
  return `npm cannot reach the registry (${unreachable[0]})`;
}

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
