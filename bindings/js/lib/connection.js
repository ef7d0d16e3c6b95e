// Connections to a running module: in a worker, or on the current thread.

import { Engine } from "./engine.js";
import { InpolyError } from "./errors.js";
import { workerError } from "./load.js";
import { fillsBuffer } from "./arguments.js";

// call(method, params, options) of a connection returns the promise of a value. options has signal,
// onProgress and transfer. dead is the error of all later calls after the module has ended.

// Calls keep the promises of running calls, by number.
class Calls {
  #last = 0;
  #running = new Map();

  // Returns a promise. send(number) starts the call, and cancel(number) cancels it.
  add(send, cancel, { signal, onProgress } = {}) {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const number = ++this.#last;
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#remove(number);
        reject(signal.reason);
        cancel(number);
      };
      const fail = (error) => {
        this.#remove(number);
        reject(error);
      };
      const progress = onProgress && ((stage, done, total) => {
        try {
          onProgress({ stage, done, total });
        } catch (error) {
          fail(error);
          cancel(number);
        }
      });
      this.#running.set(number, {
        resolve: (value) => {
          this.#remove(number);
          resolve(value);
        },
        fail, progress, end: () => signal?.removeEventListener("abort", abort),
      });
      try {
        signal?.addEventListener("abort", abort, { once: true });
        send(number);
      } catch (error) {
        fail(error);
      }
    });
  }

  #remove(number) {
    this.#running.get(number)?.end();
    this.#running.delete(number);
    if (this.#running.size === 0) this.idle?.();
  }

  get(number) {
    return this.#running.get(number);
  }

  get size() {
    return this.#running.size;
  }

  failAll(error) {
    for (const c of [...this.#running.values()]) c.fail(error);
  }
}

// Spare keeps one buffer for the points of the next call. New memory would take several times as long to
// fill, because the operating system clears it first.
class Spare {
  static #limit = 1 << 26; // bytes
  #buffer;

  // Returns a copy of a typed array, in the kept buffer if it is large enough.
  copy(array) {
    if (!(this.#buffer?.byteLength >= array.byteLength)) return array.slice();
    const copy = new array.constructor(this.#buffer, 0, array.length);
    this.#buffer = undefined;
    copy.set(array);
    return copy;
  }

  keep(buffer) {
    const { byteLength } = buffer;
    if (byteLength <= Spare.#limit && !(this.#buffer?.byteLength >= byteLength)) this.#buffer = buffer;
  }
}

// WorkerConnection sends calls to a worker that serve.js runs.
export class WorkerConnection {
  #worker;
  #calls = new Calls();
  #spare = new Spare();
  #started = false;
  dead;

  // worker has post(message, transfer), terminate(), hold(busy), and calls the functions onMessage and
  // onError that are set here.
  constructor(worker, start) {
    this.#worker = worker;
    this.#calls.idle = () => worker.hold(false);
    worker.onMessage((m) => this.#receive(m));
    worker.onError((error) => this.end(workerError(error, this.#started)));
    this.ready = this.#send({ start });
    this.ready.then(() => (this.#started = true), (error) => this.end(error));
  }

  #send(message, transfer, options) {
    if (this.dead) return Promise.reject(this.dead);
    return this.#calls.add(
      (number) => {
        this.#worker.hold(true);
        this.#worker.post({ number, ...message }, transfer);
      },
      (number) => this.dead || this.#worker.post({ cancel: number }),
      options,
    );
  }

  #receive({ number, value, error, progress, exited, spare }) {
    if (spare) this.#spare.keep(spare);
    if (exited) return this.end(new InpolyError(exited.code, exited.message));
    const call = this.#calls.get(number);
    if (!call) return; // canceled
    if (progress) call.progress?.(...progress);
    else if (error) call.fail(new InpolyError(error.code, error.message));
    else call.resolve(value);
  }

  call(method, params, options = {}) {
    const buffers = new Set();
    const move = (array, copy = (a) => a.slice()) => {
      if (!array) return array;
      const moved = options.transfer && fillsBuffer(array) ? array : copy(array);
      buffers.add(moved.buffer);
      return moved;
    };
    const moved = { ...params };
    if (params.points) moved.points = move(params.points, (a) => this.#spare.copy(a));
    for (const name of ["starts", "vectors"]) if (params[name]) moved[name] = move(params[name]);
    if (params.files) moved.files = params.files.map((f) => ({ ...f, data: move(f.data) }));
    if (params.meshes) moved.meshes = params.meshes.map((m) => ({ ...m, vertices: move(m.vertices), faces: move(m.faces) }));
    return this.#send({ method, params: moved, progress: Boolean(options.onProgress) }, [...buffers], options);
  }

  end(error) {
    if (this.dead) return;
    this.dead = error;
    this.#worker.terminate();
    this.#calls.failAll(error);
  }
}

// ThreadConnection runs the module on the current thread.
export class ThreadConnection {
  #engine;
  #calls = new Calls();
  dead;

  constructor(module) {
    this.ready = (async () => {
      this.#engine = await Engine.start(await module, (error) => this.end(error));
    })();
    this.ready.catch((error) => this.end(error));
  }

  call(method, params, options = {}) {
    if (this.dead) return Promise.reject(this.dead);
    const cancels = new Map();
    return this.#calls.add(
      (number) => {
        const progress = (...p) => this.#calls.get(number)?.progress?.(...p);
        const { promise, cancel } = this.#engine.call(method, params, options.onProgress && progress);
        cancels.set(number, cancel);
        promise.then(
          (value) => this.#calls.get(number)?.resolve(value),
          (error) => this.#calls.get(number)?.fail(error),
        );
      },
      (number) => cancels.get(number)?.(),
      options,
    );
  }

  end(error) {
    this.dead ??= error;
    this.#calls.failAll(this.dead);
  }
}
