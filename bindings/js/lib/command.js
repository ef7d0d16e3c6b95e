// The entry of inpoly/command for browsers.

import { commandClient } from "./command-client.js";
import * as platform from "./platform-browser.js";

export { InpolyError } from "./errors.js";
export const { run, configure } = commandClient(platform, {
  wasm: () => new URL("./inpoly-command.wasm.gz", import.meta.url),
  createWorker: () => new Worker(new URL("./inpoly-command-worker.js", import.meta.url), { type: "module" }),
});
