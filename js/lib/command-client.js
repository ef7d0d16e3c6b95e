// The function run on top of a platform: Node or browsers. Each run has a worker of its own, so runs
// overlap, and the end of a worker frees the memory of its run.

import { argumentError, bytes, object } from "./arguments.js";
import { InpolyError, isFull } from "./errors.js";
import { Files } from "./files.js";

// defaults are functions: wasm returns the URL of the module, and createWorker returns a worker.
export function commandClient(platform, defaults) {
  let settings = {};
  let compiled; // promise of the WebAssembly.Module

  function configure(changed) {
    settings = { ...settings, ...object(changed) };
    compiled = undefined;
  }

  function module() {
    compiled ??= compile(platform, settings.wasm ?? defaults.wasm());
    compiled.catch(() => { compiled = undefined; }); // the next run tries again
    return compiled;
  }

  async function run(args, files = {}, options = {}) {
    const { signal, onProgress } = object(options);
    checkArguments(args);
    if (onProgress !== undefined && typeof onProgress !== "function") throw argumentError("onProgress must be a function");
    const names = Object.keys(object(files));
    const refused = Files.refusal(names);
    if (refused) throw argumentError(refused);
    const fetched = new AbortController(); // ends the requests of this run
    let worker;
    let stop;
    const stopped = new Promise((_, reject) => { stop = reject; });
    const abort = () => stop(signal.reason);
    if (signal?.aborted) throw signal.reason;
    signal?.addEventListener("abort", abort, { once: true });
    try {
      const inputs = Promise.all(names.map(async (name) => [name, await content(platform, name, files[name], fetched.signal)]));
      const [code, given] = await Promise.race([stopped, Promise.all([module(), inputs])]);
      worker = platform.spawn(settings.createWorker ?? defaults.createWorker);
      return await Promise.race([stopped, answer(worker, { module: code, args, inputs: given }, onProgress)]);
    } finally {
      signal?.removeEventListener("abort", abort);
      fetched.abort();
      worker?.terminate();
    }
  }

  return { run, configure };
}

function checkArguments(args) {
  if (!Array.isArray(args)) throw argumentError("the arguments must be an array of strings");
  args.forEach((a, i) => {
    if (typeof a !== "string") throw argumentError(`argument ${i} must be a string, not ${typeof a}`);
    if (a.includes("\0")) throw argumentError(`argument ${i} has a zero character`);
  });
}

// Returns the compiled module. A server can unpack the file while it sends it.
async function compile(platform, wasm) {
  let source;
  try {
    source = await platform.load(wasm);
    if (source instanceof WebAssembly.Module) return source;
    const packed = bytes(source);
    if (packed[0] === 0x1f && packed[1] === 0x8b) {
      const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
      source = await new Response(stream).arrayBuffer();
    }
  } catch (error) {
    throw new InpolyError("file", `the module of the command cannot be loaded: ${error.message}`, { cause: error });
  }
  try {
    return await WebAssembly.compile(source);
  } catch (error) {
    throw failure(`the module of the command cannot be compiled: ${error.message}`, error);
  }
}

// Returns an input of Files, or {path} for a file that the worker of Node opens.
async function content(platform, name, value, signal) {
  const data = bytes(value);
  if (data) return data.slice(); // the copy is transferred
  if (value instanceof Blob) return value;
  if (typeof value !== "string" && !(value instanceof URL)) {
    throw argumentError(`the file ${JSON.stringify(name)} must be bytes, a Blob, a File, a path or a URL`);
  }
  try {
    const path = await platform.findFile(value);
    if (path !== undefined) return { path };
    const response = await fetch(value, { signal });
    if (!response.ok) throw new Error(`HTTP status ${response.status}`);
    return await response.blob();
  } catch (error) {
    throw new InpolyError("file", `${value}: ${error.message}`, { cause: error });
  }
}

// Sends a job to a worker and returns the promise of its result.
function answer(worker, job, onProgress) {
  return new Promise((resolve, reject) => {
    worker.onError((error) => reject(failure(`the worker has ended: ${error?.message ?? error}`, error)));
    worker.onMessage(({ moved, result, error }) => {
      if (error) return reject(new InpolyError(error.code, error.message));
      if (result) return resolve({ ...result, files: Object.fromEntries(result.files) });
      try {
        onProgress?.({ stage: "reading", ...moved });
      } catch (thrown) {
        reject(thrown);
      }
    });
    worker.hold(true);
    worker.post(job, job.inputs.map(([, input]) => input.buffer).filter(Boolean));
  });
}

function failure(message, cause) {
  const full = cause?.code === "ERR_WORKER_OUT_OF_MEMORY" || isFull(message);
  return full ? new InpolyError("memory", "the memory of WebAssembly is full", { cause }) : new InpolyError("internal", message, { cause });
}
