// The small module is downloaded by each page that uses it. docs/javascript.md promises its size.

import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

// A module with less than 2,000,000 bytes with Brotli has about 2,805,000 with gzip.
test("size of the small module with gzip", () => {
  const { length } = gzipSync(readFileSync(fileURLToPath(process.env.INPOLY_WASM)), { level: 9 });
  if (length >= 2.8e6) throw new Error(`${length} bytes with gzip, want less than 2,800,000: see which functions are newly linked, or add packages to "compact" in build/npm.mjs`);
});

const long = !process.env.INPOLY_FULL && "set INPOLY_FULL=1: this compression takes 20 seconds of CPU time";

test("size of the small module", { skip: long }, () => {
  const module = readFileSync(fileURLToPath(process.env.INPOLY_WASM));
  const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS, [constants.BROTLI_PARAM_SIZE_HINT]: module.length };
  const { length } = brotliCompressSync(module, { params }); // quality 11
  if (length >= 2e6) throw new Error(`${length} bytes with Brotli, want less than 2,000,000`);
});
