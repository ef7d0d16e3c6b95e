// Solids whose methods return values instead of promises.

import { argumentError, bytes, meshes, moduleOptions, object } from "./arguments.js";
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
    const opened = engine.sync(method, { ...params, options: moduleOptions(options) });
    const id = opened.solid;
    const token = {};
    const solid = new Solid(opened, (name, check, o, finish) => {
      object(o);
      return finish(engine.sync(name, { ...check(), solid: id }));
    }, () => {
      collected.unregister(token);
      close(id);
    });
    collected.register(solid, id, token);
    return solid;
  }

  return {
    open(source, options = {}) {
      const list = Array.isArray(source) ? source : [source];
      const files = list.map((s) => {
        const data = bytes(s) ?? bytes(s?.data);
        if (!data) throw argumentError("a mesh must be bytes or {name, data}");
        return { name: String(s.name ?? (list.length === 1 ? object(options).name : undefined) ?? "mesh"), data };
      });
      return build("open", { files }, options);
    },
    fromArrays(...args) {
      const { meshes: list, options } = meshes(...args);
      return build("new", { meshes: list }, options);
    },
    memory: () => engine.sync("memory", {}),
  };
}
