// The file go.js of the package.

import { readFileSync } from "node:fs";
import { join } from "node:path";

// Returns wasm_exec.js of the Go release in root as an ES module, whose global scope is an argument.
export function goModule(root) {
  const text = readFileSync(join(root, "lib/wasm/wasm_exec.js"), "utf8");
  const license = readFileSync(join(root, "LICENSE"), "utf8").trim().replaceAll("*/", "* /");
  return `/* Between the two lines of equals signs, this file is lib/wasm/wasm_exec.js of Go.

${license}
*/

export function createGo(globalThis) {
const { fs, process, path, crypto, performance, TextEncoder, TextDecoder } = globalThis;
// ==========
${text}
// ==========
return globalThis.Go;
}
`;
}
