// The worker of browsers.

import { load } from "./platform-browser.js";
import { serve } from "./serve.js";

const handle = serve((message, transfer = []) => postMessage(message, transfer), load);
addEventListener("message", (e) => handle(e.data));
