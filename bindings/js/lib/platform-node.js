// Node.

import * as fs from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

export const moduleURL = () => new URL("./inpoly.wasm", import.meta.url);

// Returns the module: a WebAssembly.Module, or bytes of one.
export async function load(wasm) {
  if (wasm instanceof WebAssembly.Module || wasm instanceof ArrayBuffer || ArrayBuffer.isView(wasm)) return wasm;
  return fs.readFile(local(wasm));
}

function local(path) {
  return String(path).startsWith("file:") ? fileURLToPath(path) : path;
}

// Returns wasm in a form that a worker can receive.
export function sendable(wasm) {
  return wasm instanceof URL ? wasm.href : wasm;
}

export function spawn(create) {
  const worker = create ? create() : new Worker(new URL("./worker-node.js", import.meta.url));
  let ended = () => {};
  worker.on("error", (error) => ended(error));
  worker.on("exit", (code) => ended(new Error(`exit code ${code}`)));
  worker.unref();
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    onMessage: (f) => worker.on("message", f),
    onError: (f) => {
      ended = f;
      worker.on("messageerror", f);
    },
    // The process does not end while calls run.
    hold: (busy) => (busy ? worker.ref() : worker.unref()),
    terminate: () => worker.terminate(),
  };
}

// Returns the content of a path or a file: URL, and undefined for other URLs.
export async function readFile(source, signal) {
  const path = findFile(source);
  return path && { name: basename(path), data: await fs.readFile(path, { signal }) };
}

// Returns the path of a path or a file: URL, and undefined for other URLs.
export function findFile(source) {
  if (source instanceof URL && source.protocol !== "file:") return undefined;
  if (typeof source === "string" && /^(https?|data|blob):/.test(source)) return undefined;
  return local(source);
}
