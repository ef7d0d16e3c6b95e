// The worker runs the command, once for each message. Each run has its own instance of the WebAssembly
// module, so its memory is free when it ends.

let compiled; // promise of the WebAssembly.Module

// moved returns a function that tells the page how far an input is read, ten times a second at most.
function moved(id) {
  let last = 0;
  return (name, done, size) => {
    const now = performance.now();
    if (now - last < 100) return;
    last = now;
    postMessage({ id, reading: { name, done, size } });
  };
}

async function run({ id, args, inputs }) {
  const files = new Files(inputs, moved(id));
  globalThis.fs = files;
  globalThis.process = { getuid: () => 0, getgid: () => 0, geteuid: () => 0, getegid: () => 0, getgroups: () => [], pid: 1, ppid: 0, umask: () => 0, cwd: () => "/", chdir() {} };
  globalThis.path = { resolve: Files.resolve };
  const go = new Go();
  let code = -1;
  go.argv = ["inpoly", ...args];
  go.env = { HOME: "/", TMPDIR: "/tmp" };
  go.exit = (status) => { code = status; };
  await go.run(await WebAssembly.instantiate(await compiled, go.importObject));
  for (const timer of go._scheduledTimeouts.values()) clearTimeout(timer); // the program cannot handle them any more
  postMessage({ id, code, stdout: files.text[1], stderr: files.text[2], outputs: files.outputs() });
}

// broken tells the page that this worker cannot run again.
function broken(reason) { postMessage({ broken: String(reason && reason.message || reason) }); }

self.addEventListener("error", (e) => { e.preventDefault(); broken(e.message); });
self.addEventListener("unhandledrejection", (e) => { e.preventDefault(); broken(e.reason); });
self.addEventListener("message", ({ data }) => {
  if (data.module) compiled = Promise.resolve(data.module);
  else run(data).catch(broken);
});
