// A run of the command inpoly, which bindings/js/command contains.

import { Files } from "./files.js";
import { createGo } from "./go.js";
import { scope } from "./scope.js";

// Runs the command to its end in a new instance of the module. Returns its exit code, stdout, stderr,
// binary (stdout is not text in UTF-8), the outputs as [name, Blob], and crashed. Files describes the inputs.
// moved(name, done, size) is called while an input is read, ten times a second at most.
export async function runProgram(module, args, inputs, moved) {
  let last = -Infinity;
  const files = new Files(inputs, (name, done, size) => {
    const now = performance.now();
    if (now - last < 100) return;
    last = now;
    moved(name, done, size);
  });
  const zero = () => 0;
  const process = {
    getuid: zero, getgid: zero, geteuid: zero, getegid: zero, getgroups: () => [], pid: 1, ppid: 0, umask: zero,
    cwd: () => "/", chdir() {},
  };
  const go = new (createGo(scope({ fs: files, process, path: { resolve: Files.resolve } })))();
  let code = -1;
  go.argv = ["inpoly", ...args];
  go.env = { HOME: "/", TMPDIR: "/tmp" };
  go.exit = (status) => { code = status; };
  await go.run(await WebAssembly.instantiate(module, go.importObject));
  for (const timer of go._scheduledTimeouts.values()) clearTimeout(timer); // the program cannot handle them any more
  return { code, ...files.printed(), outputs: files.outputs(), crashed: files.crashed };
}
