// The functions open and fromArrays on top of a platform: Node or browsers.

import { argumentError, bytes, checkFields, checkSolidOptions, controls, meshes, moduleOptions, object } from "./arguments.js";
import { ThreadConnection, WorkerConnection } from "./connection.js";
import { InpolyError } from "./errors.js";
import { loadModule, moduleAddress, startWorker } from "./load.js";
import { Solid } from "./solid.js";

export function client(platform) {
  let wasm; // see configure
  let createWorker;
  const connections = new Map();

  // Returns the running connection of a kind, and starts a new one if the last one has ended.
  async function connect(options) {
    const kind = options.worker === false ? "thread" : "worker";
    let c = connections.get(kind);
    if (!c || c.dead) {
      c = kind === "thread" ? new ThreadConnection(loadModule(platform.load, address())) : workerConnection();
      connections.set(kind, c);
    }
    await c.ready;
    return c;
  }

  function address() {
    return wasm ?? moduleAddress(platform.moduleURL);
  }

  function workerConnection() {
    const start = { wasm: platform.sendable(address()) };
    return new WorkerConnection(startWorker(platform, createWorker), start);
  }

  // Closes the solids that have been collected.
  const collected = new FinalizationRegistry(({ connection, solid }) => release(connection, solid));

  function release(connection, solid) {
    if (!connection.dead) connection.call("close", { solid }).catch(() => {});
  }

  async function build(method, params, options) {
    options.signal?.throwIfAborted?.();
    const connection = await connect(options);
    const opened = await connection.call(method, { ...params, options: moduleOptions(options) }, options);
    return solidOf(connection, opened);
  }

  // Returns the Solid that the module has opened.
  function solidOf(connection, opened) {
    const id = opened.solid;
    const token = {};
    const solid = new Solid(opened, async (name, check, o, finish) => {
      const params = { ...check(), solid: id };
      return finish(await connection.call(name, params, o));
    }, () => {
      collected.unregister(token);
      release(connection, id);
    }, controls, (other) => solidOf(connection, other));
    collected.register(solid, { connection, solid: id }, token);
    return solid;
  }

  async function open(source, options = {}) {
    checkSolidOptions(options, [...controls, "worker"]);
    const list = Array.isArray(source) ? source : [source];
    const files = await Promise.all(Array.from(list, (s) => content(s, list.length === 1 ? options : { ...options, name: undefined })));
    return build("open", { files }, options);
  }

  async function content(source, options) {
    try {
      const { name, data } = await read(source, options);
      return { name: String(options.name ?? name ?? "mesh"), data: bytes(data) };
    } catch (error) {
      if (error instanceof InpolyError || options.signal?.aborted) throw error;
      throw new InpolyError("file", `${source?.name ?? source}: ${error.message}`, { cause: error });
    }
  }

  async function read(source, { signal }) {
    if (bytes(source)) return { data: source };
    if (source && bytes(source.data)) {
      checkFields(source, ["name", "data"], "a file");
      return source;
    }
    if (typeof Response !== "undefined" && source instanceof Response) return response(source);
    if (typeof source?.arrayBuffer === "function") return { name: source.name, data: await source.arrayBuffer() };
    if (source instanceof URL || typeof source === "string") {
      const local = await platform.readFile(source, signal);
      return local ?? response(await fetch(source, { signal }));
    }
    throw argumentError("a mesh must be bytes, a Blob, a File, a Response, a URL or {name, data}");
  }

  async function response(r) {
    if (!r.ok) throw new Error(`HTTP status ${r.status}`);
    return { name: r.url && new URL(r.url).pathname.split("/").at(-1), data: await r.arrayBuffer() };
  }

  async function fromArrays(...args) {
    const { meshes: list, options } = meshes(...args);
    checkSolidOptions(options, [...controls, "worker"]);
    return build("new", { meshes: list }, options);
  }

  // Sets where the module and the worker come from. It must be called before the first solid is opened.
  function configure(settings) {
    if ([...connections.values()].some((c) => !c.dead)) throw argumentError("configure must be called before the first solid is opened");
    checkFields(settings, ["wasm", "createWorker"], "the settings");
    ({ wasm, createWorker } = { wasm, createWorker, ...object(settings) });
  }

  // Ends the worker. All its solids are closed, and running calls fail.
  function terminate() {
    for (const c of connections.values()) c.end(new InpolyError("handle", "the worker was terminated"));
    connections.clear();
  }

  return { open, fromArrays, configure, terminate };
}
