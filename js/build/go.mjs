// Writes go.js: the file wasm_exec.js of the Go release that builds the module, as an ES module whose
// global scope is an argument. Usage: node go.mjs GOROOT OUT
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [root, out] = process.argv.slice(2);
const text = readFileSync(join(root, "lib/wasm/wasm_exec.js"), "utf8");
const license = readFileSync(join(root, "LICENSE"), "utf8").trim().replaceAll("*/", "* /");
writeFileSync(out, `/* Between the two lines of equals signs, this file is lib/wasm/wasm_exec.js of Go.

${license}
*/

export function createGo(globalThis) {
const { fs, process, path, crypto, performance, TextEncoder, TextDecoder } = globalThis;
// ==========
${text}
// ==========
return globalThis.Go;
}
`);
