// The worker of browsers.

import { load } from "./fetch.js";
import { loadModule } from "./load.js";
import { serve } from "./serve.js";

const handle = serve((message, transfer = []) => postMessage(message, transfer), (wasm) => loadModule(load, wasm));
addEventListener("message", (e) => handle(e.data));
