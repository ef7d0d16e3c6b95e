// The worker of Node.

import { parentPort } from "node:worker_threads";
import { load } from "./platform-node.js";
import { loadModule } from "./load.js";
import { serve } from "./serve.js";

parentPort.on("message", serve((message, transfer = []) => parentPort.postMessage(message, transfer), (wasm) => loadModule(load, wasm)));
