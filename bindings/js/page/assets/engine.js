// Stopped is the error of a run that was canceled.
class Stopped extends Error {}

// unpack returns the bytes of an element with base64 text.
function unpack(id) {
  const element = document.getElementById(id), text = element.textContent;
  element.textContent = ""; // frees the memory
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const piece = 1 << 18, out = new Uint8Array(text.length / 4 * 3 - (text.match(/=*$/)[0].length));
  for (let from = 0, at = 0; from < text.length; from += piece) {
    const part = atob(text.slice(from, from + piece));
    for (let i = 0; i < part.length; i++) out[at++] = part.charCodeAt(i);
  }
  return out;
}

// gunzip returns a stream of the unpacked content of an element.
function gunzip(id) { return new Blob([unpack(id)]).stream().pipeThrough(new DecompressionStream("gzip")); }

let moduleOf = null; // promise of the WebAssembly.Module

// compile compiles the command once.
function compile() {
  moduleOf ??= WebAssembly.compileStreaming(new Response(gunzip("wasm"), { headers: { "Content-Type": "application/wasm" } }));
  return moduleOf;
}

const workerAddress = URL.createObjectURL(new Blob([document.getElementById("worker").textContent], { type: "text/javascript" }));

// Engine runs the command in a worker, one run after the other. A run that fails takes its worker with it, and
// the next run gets a new one.
class Engine {
  constructor() {
    this.queue = [];
    this.running = null;
    this.worker = null;
    this.last = 0;
  }

  // run returns the result of a run: code, stdout, stderr and outputs. inputs and outputs are [name, Blob].
  // reading is called with the progress of reading a file. The error is Stopped if cancel was called.
  run(args, inputs, reading = () => {}) {
    return new Promise((resolve, reject) => {
      this.queue.push({ id: ++this.last, args, inputs, reading, resolve, reject });
      this.next();
    });
  }

  get busy() { return Boolean(this.running); }

  // cancel ends all runs.
  cancel() {
    const waiting = this.queue.splice(0);
    if (this.running) this.drop(new Stopped());
    for (const job of waiting) job.reject(new Stopped());
  }

  drop(err) {
    const job = this.running;
    this.running = null;
    if (this.worker) this.worker.terminate();
    this.worker = null;
    if (job) job.reject(err);
  }

  async next() {
    if (this.running || this.queue.length === 0) return;
    const job = this.running = this.queue.shift();
    try {
      const module = await compile();
      if (this.running !== job) return;
      if (!this.worker) {
        this.worker = new Worker(workerAddress);
        this.worker.addEventListener("message", ({ data }) => this.receive(data));
        this.worker.addEventListener("error", (e) => { e.preventDefault(); this.receive({ broken: e.message }); });
        this.worker.postMessage({ module });
      }
      this.worker.postMessage({ id: job.id, args: job.args, inputs: job.inputs });
    } catch (err) {
      if (this.running !== job) return;
      this.drop(err);
      this.next();
    }
  }

  receive(data) {
    const job = this.running;
    if (!job || (data.id !== undefined && data.id !== job.id)) return;
    if (data.reading) {
      job.reading(data.reading);
      return;
    }
    if (data.broken !== undefined) {
      this.drop(new Error(data.broken));
    } else {
      this.running = null;
      job.resolve(data);
    }
    this.next();
  }
}
