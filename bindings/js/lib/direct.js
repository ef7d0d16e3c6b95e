// Solids whose methods return values instead of promises.

import { argumentError, bytes, checkFields, checkSolidOptions, meshes, moduleOptions } from "./arguments.js";
import { Engine } from "./engine.js";
import { Solid } from "./solid.js";

export async function direct(module) {
  const engine = await Engine.start(await module);
  const collected = new FinalizationRegistry(close);

  function close(solid) {
    try {
      engine.sync("close", { solid });
    } catch {
      // The module has ended, and its solids with it.
    }
  }

  function build(method, params, options) {
    return solidOf(engine.sync(method, { ...params, options: moduleOptions(options) }));
  }

  // Returns the Solid that the module has opened.
  function solidOf(opened) {
    const id = opened.solid;
    const token = {};
    const solid = new Solid(opened, (name, check, _, finish) => finish(engine.syncOf(id, name, check())), () => {
      collected.unregister(token);
      close(id);
    }, [], solidOf);
    collected.register(solid, id, token);
    return solid;
  }

  return {
    open(source, options = {}) {
      checkSolidOptions(options, []);
      const list = Array.isArray(source) ? source : [source];
      const files = Array.from(list, (s) => {
        const data = bytes(s) ?? bytes(s?.data);
        if (!data) throw argumentError("a mesh must be bytes or {name, data}");
        checkFields(s, ["name", "data"], "a file");
        return { name: String(s.name ?? (list.length === 1 ? options.name : undefined) ?? "mesh"), data };
      });
      return build("open", { files }, options);
    },
    fromArrays(...args) {
      const { meshes: list, options } = meshes(...args);
      checkSolidOptions(options, []);
      return build("new", { meshes: list }, options);
    },
    memory: () => engine.sync("memory", {}),
  };
}
