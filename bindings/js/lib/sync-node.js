// The entry of inpoly/sync for Node.

import * as platform from "./platform-node.js";
import { checkFields, object } from "./arguments.js";
import { direct } from "./direct.js";
import { loadModule, moduleAddress } from "./load.js";

export { InpolyError } from "./errors.js";
export { Side, Solid } from "./solid.js";
export const load = async (settings = {}) => {
  checkFields(object(settings, "the settings"), ["wasm"], "the settings");
  return direct(loadModule(platform.load, settings.wasm ?? moduleAddress(platform.moduleURL)));
};
