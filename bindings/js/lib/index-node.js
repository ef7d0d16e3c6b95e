// The entry for Node.

import { client } from "./client.js";
import * as platform from "./platform-node.js";

export { InpolyError } from "./errors.js";
export { Side, Solid } from "./solid.js";
export const { open, fromArrays, configure, terminate } = client(platform);
