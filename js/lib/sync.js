// The entry of inpoly/sync for browsers.

import * as platform from "./platform-browser.js";
import { direct } from "./direct.js";
import { loadModule } from "./load.js";

export { InpolyError } from "./errors.js";
export { Side, Solid } from "./solid.js";
export const load = ({ wasm } = {}) => direct(loadModule(platform, wasm));
