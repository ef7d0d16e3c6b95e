// The worker of browsers.

import * as platform from "./platform-browser.js";
import { loadModule } from "./load.js";
import { serve } from "./serve.js";

const handle = serve((message, transfer = []) => postMessage(message, transfer), (wasm) => loadModule(platform, wasm));
addEventListener("message", (e) => handle(e.data));
