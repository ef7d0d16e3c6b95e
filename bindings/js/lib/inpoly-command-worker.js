// The worker of inpoly/command in browsers.

import { serveCommand } from "./command-serve.js";

const handle = serveCommand((message) => postMessage(message), (content) => content);
addEventListener("message", (e) => handle(e.data));
