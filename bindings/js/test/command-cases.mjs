// Tests of inpoly/command that run in Node and in browsers, as cases.mjs. command is the module, and
// data(name) returns the Blob of a file of the folder data, which run.mjs writes.

// Runs whose results are those of the Go command. Later runs can read the outputs of earlier runs.
export const runs = [
  { args: ["knot.stl", "points.csv", "--state", "--distance", "--nearest"], inputs: ["knot.stl", "points.csv"] },
  { args: ["knot.stl", "points.csv", "--winding", "-o", "a.parquet"], inputs: ["knot.stl", "points.csv"], outputs: ["a.parquet"] },
  { args: ["knot.stl", "a.parquet", "-o", "b.parquet"], inputs: ["knot.stl", "a.parquet"], outputs: ["b.parquet"] },
  { args: ["knot.stl", "a.parquet", "-o", "text.npy"], inputs: ["knot.stl", "a.parquet"] },
  { args: ["knot.stl", "xyz.csv", "--distance", "-o", "a.npy"], inputs: ["knot.stl", "xyz.csv"], outputs: ["a.npy"] },
  { args: ["knot.stl", "xyz.csv", "-o", "a.las"], inputs: ["knot.stl", "xyz.csv"], outputs: ["a.las"] },
  { args: ["knot.stl", "a.las", "--keep", "inside", "--format", "jsonl", "-o", "-"], inputs: ["knot.stl", "a.las"] },
  { args: ["check", "knot.stl"], inputs: ["knot.stl"] },
  { args: ["view", "knot.stl", "points.csv", "--method", "cells", "-o", "view.html"], inputs: ["knot.stl", "points.csv"], outputs: ["view.html"] },
  { args: ["make", "sphere", "--refine", "2", "-o", "ball.stl"], inputs: [], outputs: ["ball.stl"] },
  { args: ["make", "foam", "--cells", "7", "--resolution", "12", "--seed", "3", "-o", "foam.ply"], inputs: [], outputs: ["foam.ply"] },
  { args: ["check", "foam.ply"], inputs: ["foam.ply"] },
  { args: ["knot.stl", "points.csv", "--expect", "inside"], inputs: ["knot.stl", "points.csv"] },
  { args: ["knot.stl", "missing.csv"], inputs: ["knot.stl"] },
  { args: ["--unknown"], inputs: [] },
  { args: ["help", "points"], inputs: [] },
];

export const commandCases = {};

function check(holds, what) {
  if (!holds) throw new Error(what);
}

async function fails(promise, code, message) {
  const error = await promise.then((value) => new Error(`no error, but ${JSON.stringify(value).slice(0, 200)}`), (e) => e);
  check(error.name === "InpolyError" && error.code === code && message.test(error.message), `got ${error.stack}, want ${code} ${message}`);
}

async function inputsOf(data, names) {
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await data(name)])));
}

// Whether a Blob has the bytes of a text in base64.
async function same(blob, base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(await blob.arrayBuffer());
  return bytes.length === text.length && bytes.every((b, i) => b === text.charCodeAt(i));
}

commandCases["the command: same bytes as Go"] = async ({ command: { run }, data }) => {
  const expected = JSON.parse(await (await data("runs.json")).text());
  await Promise.all(runs.map(async ({ args, inputs }, i) => {
    const want = expected[i];
    const got = await run(args, await inputsOf(data, inputs));
    const what = `inpoly ${args.join(" ")}`;
    got.stderr = got.stderr.replace("No such file", "no such file"); // Go's text for JavaScript
    for (const key of ["code", "stdout", "stderr"]) {
      check(got[key] === want[key], `${what}: ${key}: got ${String(got[key]).slice(0, 500)}, want ${String(want[key]).slice(0, 500)}`);
    }
    const names = Object.keys(want.files);
    check(Object.keys(got.files).join() === names.join(), `${what}: files ${Object.keys(got.files)}, want ${names}`);
    for (const name of names) check(await same(got.files[name], want.files[name]), `${what}: ${name} differs`);
  }));
};

commandCases["the command: contents of files"] = async ({ command: { run }, data }) => {
  const mesh = await data("knot.stl");
  const points = new TextEncoder().encode("junk x,y,z\n0,-10,0\n0,0,0\n");
  const progress = [];
  const view = points.subarray(5);
  const { stdout } = await run(["a/b/knot.stl", "p.csv", "-q"], { "a/b/knot.stl": mesh, "p.csv": view }, { onProgress: (p) => progress.push(p) });
  check(stdout === "x,y,z,inside\n0,-10,0,1\n0,0,0,0\n", stdout);
  check(view.length === points.length - 5, "the bytes were moved");
  check(progress.length > 0 && progress.every((p) => p.stage === "reading" && p.done <= p.total), JSON.stringify(progress));
  const thrown = await run(["check", "knot.stl"], { "knot.stl": mesh }, { onProgress: () => { throw new RangeError("mine"); } }).catch((e) => e);
  check(thrown.message === "mine", `an exception in onProgress: ${thrown}`);

  // The output replaces the input, and is larger than a piece of the files.
  const rows = `x,y,z\n${"0.25,-10.125,0.0625\n".repeat(3e5)}`;
  const { code, files, stderr } = await run(["knot.stl", "p.csv", "-o", "p.csv", "--force", "-q"], { "knot.stl": mesh, "p.csv": new Blob([rows]) });
  check(code === 0 && (await files["p.csv"].text()) === rows.replaceAll(/$/gm, ",1").replace("z,1", "z,inside").slice(0, -2), `${code} ${stderr}`);
};

commandCases["the command: wrong arguments"] = async ({ command: { run, configure }, data }) => {
  await fails(run("check a.stl"), "argument", /array of strings/);
  await fails(run(["check", 3]), "argument", /argument 1 must be a string, not number/);
  await fails(run(["a\0b"]), "argument", /zero character/);
  await fails(run(["x".repeat(1e5)]), "argument", /too long/);
  await fails(run([], null), "argument", /object/);
  await fails(run([], {}, 7), "argument", /object/);
  await fails(run([], {}, { onProgress: 7 }), "argument", /function/);
  await fails(run([], {}, { signal: new AbortController() }), "argument", /AbortSignal/);
  await fails(run([], {}, { onprogress() {} }), "argument", /unknown option onprogress/);
  await fails(run([, "check"]), "argument", /argument 0/);
  await fails(run([], { "a.stl": 7 }), "argument", /"a.stl" must be bytes/);
  await fails(run([], { "": "a" }), "argument", /not a name/);
  await fails(run([], { "a/": "a" }), "argument", /not a name/);
  await fails(run([], { "..": "a" }), "argument", /in use/);
  await fails(run([], { a: "a", "./a": "a" }), "argument", /in use/);
  await fails(run([], { "a/b": "a", a: "a" }), "argument", /a file and a folder/);
  await fails(run([], { a: "missing.stl" }), "file", /missing\.stl/);
  await fails(run(["knot.stl", "p.csv", "--format", "npy", "-o", "-"], {
    "knot.stl": await data("knot.stl"), "p.csv": await data("xyz.csv"),
  }), "argument", /not text/);
  const detached = new Uint8Array(8);
  structuredClone(detached, { transfer: [detached.buffer] });
  await fails(run([], { a: detached.buffer }), "argument", /detached/);
  await fails(Promise.resolve().then(() => configure(3)), "argument", /object/);
};

commandCases["the command: abort"] = async ({ command: { run }, data }) => {
  const files = { "knot.stl": await data("knot.stl"), "p.csv": new Blob(["x,y,z\n", "1,2,3\n".repeat(2e5)]) };
  const args = ["knot.stl", "p.csv", "--distance", "--method", "direct"];
  const already = await run(args, files, { signal: AbortSignal.abort(new Error("before")) }).catch((e) => e);
  check(already.message === "before", `aborted before: ${already}`);
  const loading = new AbortController();
  const first = run(args, files, { signal: loading.signal }).catch((e) => e);
  loading.abort(new Error("while it loads"));
  check((await first).message === "while it loads", `aborted at the start: ${await first}`);
  const running = new AbortController();
  let calls = 0;
  const error = await run(args, files, {
    signal: running.signal, onProgress: () => { calls++; running.abort(); },
  }).catch((e) => e);
  check(error.name === "AbortError" && calls === 1, `aborted while it runs: ${error}, ${calls} calls`);
  const again = await run(["check", "knot.stl"], files);
  check(again.code === 0, `the next run: ${again.stderr}`);
};

commandCases["the command: broken modules"] = async ({ command: { run, configure }, limited }) => {
  try {
    configure({ wasm: new Uint8Array([0, 97, 115, 109, 1, 0, 0]) });
    await fails(run(["version"]), "load", /cannot be loaded.*configure/);
    configure({ wasm: new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]) }); // an empty module
    await fails(run(["version"]), "internal", /./);
    configure({ wasm: new Uint8Array([0x1f, 0x8b, 8, 0, 0]) });
    await fails(run(["version"]), "load", /cannot be loaded/);
    configure({ wasm: "missing.wasm" });
    await fails(run(["version"]), "load", /missing\.wasm cannot be loaded/);
    if (limited) {
      configure({ wasm: await limited() });
      const corner = "v 0 0 0\nv 1 0 0\nv 0 1 0\n" + "f 1 2 3\n".repeat(3e6);
      await fails(run(["check", "a.obj"], { "a.obj": new Blob([corner]) }), "memory", /full/);
      check((await run(["version"])).code === 0, "the next run");
    }
  } finally {
    configure({ wasm: undefined });
  }
  check((await run(["version"])).code === 0, "the module of the package");
};
