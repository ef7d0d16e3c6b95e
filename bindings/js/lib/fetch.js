// Reading the module in browsers and in their workers.

// Returns the module: a WebAssembly.Module, or bytes of one.
export async function load(wasm) {
  if (wasm instanceof WebAssembly.Module || wasm instanceof ArrayBuffer || ArrayBuffer.isView(wasm)) return wasm;
  const response = await fetch(wasm);
  if (!response.ok) throw new Error(`HTTP status ${response.status}`);
  if (response.headers.get("content-type") === "application/wasm") return WebAssembly.compileStreaming(response);
  return response.arrayBuffer(); // a server that does not know the type
}
