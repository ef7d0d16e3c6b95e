// The worker runs the command, once for each message. Each run has its own instance of the WebAssembly
// module, so its memory is free when it ends.

let compiled; // promise of the WebAssembly.Module

async function run({ id, args, inputs }) {
  const result = await runProgram(await compiled, args, inputs, (name, done, size) => postMessage({ id, reading: { name, done, size } }));
  postMessage({ id, ...result });
}

// broken tells the page that this worker cannot run again.
function broken(reason) { postMessage({ broken: String(reason && reason.message || reason) }); }

self.addEventListener("error", (e) => { e.preventDefault(); broken(e.message); });
self.addEventListener("unhandledrejection", (e) => { e.preventDefault(); broken(e.reason); });
self.addEventListener("message", ({ data }) => {
  if (data.module) compiled = Promise.resolve(data.module);
  else run(data).catch(broken);
});
