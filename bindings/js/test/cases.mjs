// Tests of the package that run in Node and in browsers. Each is a function of an environment:
// {inpoly, sync, three} are the modules, and knot() returns the bytes of testdata/knot.stl.

export const cases = {};

function equal(got, want, what) {
  const [g, w] = [JSON.stringify(plain(got)), JSON.stringify(plain(want))];
  if (g !== w) throw new Error(`${what}: got ${g?.slice(0, 400)}, want ${w?.slice(0, 400)}`);
}

// A value in which JSON distinguishes types of arrays, NaN and Infinity.
function plain(x) {
  if (ArrayBuffer.isView(x)) return [x.constructor.name, ...Array.from(x, plain)];
  if (typeof x === "number" && !Number.isFinite(x)) return String(x);
  if (Array.isArray(x)) return x.map(plain);
  if (x && typeof x === "object") return Object.fromEntries(Object.keys(x).sort().map((k) => [k, plain(x[k])]));
  return x;
}

async function fails(f, code, message, what) {
  let value;
  try {
    value = await f();
  } catch (error) {
    if (error.code !== code || error.name !== "InpolyError" || !message.test(error.message)) {
      throw new Error(`${what}: ${error.code} ${error.stack}, want ${code} ${message}`);
    }
    return;
  }
  throw new Error(`${what}: no error, but ${JSON.stringify(plain(value))?.slice(0, 200)}`);
}

// A cube with corners at 0 and 1, and its 12 faces.
const corners = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((i) => [i & 1, (i >> 1) & 1, i >> 2]);
const quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
const faces = quads.flatMap(([a, b, c, d]) => [a, b, c, a, c, d]);
const points = [0.5, 0.5, 0.5, 2, 0.5, 0.5, 1, 0.5, 0.5, NaN, 0, 0];
const moved = (dx) => corners.map((c, i) => (i % 3 === 0 ? c + dx : c));

// The answers for the points above.
async function checkCube(solid, what) {
  const p = new Float64Array(points);
  equal(await solid.sides(p), new Uint8Array([3, 1, 2, 0]), `${what}: sides`);
  equal(await solid.contains(p), new Uint8Array([1, 0, 1, 0]), `${what}: contains`);
  const { windings, bounds } = await solid.windings(p);
  equal([windings[0], windings[1], windings[3]], [1, 0, NaN], `${what}: windings`);
  equal([bounds[0], bounds[1], bounds[3]], [0, 0, Infinity], `${what}: bounds`);
  const d = await solid.distances(p);
  equal(d.distances, new Float64Array([-0.5, 1, 0, NaN]), `${what}: distances`);
  equal(d.bounds.length, 4, `${what}: bounds of distances`);
  const n = await solid.nearest(p);
  equal(n.points.subarray(3, 6), new Float64Array([1, 0.5, 0.5]), `${what}: nearest points`);
  equal(n.bodies, new Int32Array([0, 0, 0, -1]), `${what}: nearest bodies`);
  equal([[10, 11].includes(n.faces[1]), n.faces[3]], [true, -1], `${what}: nearest faces`);
  equal(await solid.bodies(p), new Int32Array([0, -1, 0, -2]), `${what}: bodies`);
  equal(await solid.bodies(p, { choice: "count" }), new Int32Array([1, 0, 1, -2]), `${what}: count`);
  const some = await solid.locate(p, { answers: ["distances", "sides", "sides"] });
  equal(Object.keys(some).sort(), ["distances", "sides"], `${what}: locate`);
  equal(await solid.locate(p), { sides: new Uint8Array([3, 1, 2, 0]) }, `${what}: locate without names`);
  equal(await solid.sides([]), new Uint8Array(0), `${what}: no points`);
  const [e] = await solid.explain(0.5, 0.5, 0.5);
  equal([e.side, e.winding, e.crossings.length], ["in", 1, 1], `${what}: explain`);
  equal((await solid.explain(NaN, 0, Infinity))[0].point, [null, 0, null], `${what}: explain a point that is not finite`);
  const mesh = await solid.mesh();
  equal([mesh.vertices.length, mesh.faces.length], [24, 36], `${what}: mesh`);
  equal([(await solid.report()).defects, await solid.warnings()], [false, []], `${what}: report`);
  equal(solid.solids[0].box, [[0, 0, 0], [1, 1, 1]], `${what}: box`);
  equal([solid.solids[0].closed, solid.solids[0].faces], [true, 12], `${what}: solids`);
}

cases["arrays of all types"] = async ({ inpoly: { fromArrays } }) => {
  for (const vertices of [Float64Array, Float32Array, Array]) {
    for (const index of [Uint32Array, Int32Array, Uint16Array, Array]) {
      const solid = await fromArrays(vertices.from(corners), index.from(faces));
      await checkCube(solid, `${vertices.name}, ${index.name}`);
      solid.close();
    }
  }
  const triples = (flat) => Array.from({ length: flat.length / 3 }, (_, i) => flat.slice(3 * i, 3 * i + 3));
  const nested = await fromArrays(triples(corners), triples(faces), { name: "cube" });
  equal(nested.names, ["cube"], "name");
  await checkCube(nested, "nested arrays");
  const soup = await fromArrays(new Float64Array(faces.flatMap((v) => corners.slice(3 * v, 3 * v + 3))), { name: "soup" });
  await checkCube(soup, "without faces");
  equal(soup.names, ["soup"], "name without faces");
};

cases["points of all types"] = async ({ inpoly: { fromArrays } }) => {
  const solid = await fromArrays(corners, faces);
  const want = new Uint8Array([3, 1, 2, 0]);
  const shared = typeof SharedArrayBuffer === "function" ? new Float64Array(new SharedArrayBuffer(8 * points.length)) : new Float64Array(12);
  shared.set(points);
  const part = new Float64Array([9, 9, 9, ...points, 9, 9, 9]).subarray(3, 15);
  const objects = [0, 1, 2, 3].map((i) => ({ x: points[3 * i], y: points[3 * i + 1], z: points[3 * i + 2] }));
  const lists = objects.map(({ x, y, z }) => [x, y, z]);
  const typed = lists.map((p) => Float32Array.from(p));
  for (const p of [points, new Float64Array(points), new Float32Array(points), shared, part, objects, lists, typed]) {
    equal(await solid.sides(p), want, "sides");
  }
  const mine = new Float64Array(points);
  await solid.sides(mine);
  equal(mine.length, 12, "points are copied");
  equal(await solid.sides(mine, { transfer: true }), want, "transferred points");
  equal(mine.length, 0, "points are transferred");
  await fails(() => solid.sides(mine), "argument", /detached/, "transferred twice");
  const half = new Float64Array(new Float64Array([...points, 7, 7, 7]).buffer, 0, 12);
  equal(await solid.sides(half, { transfer: true }), want, "part of a buffer");
  equal(half.length, 12, "a buffer with more than the points is not transferred");
};

cases["files"] = async ({ inpoly: { open }, knot }) => {
  const bytes = await knot();
  const copy = new Uint8Array(bytes.length + 8);
  copy.set(bytes, 8);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  for (const source of [bytes, copy.subarray(8), buffer, new DataView(buffer), new Blob([bytes]), { name: "k.stl", data: bytes }, new Response(bytes)]) {
    const solid = await open(source, { name: "knot.stl" });
    equal([solid.names, solid.solids[0].faces], [["knot"], 5184], "file");
    solid.close();
  }
  const obj = new TextEncoder().encode("o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  const two = await open([{ name: "first.stl", data: bytes }, { name: "second.obj", data: obj }]);
  equal(two.names, ["first", "second"], "several files");
  const stages = new Set();
  await open(bytes, { onProgress: ({ stage, done, total }) => done <= total && stages.add(stage) });
  equal(["load", "weld", "build"].every((s) => stages.has(s)), true, `stages ${[...stages]}`);
};

cases["several solids"] = async ({ inpoly: { fromArrays } }) => {
  const solid = await fromArrays([{ vertices: corners, faces }, { name: "b", vertices: moved(5), faces }], { rule: "positive" });
  equal(solid.names, ["body_1", "b"], "names");
  equal(await solid.bodies([[0.5, 0.5, 0.5], [5.5, 0.5, 0.5], [3, 0, 0]]), new Int32Array([0, 1, -1]), "bodies");
  equal((await solid.nearest([[5.5, 0.5, 0.9]])).bodies, new Int32Array([1]), "nearest bodies");
  equal((await solid.mesh(1)).vertices.length, 24, "second mesh");
  equal((await solid.explain(5.5, 0.5, 0.5)).map((e) => e.side), ["out", "in"], "explain");
  equal((await solid.report()).solids.length, 2, "reports");
};

cases["without a worker"] = async ({ inpoly: { fromArrays, open }, knot }) => {
  await checkCube(await fromArrays(corners, faces, { worker: false }), "on this thread");
  const solid = await open(await knot(), { worker: false });
  const many = new Float64Array(99999).map((_, i) => ((i * 7919) % 60) - 30);
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  await solid.distances(many);
  clearInterval(timer);
  equal(ticks > 0, true, "other events are handled during a call");
};

cases["inpoly/sync"] = async ({ sync, knot }) => {
  const inpoly = await sync.load();
  await checkCube(inpoly.fromArrays(corners, faces), "sync");
  const solid = inpoly.open(await knot(), { name: "knot.stl" });
  equal(solid.sides([[0, 0, 0], [1e9, 0, 0]]).length, 2, "sides are no promise");
  solid.close();
  await fails(() => solid.sides([]), "handle", /closed/, "closed");
  await fails(() => inpoly.open("x.stl"), "argument", /bytes/, "a path");
  await fails(() => inpoly.open(new Uint8Array(3)), "format", /./, "bad file");
};

cases["hostile points"] = async ({ inpoly: { fromArrays } }) => {
  const solid = await fromArrays(corners, faces);
  const bad = [
    undefined, null, 7, "1,2,3", {}, new Int32Array(3), new Uint8Array(3), new DataView(new ArrayBuffer(24)), new ArrayBuffer(24),
    [1, 2], [1, 2, "3"], [[1, 2]], [[1, 2, 3, 4]], [null], [[1, 2, null]], new Float64Array(4), new Float32Array(1), [1n, 2n, 3n],
    [1, 2, undefined], [{ x: 1, y: 2 }], () => 1, Symbol.iterator, [, , ,], [[1, 2, 3], , [1, 2, 3]], [1, , 3],
  ];
  for (const p of bad) {
    for (const name of ["sides", "contains", "windings", "distances", "nearest", "bodies", "locate"]) {
      await fails(() => solid[name](p), "argument", /points/, `${name}(${String(p)})`);
    }
  }
  if (typeof BigInt64Array === "function") await fails(() => solid.sides(new BigInt64Array(3)), "argument", /BigInt64Array/, "BigInt64Array");
  await fails(() => solid.explain(1, 2), "argument", /z must be a number/, "explain");
  await fails(() => solid.explain("1", 2, 3), "argument", /x must be a number/, "explain");
  for (const i of [-1, 1, 0.5, NaN, "0"]) await fails(() => solid.mesh(i), "argument", /index/, `mesh(${i})`);
  await fails(() => solid.locate([], { answers: ["side"] }), "argument", /unknown answer/, "answers");
  await fails(() => solid.locate([], { answers: [] }), "argument", /answers/, "no answers");
  await fails(() => solid.bodies([], { choice: "last" }), "argument", /choice/, "choice");
  await fails(() => solid.sides([], null), "argument", /options/, "options");
  const huge = new Float64Array([1e308, -1e308, 1e308, 5e-324, 0.5, 0.5, Infinity, 0, 0, -0, 0.5, 0.5]);
  equal(await solid.sides(huge), new Uint8Array([1, 3, 0, 2]), "extreme coordinates");
};

// Options that no call accepts, by a pattern of the message.
const wrongOptions = {
  "unknown option tolerence": { tolerence: 1 },
  "option tolerance must be a number, not string": { tolerance: "1" },
  "option rule must be a string, not number": { rule: 1 },
  "must be an AbortSignal, not AbortController": { signal: new AbortController() },
  "must be an AbortSignal, not Object": { signal: {} },
  "option onProgress must be a function, not number": { onProgress: 7 },
  "options must be an object, not AbortSignal": new AbortController().signal,
};

cases["wrong options of calls"] = async ({ inpoly: { fromArrays, terminate }, sync }) => {
  for (const worker of [true, false]) {
    const solid = await fromArrays(corners, faces, { worker, signal: null, onProgress: undefined });
    const args = { sides: [points], bodies: [points], locate: [points], explain: [0, 0, 0], report: [], mesh: [0] };
    for (const [name, first] of Object.entries(args)) {
      for (const options of [{ tolerence: 1 }, { signal: {} }, { signal: new AbortController() }, { onProgress: 7 }, { transfer: 1 }]) {
        await fails(() => solid[name](...first, options), "argument", /option/, name);
      }
    }
    await fails(() => solid.sides(points, { choice: "first" }), "argument", /unknown option choice/, "choice");
    equal(await solid.sides(points, { signal: null }), new Uint8Array([3, 1, 2, 0]), "the next call");
  }
  terminate();
  const solid = (await sync.load()).fromArrays(corners, faces);
  await fails(() => solid.sides(points, { signal: new AbortController().signal }), "argument", /unknown option signal/, "sync");
};

cases["a module or worker that is missing"] = async ({ inpoly: { configure, fromArrays, terminate }, sync }) => {
  const missing = "/missing/inpoly.wasm";
  terminate();
  try {
    for (const [wasm, message] of [[missing, /missing\/inpoly\.wasm.*see configure/], [new TextEncoder().encode("<!doctype html>"), /magic.*see configure/]]) {
      configure({ wasm });
      for (const worker of [true, false]) await fails(() => fromArrays(corners, faces, { worker }), "load", message, `worker ${worker}`);
      await fails(() => sync.load({ wasm }), "load", message, "sync");
    }
    const { Worker } = globalThis.process ? await import("node:worker_threads") : globalThis;
    const url = new URL("./missing-worker.js", import.meta.url);
    configure({ wasm: undefined, createWorker: () => new Worker(url, { type: "module" }) });
    await fails(() => fromArrays(corners, faces), "load", /worker cannot be started.*see configure/, "no script");
    configure({ createWorker: () => { throw new Error("refused"); } });
    await fails(() => fromArrays(corners, faces), "load", /refused; see configure/, "createWorker");
  } finally {
    configure({ wasm: undefined, createWorker: undefined });
  }
  await checkCube(await fromArrays(corners, faces), "the package's own files");
};

cases["hostile meshes"] = async ({ inpoly: { fromArrays, open } }) => {
  const bad = [
    [undefined], [null], ["x"], [new Float64Array(4)], [new Float64Array(3)], [corners, new Float64Array(3)], [corners, [0, 1]],
    [corners, [0, 1, -1]], [corners, [0, 1, 1.5]], [corners, "0 1 2"], [[{ vertices: 1 }]], [corners, faces, 3],
    [[{ vertices: corners, faces }], faces], [[{ name: 3, vertices: corners, faces }]],
  ];
  for (const args of bad) await fails(() => fromArrays(...args), "argument", /./, `fromArrays(${JSON.stringify(args)})`);
  await fails(() => fromArrays(corners, [0, 1, 8]), "mesh", /face 0/, "index");
  await fails(() => fromArrays(corners, new Uint32Array([0, 1, 4e9])), "mesh", /face 0/, "large index");
  await fails(() => fromArrays(corners, new Int32Array([0, 1, -5])), "mesh", /face 0/, "negative index");
  await fails(() => fromArrays([0, 0, 0, 1, 0, NaN, 0, 1, 0]), "mesh", /./, "NaN");
  for (const options of [{ rule: "odd" }, { method: "magic" }, { orient: "up" }, { tolerance: -1 }, { tolerance: NaN }, { epsilon: Infinity }, { weld: -1 }, { weld: NaN }, { seed: -1 }, { seed: 0.5 }]) {
    await fails(() => fromArrays(corners, faces, options), "option", /./, JSON.stringify(options));
  }
  for (const [name, options] of Object.entries(wrongOptions)) {
    await fails(() => fromArrays(corners, faces, options), "argument", new RegExp(name), name);
    await fails(() => open(new Uint8Array(9), options), "argument", new RegExp(name), name);
  }
  for (const nested of [quads, [[0, 1]], [[0, 1, 2], 3, 4, 5], [[0, 1, 2], , [3, 4, 5]], [0, , 2], [, , ,]]) {
    await fails(() => fromArrays(corners, nested), "argument", /^the faces\[\d\]/, JSON.stringify(nested));
  }
  await fails(() => fromArrays([{ vertices: corners, faces }, , { vertices: corners, faces }]), "argument", /mesh of mesh 1/, "a hole");
  for (const source of [undefined, null, 3, {}, { data: "x" }, [], [undefined]]) await fails(() => open(source), "argument", /./, `open(${source})`);
  for (const data of ["", "x", "solid x\nfacet", "glTF\x02\0\0\0\xff\xff\xff\xff", "ply\nformat ascii 1.0\nelement vertex 2000000000\nend_header\n"]) {
    await fails(() => open(new TextEncoder().encode(data)), "format", /./, `open ${JSON.stringify(data)}`);
  }
  await fails(() => open(new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0])), "format", /does not read zstd/, "zstd");
  const empty = await fromArrays(new Float64Array(0), new Uint32Array(0));
  equal([await empty.sides([[1, 2, 3]]), empty.solids[0].box], [new Uint8Array([1]), []], "no faces");
  equal(await empty.distances([[1, 2, 3]]).then((d) => d.distances), new Float64Array([NaN]), "distance from nothing");
};

cases["closed solids"] = async ({ inpoly: { fromArrays, open }, knot }) => {
  const solid = await open(await knot());
  const p = new Float64Array(1.5e5).map((_, i) => ((i * 7919) % 60) - 30);
  const alone = await solid.sides(p);
  const running = Array.from({ length: 8 }, () => solid.sides(p));
  solid.close();
  solid.close();
  equal(solid.closed, true, "closed");
  for (const r of await Promise.all(running)) equal(r.join("") === alone.join(""), true, "calls that run end with correct answers");
  const calls = {
    sides: [p], contains: [p], windings: [p], distances: [p], nearest: [p], bodies: [p], locate: [p], explain: [1, 2, 3], report: [], warnings: [], mesh: [],
  };
  for (const [name, args] of Object.entries(calls)) await fails(() => solid[name](...args), "handle", /closed/, name);
  await checkCube(await fromArrays(corners, faces), "another solid");
};

// A mesh that takes long to build: a bumpy sphere with 2·n² faces.
export function sphere(n) {
  const v = new Float64Array(3 * n * (n + 1));
  for (let i = 0, k = 0; i <= n; i++) {
    for (let j = 0; j < n; j++, k += 3) {
      const [a, b] = [(Math.PI * i) / n, (2 * Math.PI * j) / n];
      const r = 1 + 0.1 * Math.sin(9 * a) * Math.cos(7 * b);
      v.set(i === 0 || i === n ? [0, 0, 1 - (2 * i) / n] : [r * Math.sin(a) * Math.cos(b), r * Math.sin(a) * Math.sin(b), r * Math.cos(a)], k);
    }
  }
  const f = new Uint32Array(6 * n * n);
  for (let i = 0, k = 0; i < n; i++) {
    for (let j = 0; j < n; j++, k += 6) {
      const [a, b, c, d] = [i * n + j, i * n + ((j + 1) % n), (i + 1) * n + j, (i + 1) * n + ((j + 1) % n)];
      f.set([a, c, d, a, d, b], k);
    }
  }
  return [v, f];
}

// Calls start(options) with a signal, and aborts at the first report of progress or after a while.
async function aborts(start, what) {
  const controller = new AbortController();
  const reason = new Error("enough");
  const promise = start({ signal: controller.signal }, () => controller.abort(reason));
  setTimeout(() => controller.abort(reason), 30);
  try {
    await promise;
  } catch (error) {
    if (error === reason) return;
    throw new Error(`${what}: ${error.stack}`);
  }
  throw new Error(`${what}: not interrupted`);
}

cases["abort"] = async ({ inpoly: { fromArrays, open } }) => {
  const [v, f] = sphere(300);
  for (const worker of [true, false]) {
    const aborted = AbortSignal.abort(new Error("before"));
    for (const call of [() => fromArrays(corners, faces, { signal: aborted, worker }), () => open(new Uint8Array(9), { signal: aborted, worker })]) {
      const error = await call().catch((e) => e);
      equal(error.message, "before", "aborted before");
    }
    await aborts((o, onProgress) => fromArrays(v, f, { ...o, onProgress, worker }), `fromArrays, worker ${worker}`);
    const solid = await fromArrays(v, f, { worker });
    const p = new Float64Array(3e6).map((_, i) => ((i * 7919) % 3001) / 1500 - 1);
    for (const name of ["windings", "distances", "nearest"]) {
      await aborts((o) => solid[name](p, o), `${name}, worker ${worker}`);
    }
    const begin = Date.now();
    await solid.sides(p.subarray(0, 3));
    equal(Date.now() - begin < 20000, true, "the work of interrupted calls ends"); // about a second, but minutes if it did not end
    solid.close();
  }
};

cases["progress"] = async ({ inpoly: { fromArrays } }) => {
  const solid = await fromArrays(corners, faces);
  const seen = [];
  await solid.sides(new Float64Array(6e6), { onProgress: (p) => seen.push(p) });
  equal([seen.length > 0, seen.at(-1)], [true, { stage: "locate", done: 2e6, total: 2e6 }], "progress");
  seen.length = 0;
  await solid.distances(new Float64Array(9e5), { onProgress: (p) => seen.push(p) });
  equal([seen[0].done < 3e5, seen.at(-1)], [true, { stage: "locate", done: 3e5, total: 3e5 }], "progress of distances");
  for (const worker of [true, false]) {
    const boom = new Error("boom");
    const error = await fromArrays(corners, faces, { worker, onProgress: () => { throw boom; } }).catch((e) => e);
    equal(error === boom, true, "an exception of onProgress interrupts the call");
  }
};

cases["many solids"] = async ({ inpoly: { fromArrays }, sync, opens }) => {
  const inpoly = await sync.load();
  const mesh = [new Float64Array(corners), new Uint32Array(faces)];
  const bytes = () => inpoly.memory().bytes;
  for (let i = 0; i < 200; i++) inpoly.fromArrays(...mesh).close();
  const before = bytes();
  for (let i = 0; i < opens; i++) {
    const solid = inpoly.fromArrays(...mesh);
    solid.sides(points);
    solid.close();
  }
  const grown = bytes() - before;
  equal(grown < 1e6, true, `memory grew by ${grown} bytes in ${opens} solids`);
  equal(inpoly.memory().solids, 0, "open solids");
  const all = await Promise.all(Array.from({ length: 50 }, () => fromArrays(...mesh)));
  for (const s of all) equal(await s.sides(points), new Uint8Array([3, 1, 2, 0]), "many at once");
  for (const s of all) s.close();
};

// A torus around the z axis whose seams differ by rounding, like the one of three.js.
function seamedTorus(minor, nu, nv) {
  const vertices = [], triangles = [];
  for (let j = 0; j <= nv; j++) {
    for (let i = 0; i <= nu; i++) {
      const u = (i / nu) * 2 * Math.PI, v = (j / nv) * 2 * Math.PI, r = 1 + minor * Math.cos(v);
      vertices.push(r * Math.cos(u), r * Math.sin(u), minor * Math.sin(v));
      const a = j * (nu + 1) + i;
      if (i < nu && j < nv) triangles.push(a, a + 1, a + nu + 2, a, a + nu + 2, a + nu + 1);
    }
  }
  return [new Float32Array(vertices), new Uint32Array(triangles)];
}

cases["weld"] = async ({ inpoly: { fromArrays } }) => {
  const torus = () => seamedTorus(0.4, 48, 24);
  const open = await fromArrays(...torus());
  const hint = (await open.report()).warnings.join().match(/weld=(\S+) closes the mesh/);
  equal([open.solids[0].closed, hint !== null], [false, true], "a hint");
  for (const weld of [1e-6, Number(hint[1])]) {
    const solid = await fromArrays(...torus(), { weld });
    const { welding } = (await solid.report()).solids[0];
    equal([solid.solids[0].closed, welding.joined, welding.collapsed], [true, 73, 0], `weld ${weld}`);
    equal(await solid.sides([1, 0, 0, 0, 0, 0, 0, -1.2, 0.1]), new Uint8Array([3, 1, 3]), "sides");
    solid.close();
  }
  open.close();
};

cases["three"] = async ({ inpoly: { Side }, three: { arraysOf, fromBufferGeometry } }) => {
  const attribute = (array, itemSize = 3) => ({
    array, itemSize, count: array.length / itemSize,
    getX: (i) => array[itemSize * i], getY: (i) => array[itemSize * i + 1], getZ: (i) => array[itemSize * i + 2],
  });
  const position = attribute(new Float32Array(corners));
  const index = attribute(new Uint16Array(faces), 1);
  const morphAttributes = {};
  const check = async (geometry, what) => {
    const solid = await fromBufferGeometry({ morphAttributes, ...geometry }, { name: "geometry" });
    equal([await solid.sides(points), solid.names], [new Uint8Array([3, 1, 2, 0]), ["geometry"]], what);
    solid.close();
  };
  await check({ attributes: { position }, index }, "indexed");
  await check({ attributes: { position }, index, drawRange: { start: 0, count: Infinity } }, "drawRange");
  const flat = new Float32Array(faces.flatMap((v) => corners.slice(3 * v, 3 * v + 3)));
  await check({ attributes: { position: attribute(flat) }, index: null }, "not indexed");
  const stride = new Float32Array(faces.flatMap((v) => [9, 9, ...corners.slice(3 * v, 3 * v + 3), 9]));
  const interleaved = {
    isInterleavedBufferAttribute: true, itemSize: 3, count: 36, data: { array: stride }, offset: 2,
    get array() { return stride; },
    getX: (i) => stride[6 * i + 2], getY: (i) => stride[6 * i + 3], getZ: (i) => stride[6 * i + 4],
  };
  await check({ attributes: { position: interleaved }, index: null }, "interleaved");
  const bad = (geometry, message, what) => fails(() => fromBufferGeometry(geometry), "argument", message, what);
  await bad({ attributes: {} }, /position/, "no position");
  await bad(undefined, /position/, "undefined");
  await bad({ attributes: { position: attribute(new Float32Array(6), 2) } }, /2 numbers/, "two dimensions");
  await bad({ attributes: { position }, index, morphAttributes: { position: [1] } }, /morph/, "morph targets");
  await bad({ attributes: { position }, index: attribute([0, 1], 1), morphAttributes }, /multiple of 3/, "index");
  equal(arraysOf({ attributes: { position }, index, drawRange: { start: 3, count: 6 } }).faces, new Uint32Array(faces.slice(3, 9)), "part");
  equal(Side.INSIDE, 3, "Side");
};

cases["out of memory"] = async ({ inpoly: { fromArrays, terminate, configure }, limited }) => {
  if (!limited) return;
  terminate();
  configure({ wasm: await limited() });
  try {
    const first = await fromArrays(corners, faces);
    const [v, f] = sphere(700);
    const results = await Promise.allSettled([fromArrays(v, f), fromArrays(v, f), first.sides(points)]);
    equal(results[0].reason?.code, "memory", `a large mesh: ${results[0].reason?.stack}`);
    await fails(() => first.sides(points), "memory", /4 GiB|full/, "a solid of the ended instance");
    first.close();
    await checkCube(await fromArrays(corners, faces), "a new instance");
    await fails(() => fromArrays(v, f, { worker: false }), "memory", /full/, "on this thread");
    await checkCube(await fromArrays(corners, faces, { worker: false }), "a new instance on this thread");
  } finally {
    terminate();
    configure({ wasm: undefined });
  }
};

cases["terminate"] = async ({ inpoly: { fromArrays, terminate } }) => {
  const solid = await fromArrays(corners, faces);
  const mesh = sphere(200);
  const running = await new Promise((resolve) => {
    const onProgress = () => resolve([promise, terminate()]);
    const promise = fromArrays(...mesh, { onProgress }).catch((e) => e);
  });
  equal((await running[0]).code, "handle", "a running call");
  await fails(() => solid.sides(points), "handle", /terminated/, "a solid");
  solid.close();
  await checkCube(await fromArrays(corners, faces), "a new worker");
};

// The answers for lines through the cube with corners at 0 and 1.
async function checkLines(solid, what) {
  const starts = [[0.5, 0.25, -1], [0.5, 0.25, 0.5], [5, 5, 5]];
  const directions = new Float32Array([0, 0, 4, 0, 0, 1, 1, 0, 0]);
  const ends = [0.5, 0.25, 3, 0.5, 0.25, 9, 6, 5, 5];
  const first = await solid.firstHits({ starts, directions });
  equal([first.t, first.bodies], [new Float64Array([0.25, 0.5, Infinity]), new Int32Array([0, 0, -1])], `${what}: first hits`);
  equal([first.signs, first.jumps], [new Int8Array([-1, 1, 0]), new Int8Array([1, -1, 0])], `${what}: signs`);
  equal([[0, 1].includes(first.faces[0]), [2, 3].includes(first.faces[1]), first.faces[2]], [true, true, -1], `${what}: faces`);
  equal(await solid.anyHits({ starts, ends }), new Uint8Array([1, 1, 0]), `${what}: any hits`);
  equal(await solid.anyHits({ starts: { x: 0.5, y: 0.25, z: -1 }, ends }), new Uint8Array([1, 1, 0]), `${what}: one start`);
  const all = await solid.allHits({ starts, ends });
  equal([all.offsets, all.t.length, all.jumps], [new Uint32Array([0, 2, 3, 3]), 3, new Int8Array([1, -1, -1])], `${what}: all hits`);
  equal([all.faces[0], all.bounds[0] < 1e-15], [first.faces[0], true], `${what}: faces of all hits`);
  const parts = await solid.intervals({ starts, ends });
  equal([parts.offsets, parts.sides], [new Uint32Array([0, 3, 5, 6]), new Uint8Array([1, 3, 1, 3, 1, 1])], `${what}: intervals`);
  equal([Math.abs(parts.lengths[1] - 1) <= parts.lengthBounds[1], parts.starts[1], parts.ends[1]], [true, 0.25, 0.5], `${what}: lengths`);
  const bent = await solid.polylineIntervals([0.5, 0.25, -1, 0.5, 0.25, 0.5, 0.5, 0.25, 0.75], [0, 3, 3]);
  equal([bent.offsets, bent.sides, bent.lastSegments], [new Uint32Array([0, 2, 2]), new Uint8Array([1, 3]), new Int32Array([0, 1])], `${what}: polylines`);
  equal(parts.unsampled, new Uint32Array(0), `${what}: lines that are not sampled`);
  for (const bad of [NaN, Infinity, -1e305, 0]) { // the second line is not valid; the others keep their answers
    const spoiled = Float64Array.from(directions);
    spoiled.set([bad, 0, 0], 3);
    const hits = await solid.firstHits({ starts, directions: spoiled });
    equal([hits.t, hits.bounds[1], hits.bodies], [new Float64Array([0.25, NaN, Infinity]), Infinity, new Int32Array([0, -1, -1])], `${what}: a bad ray ${bad}`);
    equal(await solid.anyHits({ starts, directions: spoiled }), new Uint8Array([1, 0, 0]), `${what}: any hits of a bad ray ${bad}`);
    const { offsets, t } = await solid.allHits({ starts, directions: spoiled });
    equal([offsets, t[2]], [new Uint32Array([0, 2, 3, 3]), NaN], `${what}: all hits of a bad ray ${bad}`);
    if (bad === 0) continue;
    const v = await solid.intervals({ starts: [starts[0], [bad, 0, 0], starts[2]], ends });
    equal([v.offsets, v.sides, v.lengths[3], v.lengthBounds[3]], [new Uint32Array([0, 3, 4, 5]), new Uint8Array([1, 3, 1, 0, 1]), NaN, Infinity], `${what}: a bad segment ${bad}`);
    const p = await solid.polylineIntervals([0.5, 0.25, -1, 0.5, bad, 0.5, 0.5, 0.25, 0.5, 0.5, 0.25, 0.75], [0, 2, 4]);
    equal([p.offsets, p.sides, p.lengths[0]], [new Uint32Array([0, 1, 2]), new Uint8Array([0, 3]), NaN], `${what}: a bad polyline ${bad}`);
  }
  const none = await solid.allHits({ starts: [], directions: [] });
  equal([none.offsets, none.t], [new Uint32Array(1), new Float64Array(0)], `${what}: no lines`);
  const [half, out] = await solid.sections([[0, 0, 0.5], [0, 0, 7]], [0, 0, 1]);
  equal([half.area, half.polygons.length, half.contours[0].closed, out.polygons], [1, 1, true, []], `${what}: sections`);
  equal((await solid.drawSections([0, 0, 0.5], [0, 0, 1], { unit: "mm" })).includes("<svg"), true, `${what}: SVG`);
  equal(JSON.parse(await solid.drawSections([0, 0, 0.5], [0, 0, 1], { format: "geojson" })).features.length, 1, `${what}: GeoJSON`);
  const [whole] = await solid.measure({ density: 2 });
  equal([whole.volume, whole.mass, whole.closed, whole.centroid], [1, 2, true, [0.5, 0.5, 0.5]], `${what}: measure`);
  equal((await solid.measure({ by: "component" })).length, 1, `${what}: components`);
  const n = await solid.nearest([2, 0.5, 0.25, 2, 2, 2, NaN, 0, 0]);
  equal([n.features, n.normals.subarray(0, 3)], [new Uint8Array([3, 1, 0]), new Float64Array([1, 0, 0])], `${what}: features and normals`);
  equal([n.bounds[2], n.barycentric.subarray(6)], [Infinity, new Float64Array([NaN, NaN, NaN])], `${what}: bounds`);
  const turned = await solid.at({ rotation: [Math.SQRT1_2, 0, 0, Math.SQRT1_2], translation: [5, 0, 0] });
  equal(await turned.sides([4.5, 0.5, 0.5, 0.5, 0.5, 0.5]), new Uint8Array([3, 1]), `${what}: pose`);
  const again = await turned.at([{ translation: [0, 0, 3] }]);
  equal([solid.pose, turned.pose.translation, again.pose.translation], [null, [5, 0, 0], [5, 0, 3]], `${what}: poses`);
  equal(again.pose.rotation, turned.pose.rotation, `${what}: a translation keeps the rotation`);
  equal([again.solids[0].box, again.solids[0].pose], [[[4, 0, 3], [5, 1, 4]], again.pose], `${what}: the box at a pose`);
  const larger = await solid.refit((await solid.mesh()).vertices.map((x) => 2 * x));
  equal(await larger.sides([1.5, 1.5, 1.5, 2.5, 0, 0]), new Uint8Array([3, 1]), `${what}: refit`);
  const lifted = await turned.refit((await solid.mesh()).vertices.map((x) => 2 * x));
  equal([await lifted.sides([3.5, 0.5, 0.5]), lifted.pose], [new Uint8Array([3]), turned.pose], `${what}: refit at a pose`);
  await fails(() => solid.refit([0, 0, 0]), "argument", /1 vertices, but the meshes have 8/, `${what}: refit with one vertex`);
  larger.close();
  lifted.close();
  turned.close();
  equal(await again.sides([4.5, 0.5, 3.5, 4.5, 0.5, 0.5]), new Uint8Array([3, 1]), `${what}: poses compose`);
  await fails(() => again.mesh(), "argument", /vertices of solids at poses are not supported: /, `${what}: mesh at a pose`);
  const up = { starts: [4.5, 0.25, 0, 0.5, 0.25, 0], ends: [4.5, 0.25, 8, 0.5, 0.25, 8] };
  const posedHits = await again.firstHits(up);
  equal([posedHits.t, posedHits.faces[1]], [new Float64Array([0.375, Infinity]), -1], `${what}: first hits at a pose`);
  equal(await again.anyHits(up), new Uint8Array([1, 0]), `${what}: any hits at a pose`);
  equal((await again.allHits(up)).offsets, new Uint32Array([0, 2, 2]), `${what}: all hits at a pose`);
  const posedParts = await again.intervals(up);
  equal([posedParts.sides, posedParts.lengths[1]], [new Uint8Array([1, 3, 1, 1]), 1], `${what}: intervals at a pose`);
  equal((await again.polylineIntervals([4.5, 0.25, 0, 4.5, 0.25, 3.5], [0, 2])).sides, new Uint8Array([1, 3]), `${what}: polylines at a pose`);
  const [inHalf, below] = await again.sections([[0, 0, 3.5], [0, 0, 1]], [0, 0, 1]);
  equal([inHalf.area, below.area], [1, 0], `${what}: sections at a pose`);
  equal((await again.drawSections([0, 0, 3.5], [0, 0, 1])).includes("<svg"), true, `${what}: a picture at a pose`);
  const [moved] = await again.measure();
  equal([moved.volume, moved.centroid], [1, [4.5, 0.5, 3.5]], `${what}: measure at a pose`);
  const [why] = await again.explain(4.5, 0.5, 3.5);
  equal([why.side, why.nearest.distance, why.winding], ["in", -0.5, 1], `${what}: explain at a pose`);
  await checkPoses(solid, what);
  again.close();
}

cases["long segments through an open mesh"] = async ({ inpoly: { fromArrays }, sync }) => {
  for (const solid of [await fromArrays(corners, faces.slice(3)), (await sync.load()).fromArrays(corners, faces.slice(3))]) {
    const starts = [0.3, 0.4, -1e1, 0.3, 0.4, -1e9, 0.3, 0.4, -1e17], ends = [0.3, 0.4, 1e1, 0.3, 0.4, 1e9, 0.3, 0.4, 1e17];
    const parts = await solid.intervals({ starts, ends });
    const inside = (line) => {
      let sum = 0;
      for (let i = parts.offsets[line]; i < parts.offsets[line + 1]; i++) sum += parts.sides[i] === 3 ? parts.lengths[i] : 0;
      return sum;
    };
    equal([Math.abs(inside(0) - 1) < 0.5, Math.abs(inside(1) - inside(0)) < 0.02, parts.unsampled], [true, true, new Uint32Array([2])], "parts");
    equal((await solid.intervals({ starts, ends }, { step: 1000 })).unsampled, new Uint32Array(0), "a larger step");
  }
};

// Objects like those of three.js: elements are columns.
const object3D = (fields) => Object.assign(Object.create({ isObject3D: true }), { parent: null, visible: true }, fields);

// All spellings of one pose give the same answers, and whatever is no pose is refused.
async function checkPoses(solid, what) {
  const h = Math.SQRT1_2;
  const rotation = [h, 0, 0, h];
  const translation = [5, 6, 7];
  const position = { x: 5, y: 6, z: 7 };
  const quaternion = { x: 0, y: 0, z: h, w: h };
  const rows = [[0, -1, 0, 5], [1, 0, 0, 6], [0, 0, 1, 7], [0, 0, 0, 1]];
  const elements = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1];
  let updated = 0;
  for (const pose of [
    { rotation, translation }, { rotation: new Float64Array(rotation), translation: position }, { rotation: quaternion, translation },
    { position, quaternion }, { position: translation, quaternion: rotation, scale: [1, 1, 1] }, rows, { elements },
    { rotation: rows.slice(0, 3).map((r) => r.slice(0, 3)), translation }, { rotation: { elements: [0, 1, 0, -1, 0, 0, 0, 0, 1] }, translation },
    object3D({ position, quaternion, scale: { x: 1, y: 1, z: 1 }, rotation: { isEuler: true } }),
    object3D({ position: {}, quaternion: {}, parent: {}, matrixWorld: { elements }, updateWorldMatrix: () => { updated++; } }),
    [{ rotation, translation }], [rows],
  ]) {
    const at = await solid.at(pose);
    equal(at.pose, { rotation: at.pose.rotation, translation }, `${what}: translation`);
    equal(at.pose.rotation.every((x, i) => Math.abs(x - rotation[i]) < 1e-15), true, `${what}: rotation ${at.pose.rotation}`);
    equal(await at.sides([4.5, 6.5, 7.5, 5.5, 6.5, 7.5]), new Uint8Array([3, 1]), `${what}: ${JSON.stringify(pose)}`);
    const same = await solid.at(at.pose);
    equal(same.pose, at.pose, `${what}: the pose of a pose`);
    same.close();
    at.close();
  }
  equal(updated, 1, `${what}: updates of the matrix of an object with a parent`);
  for (const [pose, message] of [
    [undefined, /must be an object/], [null, /must be an object/], [{}, /must have a rotation or a translation/], [{ rotation: undefined }, /must have/],
    [{ translate: [1, 0, 0] }, /unknown field translate/], [{ rotation, translation, scale: [1, 1, 1] }, /unknown field scale/],
    [{ rotation, position }, /unknown field position/], [{ position, quaternion, rotation }, /unknown field rotation/],
    [{ rotation: { isEuler: true, x: 0, y: 0, z: 0, order: "XYZ" } }, /Euler/], [{ rotation: quaternion, translation: [1, 2] }, /3 coordinates/],
    [{ rotation: elements }, /quaternion \[w, x, y, z\]/], [elements, /flat array/], [new Float64Array(16), /flat array/],
    [Object.assign(Object.create({ isQuaternion: true }), quaternion), /alone/], [[[1, 0], [0, 1]], /4 rows/], [{ elements: [1] }, /16 elements, not 1/],
    [[...rows.slice(0, 3), [0, 0, 0, 2]], /last row/], [[[2, 0, 0, 0], ...rows.slice(1)], /cannot scale/],
    [[[-1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], /reflection/], [[[1, 0.5, 0, 0], [0, Math.sqrt(0.75), 0, 0], ...rows.slice(2)], /cannot shear/],
    [{ position, quaternion, scale: [1, 1, 2] }, /scale of a pose is 2/], [object3D({ position, quaternion, scale: { x: -1, y: 1, z: 1 } }), /scale of a pose is -1/],
    [{ rotation: [NaN, 0, 0, 1] }, /quaternion/], [{ rotation: ["1", 0, 0, 0] }, /must be a number/], [{ translation: [NaN, 0, 0] }, /not finite/],
  ]) {
    await fails(() => solid.at(pose), "argument", message, `${what}: pose ${JSON.stringify(pose)}`);
  }
}

cases["lines, planes, measures and poses"] = async ({ inpoly: { fromArrays }, sync }) => {
  for (const solid of [await fromArrays(corners, faces), (await sync.load()).fromArrays(corners, faces)]) {
    await checkLines(solid, solid.names.length === 1 && solid.constructor.name);
    for (const [call, message] of [
      [() => solid.firstHits(), /lines must be an object/], [() => solid.firstHits({ starts: points }), /directions or ends/],
      [() => solid.firstHits({ starts: [0, 0, 0], directions: [1, 0, 0], ends: [1, 0, 0] }), /directions or ends/],
      [() => solid.allHits({ starts: [0, 0, 0, 0, 0, 0], directions: new Float64Array(9) }), /6 coordinates.*9/],
      [() => solid.allHits({ starts: [0, 0], directions: [0, 0, 1] }), /multiple of 3/],
      [() => solid.allHits({ start: [0, 0, 0] }), /unknown field start/],
      [() => solid.intervals({ starts: [0, 0, 0], directions: [0, 0, 1] }), /unknown field directions/],
      [() => solid.intervals({ starts: [0, 0, 0], ends: [0, 0, 1] }, { step: -1 }), /step/],
      [() => solid.intervals({ starts: [0, 0, 0], ends: [0, 0, 1] }, { index: 0.5 }), /number of the solid/],
      [() => solid.polylineIntervals([0, 0, 0], [0, 2]), /offsets/], [() => solid.polylineIntervals([0, 0, 0], [0, -1]), /offset -1/],
      [() => solid.sections([0, 0, 0], [0, 0, 0]), /plane/], [() => solid.drawSections([0, 0, 0], [0, 0, 1], { format: "png" }), /png/],
      [() => solid.drawSections([0, 0, 0], [0, 0, 1], { unit: "mile" }), /mile/], [() => solid.measure({ by: "half" }), /half/],
      [() => solid.measure({ density: NaN }), /density/], [() => solid.measure({ mass: 1 }), /unknown option mass/],
      [() => solid.at(), /pose must be an object/], [() => solid.at({ rotation: [1, 0, 0] }), /quaternion/],
      [() => solid.at({ rotation: [2, 0, 0, 0] }), /must be 1/],
      [() => solid.at([{ translation: [0, 0, 0] }, { translation: [0, 0, 0] }]), /2 poses for 1 solid/],
    ]) {
      await fails(call, "argument", message, String(call));
    }
    solid.close();
    await fails(() => solid.firstHits({ starts: [0, 0, 0], directions: [0, 0, 1] }), "handle", /closed/, "closed");
  }
  const pair = await fromArrays([{ vertices: corners, faces }, { vertices: corners, faces }]);
  const apart = await pair.at([{ translation: [0, 0, 0] }, { translation: [9, 0, 0] }]);
  equal([pair.pose, apart.pose.map((p) => p.translation)], [null, [[0, 0, 0], [9, 0, 0]]], "poses of several solids");
  equal(await apart.bodies([0.5, 0.5, 0.5, 9.5, 0.5, 0.5, 5, 0, 0]), new Int32Array([0, 1, -1]), "bodies at poses");
  const further = await apart.at(apart.pose);
  equal(further.pose[1].translation, [18, 0, 0], "poses of several solids compose");
  for (const s of [pair, apart, further]) s.close();
};

cases["misspelled fields"] = async ({ inpoly: { open, fromArrays, configure }, sync: { load }, knot }) => {
  const { open: openNow } = await load();
  for (const [call, message] of [
    [() => fromArrays([{ vertices: corners, indices: faces }]), /unknown field indices of mesh 0/],
    [() => open({ nam: "knot.stl", data: new Uint8Array(84) }), /unknown field nam of a file/],
    [async () => openNow({ file: "knot.stl", data: await knot() }), /unknown field file of a file/],
    [async () => configure({ worker: "worker.js" }), /unknown field worker of the settings|before the first solid/],
    [() => load({ url: "inpoly.wasm" }), /unknown field url of the settings/], [() => load(7), /settings must be an object/],
  ]) {
    await fails(call, "argument", message, String(call));
  }
};

// inpoly/sync has a way of its own for few points and lines. The answers are those for many.
cases["few points and lines"] = async ({ sync, knot }) => {
  const inpoly = await sync.load();
  const names = ["sides", "windings", "windingBounds", "distances", "distanceBounds", "nearest", "faces", "nearestBodies", "bodies",
    "nearestBounds", "barycentric", "normals", "features"];
  const data = await knot();
  for (const source of [data, [{ name: "a", data }, { name: "b", data }]]) {
    const solid = inpoly.open(source);
    const n = 200;
    const p = Float64Array.from({ length: 3 * n }, (_, i) => 30 * Math.sin(i * i + 1));
    p[4] = NaN;
    p[9] = Infinity;
    const directions = Float64Array.from({ length: 3 * n }, (_, i) => Math.cos(7 * i));
    const methods = {
      locate: (lo, hi) => solid.locate(p.subarray(lo, hi), { answers: names }),
      distances: (lo, hi) => solid.distances(p.subarray(lo, hi)),
      sides: (lo, hi) => ({ sides: solid.sides(Float32Array.from(p.subarray(lo, hi))) }),
      firstHits: (lo, hi) => solid.firstHits({ starts: p.subarray(12 + lo, 12 + hi), directions: directions.subarray(12 + lo, 12 + hi) }),
      segments: (lo, hi) => solid.firstHits({ starts: p.subarray(12 + lo, 12 + hi), ends: directions.subarray(12 + lo, 12 + hi) }),
      anyHits: (lo, hi) => ({ met: solid.anyHits({ starts: p.subarray(12 + lo, 12 + hi), directions: directions.subarray(12 + lo, 12 + hi) }) }),
    };
    for (const [name, run] of Object.entries(methods)) {
      const all = run(0, 3 * 180);
      for (const size of [1, 7, 64, 65]) {
        for (let at = 0; at + size <= 180; at += size) {
          for (const [field, array] of Object.entries(run(3 * at, 3 * (at + size)))) {
            const width = array.length / size;
            equal(array, all[field].slice(at * width, (at + size) * width), `${name} of ${size}, ${field} from ${at}`);
          }
        }
      }
    }
    solid.close();
    await fails(() => solid.sides([1, 2, 3]), "handle", /closed/, "a closed solid");
  }
};
