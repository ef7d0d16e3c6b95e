// Loading the module and starting the worker. What is missing has the code "load".

import { InpolyError, isFull } from "./errors.js";

// Returns the address of a module beside this script, which find computes. It fails in a bundle that is not an
// ES module, because such a script does not know its own address.
export function moduleAddress(find) {
  try {
    return find();
  } catch (error) {
    throw loadError("the module is not found, because the bundle is not an ES module", error);
  }
}

// Returns the WebAssembly.Module at an address: a URL, a path in Node, the bytes of a module, or a module.
// load reads what is at an address.
export async function loadModule(load, address) {
  try {
    const source = await unpacked(await load(address));
    return source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source);
  } catch (error) {
    const name = typeof address === "string" || address instanceof URL ? ` ${address}` : "";
    throw loadError(`the module${name} cannot be loaded`, error);
  }
}

// Unpacks gzip. A server can unpack the file while it sends it.
async function unpacked(source) {
  if (source instanceof WebAssembly.Module) return source;
  const bytes = ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength) : new Uint8Array(source);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

export function startWorker(platform, create) {
  try {
    return platform.spawn(create);
  } catch (error) {
    throw loadError("the worker cannot be started", error);
  }
}

// The error of a worker that has ended. started says whether it has sent a message before.
export function workerError(error, started) {
  if (error instanceof InpolyError) return error;
  const message = error?.message ?? String(error);
  if (error?.code === "ERR_WORKER_OUT_OF_MEMORY" || isFull(message)) return full(error);
  if (!started || /MODULE_NOT_FOUND/.test(error?.code)) return loadError("the worker cannot be started", error);
  return new InpolyError("internal", `the worker has ended: ${message}`, { cause: error });
}

export function loadError(what, error) {
  const message = error?.message ?? String(error);
  if (isFull(message)) return full(error);
  return new InpolyError("load", `${what}: ${message}; see configure`, { cause: error });
}

function full(cause) {
  return new InpolyError("memory", "the memory of WebAssembly is full", { cause });
}
