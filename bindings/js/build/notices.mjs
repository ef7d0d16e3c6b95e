// The licenses of everything that the modules link.

import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const noticeName = /^((un)?licen[cs]e|copying|notice|patents|copyright)/i;

// Returns the texts of the licenses of Go and of all Go modules that the targets link. A target has the flags
// of a build and a package.
export function notices(go, targets) {
  const root = go("env", "GOROOT").trim();
  const folders = new Map([[`Go ${go("env", "GOVERSION").trim()}`, { root, all: new Set([root]) }]]);
  const format = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}";
  for (const line of targets.flatMap((target) => go("list", "-deps", "-f", format, ...target).split("\n"))) {
    const [name, top, folder] = line.split("\t");
    if (!folder) continue;
    if (!folders.has(name)) folders.set(name, { root: top, all: new Set([top]) });
    for (let dir = folder; dir.length > top.length; dir = dirname(dir)) folders.get(name).all.add(dir);
  }
  const parts = ["inpoly.wasm, inpoly-command.wasm.gz, go.js, inpoly-worker.js and inpoly-command-worker.js contain the following software.\n"];
  for (const [name, { root: top, all }] of folders) {
    const texts = [];
    for (const dir of [...all].sort()) {
      for (const file of readdirSync(dir, { withFileTypes: true })) {
        if (!file.isFile() || file.name.endsWith(".go") || !noticeName.test(file.name)) continue;
        texts.push(`${name}: ${relative(top, join(dir, file.name))}\n\n${readFileSync(join(dir, file.name), "utf8").trim()}\n`);
      }
    }
    if (texts.length === 0) throw new Error(`${name} has no license in ${top}`);
    parts.push(...texts);
  }
  return parts.join(`\n${"=".repeat(80)}\n\n`);
}
