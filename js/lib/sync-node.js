// The entry of inpoly/sync for Node.

import * as platform from "./platform-node.js";
import { direct } from "./direct.js";
import { loadModule } from "./load.js";

export { InpolyError } from "./errors.js";
export { Side, Solid } from "./solid.js";
export const load = ({ wasm } = {}) => direct(loadModule(platform, wasm));
