// The engine runs the WebAssembly module on the current thread. Workers and inpoly/sync stand on it.

import { createGo } from "./go.js";
import { Few } from "./few.js";
import { InpolyError, isFull } from "./errors.js";
import { loadError } from "./load.js";
import { scope } from "./scope.js";

// Engine is a running module. Its functions are described in bindings/js/wasm/main.go.
export class Engine {
  #api;
  #few;
  #dead; // the error of all calls after the end of the module
  #pending = new Set(); // functions that reject the promises of running calls
  #output = "";
  #exited;

  // Starts a WebAssembly.Module. onExit is called with an InpolyError
  // if the module ends, which happens when its memory is full.
  static async start(module, onExit = () => {}) {
    const engine = new Engine();
    engine.#exited = onExit;
    await engine.#run(module);
    return engine;
  }

  async #run(module) {
    const print = (text) => {
      this.#output = (this.#output + text).slice(-1 << 16);
    };
    const inpoly = {
      ready: (api) => {
        this.#api = api;
      },
      later: (resume) => later(() => this.#quietly(resume)),
    };
    const go = new (createGo(scope({ ...system(print), inpoly })))();
    go.exit = (code) => this.#exit(`it ended with the code ${code}`);
    const instance = await WebAssembly.instantiate(module, go.importObject).catch((error) => {
      throw loadError("the module cannot be started", error);
    });
    this.#quietly(() => go.run(instance).catch((error) => this.#exit(error)));
    if (!this.#api) throw this.#dead ?? new InpolyError("internal", "the module did not start");
    this.#few = this.#guard(() => new Few(instance.exports, this.#api.few));
  }

  // Runs f, which runs code of the module. An exception, such as a full stack, ends the module.
  #guard(f) {
    if (this.#dead) throw this.#dead;
    let value;
    try {
      value = f();
    } catch (error) {
      this.#exit(error);
    }
    if (this.#dead) throw this.#dead;
    return value;
  }

  // Like guard, for callers that get errors by onExit.
  #quietly(f) {
    try {
      this.#guard(f);
    } catch {
      // It is in #dead.
    }
  }

  #exit(reason) {
    if (this.#dead) return;
    this.#dead = isFull(`${this.#output}${reason}`)
      ? new InpolyError("memory", "the memory of WebAssembly is full; all solids of this instance are closed")
      : new InpolyError("internal", `the module has ended: ${reason}\n${this.#output}`.trim());
    this.#api = undefined;
    for (const reject of this.#pending) reject(this.#dead);
    this.#pending.clear();
    this.#exited(this.#dead);
  }

  // Starts a method. onProgress(stage, done, total) can be undefined. Returns its promise and a function that cancels it.
  call(method, params, onProgress) {
    let id;
    const promise = new Promise((resolve, reject) => {
      this.#pending.add(reject);
      const done = (error, value) => {
        this.#pending.delete(reject);
        if (error) reject(new InpolyError(error.code, error.message));
        else resolve(value);
      };
      try {
        id = this.#guard(() => this.#api.call(method, params, done, onProgress));
      } catch (error) {
        this.#pending.delete(reject);
        reject(error);
      }
    });
    return { promise, cancel: () => this.#quietly(() => this.#api.cancel(id)) };
  }

  // Runs a method of a solid to its end and returns its value.
  syncOf(solid, method, params) {
    return this.#guard(() => this.#few.call(method, solid, params)) ?? this.sync(method, { ...params, solid });
  }

  // Runs a method to its end and returns its value.
  sync(method, params) {
    const { value, error } = this.#guard(() => this.#api.sync(method, params));
    if (error) throw new InpolyError(error.code, error.message);
    return value;
  }
}

// Returns the operating system of the module, which has no files. print gets the text that it prints.
function system(print) {
  const decoder = new TextDecoder();
  const none = () => {
    throw Object.assign(new Error("not implemented"), { code: "ENOSYS" });
  };
  const missing = (...args) => args.at(-1)(Object.assign(new Error("not implemented"), { code: "ENOSYS" }));
  const fs = {
    constants: { O_WRONLY: -1, O_RDWR: -1, O_CREAT: -1, O_TRUNC: -1, O_APPEND: -1, O_EXCL: -1, O_DIRECTORY: -1 },
    writeSync(fd, bytes) {
      print(decoder.decode(bytes));
      return bytes.length;
    },
    write(fd, bytes, offset, length, position, callback) {
      callback(null, fs.writeSync(fd, bytes));
    },
    fsync: (fd, callback) => callback(null),
  };
  for (const name of [
    "chmod", "chown", "close", "fchmod", "fchown", "fstat", "ftruncate", "lchown", "link", "lstat", "mkdir", "open",
    "read", "readdir", "readlink", "rename", "rmdir", "stat", "symlink", "truncate", "unlink", "utimes",
  ]) {
    fs[name] = missing;
  }
  const id = () => -1;
  const process = {
    getuid: id, getgid: id, geteuid: id, getegid: id, getgroups: none, pid: -1, ppid: -1, umask: none, cwd: none, chdir: none,
  };
  return { fs, process, path: { resolve: (...parts) => parts.join("/") } };
}

// Calls f after other events have been handled.
const later = (() => {
  if (typeof setImmediate === "function") return setImmediate;
  const { port1, port2 } = new MessageChannel();
  const queue = [];
  port1.onmessage = () => queue.shift()();
  return (f) => {
    queue.push(f);
    port2.postMessage(null);
  };
})();
