// Builds the npm package. Needs Go and Node; no network after "go mod download".
//
//   node bindings/js/build/npm.mjs OUT [VERSION]     writes OUT/inpoly-VERSION.tgz
//
// The default version is the newest of CHANGELOG.md. The same commit, Go and Node give the same bytes.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { goModule } from "./go.mjs";
import { notices } from "./notices.mjs";
import { script } from "./script.mjs";
import { tar } from "./tar.mjs";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const [out, given] = process.argv.slice(2);
const read = (name) => readFileSync(join(root, name));
const version = (given ?? /^## (v\d+\.\d+\.\d+\S*)/m.exec(read("CHANGELOG.md"))[1]).replace(/^v/, "");

// Flags for packages that handle text and files, and for math/big. The small module has them without inlined
// functions, which makes it smaller. They run while a mesh file is opened, for messages, for sections and measures, and
// for the few points that float64 does not decide.
const compact = [
  "archive/zip", "bufio", "bytes", "compress/flate", "compress/gzip", "context", "encoding/base64", "encoding/binary",
  "encoding/json", "encoding/xml", "fmt", "hash/crc32",
  "internal/fmtsort", "internal/poll", "io", "io/fs", "math/big", "math/rand", "net/netip", "net/url", "os", "path", "path/filepath",
  "reflect", "slices", "sort", "strconv", "strings", "sync", "syscall", "syscall/js", "time", "unicode/utf16", "unicode/utf8", "unique", "weak",
  "github.com/inpoly/inpoly", "github.com/qmuntal/gltf", "gonum.org/v1/gonum/num/quat",
  ...["assembly", "bvh", "internal/angle", "internal/answers", "internal/binding", "internal/disjoint", "internal/disk", "internal/formats",
    "internal/interval", "internal/joined", "internal/jsontext", "internal/lazy", "internal/meshfile", "internal/motion", "internal/engine/locate",
    "internal/engine/orient", "internal/engine/oriented", "internal/par", "internal/plural", "internal/plyfile", "internal/quote",
    "internal/weld", "bindings/js/wasm", "loaders", "loaders/internal/gltf", "loaders/internal/obj", "loaders/internal/off",
    "loaders/internal/scan", "loaders/internal/soup", "loaders/internal/stl", "loaders/internal/threemf", "measure", "mesh",
    "pose", "section",
  ].map((name) => `github.com/inpoly/inpoly/${name}`),
].map((name) => `-gcflags=${name}=-l`);

const work = mkdtempSync(join(tmpdir(), "inpoly-npm-"));
try {
  const files = new Map();
  for (const name of readdirSync(join(root, "bindings/js/lib"))) files.set(name, read(`bindings/js/lib/${name}`));
  files.set("package.json", `${JSON.stringify({ ...JSON.parse(read("bindings/js/package.json")), version }, null, 2)}\n`);
  files.set("README.md", read("bindings/js/README.md"));
  files.set("LICENSE", read("LICENSE"));
  files.set("go.js", goModule(go("env", "GOROOT").trim()));
  const text = (name) => String(files.get(name));
  const workers = ["inpoly-worker.js", "inpoly-command-worker.js"].map((name) => [name, script(name, text)]);
  for (const [name, joined] of workers) files.set(name, joined);
  const small = ["-tags", "small", ...compact, "./bindings/js/wasm"];
  const listed = String(read("cmd/inpoly/compact.txt")).trim().split(/\s+/);
  const full = [...listed.map((name) => `-gcflags=${name}=-l`), "./bindings/js/command"];
  files.set("inpoly.wasm", build(small));
  files.set("inpoly-command.wasm.gz", gzipSync(build(full), { level: 9 }));
  files.set("THIRD-PARTY-NOTICES.txt", notices(go, [small, full]));
  mkdirSync(out, { recursive: true });
  const path = join(out, `inpoly-${version}.tgz`);
  const entries = [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, data]) => [`package/${name}`, Buffer.from(data)]);
  writeFileSync(`${path}.tmp`, gzipSync(tar(entries), { level: 9 }));
  renameSync(`${path}.tmp`, path);
  console.log(path);
} finally {
  rmSync(work, { recursive: true });
}

// Returns the WebAssembly module of a package, which follows its flags.
function build(target) {
  const out = join(work, "module.wasm");
  go("build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out, ...target);
  return readFileSync(out);
}

// Runs the command go for WebAssembly and returns its output.
function go(...args) {
  const env = { ...process.env, GOOS: "js", GOARCH: "wasm", CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "-mod=readonly" };
  return execFileSync("go", args, { cwd: root, env, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 26 });
}
