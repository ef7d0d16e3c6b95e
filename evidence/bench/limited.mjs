// Builds and queries of a peer in Node on several threads, with a limit of time. Like in limited.h,
// times are CPU seconds of the process, and limits are limits of elapsed time.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

// Like limited.h: the number of points in a block, and of repetitions.
const block = 8;
const repetitions = 3;

const seconds = () => Number(process.hrtime.bigint()) / 1e9;

function cpuSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

const median = (x) => [...x].sort((a, b) => a - b)[x.length >> 1];

function shared(kind, length) {
  return new kind(new SharedArrayBuffer(kind.BYTES_PER_ELEMENT * length));
}

// loadSTL returns the different vertices of a binary STL file and the indices of its triangles.
function loadSTL(path) {
  const file = readFileSync(path);
  const triangles = file.readUInt32LE(80);
  const corners = new Float32Array(9 * triangles);
  for (let i = 0; i < triangles; i++) {
    for (let k = 0; k < 9; k++) {
      corners[9 * i + k] = file.readFloatLE(84 + 50 * i + 12 + 4 * k) + 0; // -0 becomes 0
    }
  }
  const bits = new Uint32Array(corners.buffer);
  let size = 1;
  while (size < 6 * triangles) {
    size *= 2;
  }
  const first = new Int32Array(size).fill(-1); // the first corner with a position, by its hash
  const vertexOf = new Uint32Array(3 * triangles);
  const index = shared(Uint32Array, 3 * triangles);
  const positions = [];
  for (let i = 0; i < 3 * triangles; i++) {
    let hash = 0;
    for (let k = 0; k < 3; k++) {
      hash = Math.imul(hash ^ bits[3 * i + k], 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    let slot = hash & (size - 1);
    const differs = (j) => bits[3 * i] !== bits[3 * j] || bits[3 * i + 1] !== bits[3 * j + 1] || bits[3 * i + 2] !== bits[3 * j + 2];
    while (first[slot] >= 0 && differs(first[slot])) {
      slot = (slot + 1) & (size - 1);
    }
    if (first[slot] < 0) {
      first[slot] = i;
      vertexOf[i] = positions.length / 3;
      positions.push(corners[3 * i], corners[3 * i + 1], corners[3 * i + 2]);
    }
    index[i] = vertexOf[first[slot]];
  }
  const vertices = shared(Float32Array, positions.length);
  vertices.set(positions);
  return { vertices, index };
}

// loadPLY returns the vertices and the triangles of a binary PLY file that bench writes. Its vertices are
// three doubles, which become single precision, as in the geometries of three.js.
function loadPLY(path) {
  const file = readFileSync(path);
  const end = file.indexOf('end_header\n') + 'end_header\n'.length;
  const count = (name) => Number(new RegExp(`element ${name} (\\d+)`).exec(file.toString('latin1', 0, end))[1]);
  const vertices = shared(Float32Array, 3 * count('vertex'));
  for (let i = 0; i < vertices.length; i++) {
    vertices[i] = file.readDoubleLE(end + 8 * i);
  }
  const index = shared(Uint32Array, 3 * count('face'));
  for (let i = 0, at = end + 8 * vertices.length; i < index.length; i++) {
    at += i % 3 === 0 ? 1 : 0; // the number of corners, which is 3
    index[i] = file.readInt32LE(at);
    at += 4;
  }
  return { vertices, index };
}

function loadPoints(path) {
  const file = readFileSync(path);
  const points = shared(Float64Array, file.length / 8);
  for (let i = 0; i < points.length; i++) {
    points[i] = file.readDoubleLE(8 * i);
  }
  return points;
}

// drive measures a peer. build(mesh, mode) builds an index, maybe asynchronously, and returns what
// the threads share. query(mesh, built, mode) returns a function, maybe asynchronously, that maps
// the coordinates of a point to the byte of its side. Each thread calls query once, before the time
// is measured.
//
// usage: main.mjs MESH POINTS.f64 OUT THREADS LIMIT MODE, or --version MODE
//
// MESH is a binary STL or PLY file.
export async function drive(url, name, modes, build, query) {
  if (!isMainThread) {
    return answer(query);
  }
  if (process.argv[2] === '--version' && modes.includes(process.argv[3])) {
    console.log(JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, url))).version);
    return;
  }
  const [stl, f64, out, threads, limit, mode = modes[0]] = process.argv.slice(2);
  if (limit === undefined || !modes.includes(mode)) {
    console.error(`usage: main.mjs MESH POINTS.f64 OUT THREADS LIMIT ${modes.join('|')}`);
    process.exit(2);
  }
  const mesh = stl.endsWith('.ply') ? loadPLY(stl) : loadSTL(stl);
  const points = loadPoints(f64);
  const builds = [];
  let built;
  for (let rep = 0, start = seconds(); rep < repetitions && (rep === 0 || seconds() - start < limit); rep++) {
    // A build may reorder the indices in place.
    const copy = { vertices: mesh.vertices, index: shared(Uint32Array, mesh.index.length) };
    copy.index.set(mesh.index);
    const begin = cpuSeconds();
    try {
      built = { mesh: copy, index: await build(copy, mode) };
    } catch (error) {
      console.error(error.message);
      process.exit(1);
    }
    builds.push(cpuSeconds() - begin);
  }

  const n = points.length / 3;
  const sides = shared(Uint8Array, n);
  const control = shared(Int32Array, 2); // the next point, and the number of points
  control[1] = n;
  const data = { points, sides, control, built, mode };
  const workers = Array.from({ length: Number(threads) }, () => new Worker(fileURLToPath(url), { workerData: data }));
  const next = (worker) =>
    new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  await Promise.all(workers.map(next));

  const queries = [];
  for (let rep = 0, start = seconds(); rep < repetitions && (rep === 0 || seconds() - start < limit / 2); rep++) {
    control[0] = 0;
    const begin = cpuSeconds();
    const done = workers.map(next);
    workers.forEach((w) => w.postMessage(rep === 0 ? start + Number(limit) : Infinity));
    await Promise.all(done);
    queries.push(cpuSeconds() - begin);
  }
  workers.forEach((w) => w.terminate());

  const answered = sides.slice(0, control[1]);
  writeFileSync(out, answered);
  const count = (side) => answered.reduce((sum, s) => sum + (s === side), 0);
  console.log(
    JSON.stringify({
      peer: modes.length > 1 ? mode : '',
      mesh: basename(stl),
      nt: mesh.index.length / 3,
      np: answered.length,
      threads: Number(threads),
      build: median(builds),
      query: median(queries),
      mqps: answered.length / median(queries) / 1e6,
      inside: count(1),
      boundary: count(2),
    }),
  );
}

// answer is the work of a thread. A message is the time after which no more blocks start.
async function answer(query) {
  const { points, sides, control, built, mode } = workerData;
  const side = await query(built.mesh, built.index, mode);
  parentPort.on('message', (deadline) => {
    for (;;) {
      const first = Atomics.add(control, 0, block);
      const last = Atomics.load(control, 1);
      if (first >= last) {
        break;
      }
      if (first > 0 && seconds() > deadline) {
        for (let end = last; first < end; ) {
          end = Atomics.compareExchange(control, 1, end, first);
        }
        break;
      }
      for (let i = first; i < Math.min(first + block, last); i++) {
        sides[i] = side(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
      }
    }
    parentPort.postMessage('done');
  });
  parentPort.postMessage('ready');
}

// A direction that is parallel to no axis, as in the modes of Embree.
const length = Math.hypot(0.40824, 0.31415, 0.85713);
export const direction = [0.40824 / length, 0.31415 / length, 0.85713 / length];
