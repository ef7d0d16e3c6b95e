// The program of the workers.

import { Engine } from "./engine.js";

// Returns the function that handles messages. post(message, transfer) sends a message back; load(wasm)
// returns the module.
export function serve(post, load) {
  let engine;
  const cancels = new Map();
  const plain = ({ code = "internal", message = "unknown error" }) => ({ code, message });

  async function start(number, wasm) {
    try {
      engine = await Engine.start(await load(wasm), (error) => post({ exited: plain(error) }));
      post({ number });
    } catch (error) {
      post({ number, error: plain(error) });
    }
  }

  return async ({ number, start: first, method, params, progress, cancel }) => {
    if (first) return start(number, first.wasm);
    if (cancel !== undefined) return cancels.get(cancel)?.();
    const call = engine.call(method, params, progress ? (...p) => post({ number, progress: p }) : undefined);
    cancels.set(number, call.cancel);
    try {
      const value = await call.promise;
      post({ number, value }, buffers(value));
    } catch (error) {
      post({ number, error: plain(error) });
    } finally {
      cancels.delete(number);
      const spare = params.points?.buffer;
      if (spare) post({ number, spare }, [spare]); // for the points of later calls
    }
  };
}

// The buffers of the typed arrays in a value, which are transferred.
function buffers(value) {
  return Object.values(value ?? {}).filter(ArrayBuffer.isView).map((a) => a.buffer);
}
