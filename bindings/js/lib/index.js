// The entry for browsers.

import { client } from "./client.js";
import * as platform from "./platform-browser.js";

export { InpolyError } from "./errors.js";
export { Side, Solid } from "./solid.js";
export const { open, fromArrays, configure, terminate } = client(platform);
