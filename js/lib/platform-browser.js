// Browsers, and bundlers for browsers.

// Returns the module: a WebAssembly.Module, or bytes of one.
export async function load(wasm) {
  if (wasm instanceof WebAssembly.Module || wasm instanceof ArrayBuffer || ArrayBuffer.isView(wasm)) return wasm;
  const response = await fetch(wasm ?? new URL("./inpoly.wasm", import.meta.url));
  if (!response.ok) throw new Error(`${response.url}: HTTP status ${response.status}`);
  if (response.headers.get("content-type") === "application/wasm") return WebAssembly.compileStreaming(response);
  return response.arrayBuffer(); // a server that does not know the type
}

// Returns wasm in a form that a worker can receive.
export function sendable(wasm) {
  return wasm instanceof URL || typeof wasm === "string" ? new URL(wasm, document.baseURI).href : wasm;
}

export function spawn(create) {
  const worker = create ? create() : new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    onMessage: (f) => worker.addEventListener("message", (e) => f(e.data)),
    onError: (f) => {
      worker.addEventListener("error", (e) => f(e.error ?? new Error(e.message ?? "it cannot be loaded")));
      worker.addEventListener("messageerror", () => f(new Error("a message cannot be read")));
    },
    hold: () => {},
    terminate: () => worker.terminate(),
  };
}

export async function readFile() {
  return undefined; // strings are URLs
}

export async function findFile() {
  return undefined; // strings are URLs
}
