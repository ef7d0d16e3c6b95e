// The small module is downloaded by each page that uses it. docs/javascript.md promises its size.

import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

const long = !process.env.INPOLY_FULL && "set INPOLY_FULL=1: this compression takes 20 seconds of CPU time";

test("size of the small module", { skip: long }, () => {
  const module = readFileSync(fileURLToPath(process.env.INPOLY_WASM));
  const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS, [constants.BROTLI_PARAM_SIZE_HINT]: module.length };
  const { length } = brotliCompressSync(module, { params }); // quality 11
  if (length >= 2e6) throw new Error(`${length} bytes with Brotli, want less than 2,000,000`);
});
