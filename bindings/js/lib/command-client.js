// The function run on top of a platform: Node or browsers. Each run has a worker of its own, so runs
// overlap, and the end of a worker frees the memory of its run.

import { argumentError, bytes, checkFields, checkOptions, object } from "./arguments.js";
import { InpolyError } from "./errors.js";
import { Files } from "./files.js";
import { loadModule, moduleAddress, startWorker, workerError } from "./load.js";

// defaults are functions: wasm returns the URL of the module, and createWorker returns a worker.
export function commandClient(platform, defaults) {
  let settings = {};
  let compiled; // promise of the WebAssembly.Module

  function configure(changed) {
    checkFields(object(changed), ["wasm", "createWorker"], "the settings");
    settings = { ...settings, ...changed };
    compiled = undefined;
  }

  function module() {
    compiled ??= loadModule(platform.load, settings.wasm ?? moduleAddress(defaults.wasm));
    compiled.catch(() => { compiled = undefined; }); // the next run tries again
    return compiled;
  }

  async function run(args, files = {}, options = {}) {
    checkOptions(options, ["signal", "onProgress"]);
    const { signal, onProgress } = options;
    checkArguments(args);
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
      worker = startWorker(platform, settings.createWorker ?? defaults.createWorker);
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
  Array.from(args).forEach((a, i) => {
    if (typeof a !== "string") throw argumentError(`argument ${i} must be a string, not ${typeof a}`);
    if (a.includes("\0")) throw argumentError(`argument ${i} has a zero character`);
  });
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
    worker.onError((error) => reject(workerError(error, true)));
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
