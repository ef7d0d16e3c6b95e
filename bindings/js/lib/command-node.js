// The entry of inpoly/command for Node.

import { Worker } from "node:worker_threads";
import { commandClient } from "./command-client.js";
import * as platform from "./platform-node.js";

export { InpolyError } from "./errors.js";
export const { run, configure } = commandClient(platform, {
  wasm: () => new URL("./inpoly-command.wasm.gz", import.meta.url),
  createWorker: () => new Worker(new URL("./command-worker-node.js", import.meta.url)),
});
