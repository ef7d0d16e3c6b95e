// Browsers, and bundlers for browsers.

import { loadError } from "./load.js";

export { load } from "./fetch.js";

export const moduleURL = () => new URL("./inpoly.wasm", import.meta.url);

// Returns wasm in a form that a worker can receive.
export function sendable(wasm) {
  return wasm instanceof URL || typeof wasm === "string" ? new URL(wasm, globalThis.document?.baseURI ?? location.href).href : wasm;
}

export function spawn(create) {
  if (!create && typeof Worker === "undefined") throw new Error("there is no Worker here; use the option worker: false, or inpoly/sync");
  const worker = create ? create() : new Worker(new URL("./inpoly-worker.js", import.meta.url), { type: "module" });
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    onMessage: (f) => worker.addEventListener("message", (e) => f(e.data)),
    onError: (f) => {
      worker.addEventListener("error", (e) => f(e.error ?? (e.message ? new Error(e.message) : missing(create))));
      worker.addEventListener("messageerror", () => f(new Error("a message cannot be read")));
    },
    hold: () => {},
    terminate: () => worker.terminate(),
  };
}

// The error of a worker whose script, or an import of it, is missing or refused. The event does not say which.
function missing(create) {
  const where = create ? "the script of createWorker" : `inpoly-worker.js beside ${import.meta.url}`;
  return loadError("the worker cannot be started", new Error(`${where} cannot be loaded, or the Content Security Policy refuses it`));
}

export async function readFile() {
  return undefined; // strings are URLs
}

export async function findFile() {
  return undefined; // strings are URLs
}
