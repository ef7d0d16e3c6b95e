// Writes compressed streams and their decoded content to standard output, for TestStreams and TestGolden.
// The program needs the npm package meshoptimizer, version 1.0 or later, in a folder node_modules of the
// working directory.
//
//   node streams.mjs SEED CASES MOST [INDICES]
//
// MOST bounds the numbers of elements. INDICES is a file of lists of indices, each a uint32 with the length of the list and then its uint32
// values. The output is a list of records. A record has 8 integers of 32 bits: mode, filter, version, count,
// stride, length of the stream, length of the content, and a state. The state is 0 if the decoder of
// meshoptimizer refuses the stream, 1 if it accepts a stream with a defect, and 2 for a stream without a
// defect. Then come the bytes of the stream and of the content.

import { createRequire } from "node:module";
import { readFileSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

const require = createRequire(join(process.cwd(), "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(`meshoptimizer/${name}`)).href);
const { MeshoptEncoder: encoder } = await load("encoder");
const { MeshoptDecoder: decoder } = await load("decoder");
await encoder.ready;
await decoder.ready;

const [seed, cases, largest, indexFile] = process.argv.slice(2);
let state = BigInt(seed);

// Returns a random integer below n. The generator is the 64-bit one of Knuth (MMIX).
function random(n) {
  state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
  return Number((state >> 33n) % BigInt(n));
}
const pick = (list) => list[random(list.length)];
const noise = () => random(1 << 20) / (1 << 19) - 1;

function write(bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (e) {
      if (e.code !== "EAGAIN") throw e;
    }
  }
}

const modes = ["ATTRIBUTES", "TRIANGLES", "INDICES"];
const filters = ["NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"];

// Writes the record of a stream. The state must be 2 if the stream has no defect.
function record(state, stream, mode, filter, version, count, stride) {
  const content = new Uint8Array(count * stride);
  try {
    decoder.decodeGltfBuffer(content, count, stride, stream, mode, filter);
  } catch (e) {
    if (state === 2) throw e;
    state = 0;
  }
  write(new Uint8Array(Int32Array.of(modes.indexOf(mode), filters.indexOf(filter), version, count, stride, stream.length,
    state > 0 ? content.length : 0, state).buffer));
  write(stream);
  if (state > 0) write(content);
}

// Writes the record of a stream, and sometimes the record of the stream with a defect.
function records(stream, ...rest) {
  record(2, stream, ...rest);
  if (stream.length > 200000 || random(2) === 0) return;
  let bad = stream.slice();
  switch (random(4)) {
    case 0: bad = bad.subarray(0, random(bad.length)); break;
    case 1:
      bad = new Uint8Array(stream.length + 1);
      bad.set(stream.subarray(0, 1));
      bad.set(stream.subarray(1), 2);
      bad[1] = random(256);
      break;
    default: bad[1 + random(bad.length - 1)] = random(256);
  }
  if (bad.length > 0) record(1, bad, ...rest);
}

// Returns random elements. Each kind of data makes the encoder choose other codes.
function elements(count, stride) {
  const data = new Uint8Array(count * stride);
  const view = new DataView(data.buffer);
  const kind = random(8);
  const scale = pick([1, 3, 20, 300, 70000]);
  for (let k = 0; k < stride; k += 4) {
    const column = kind === 7 ? random(7) : kind;
    let x = random(1 << 30), y = random(1 << 16);
    for (let i = 0; i < count; i++) {
      const at = i * stride + k;
      switch (column) {
        case 0: view.setUint32(at, random(65536) * 65536 + random(65536), true); break;
        case 1: view.setUint32(at, x, true); break;
        case 2: for (let j = 0; j < 4; j++) data[at + j] = x += random(2 * scale) - scale; break;
        case 3:
          view.setUint16(at, x += random(2 * scale) - scale, true);
          view.setUint16(at + 2, y += random(2 * scale) - scale, true);
          break;
        case 4: view.setFloat32(at, Math.sin(i / 50 + k) * scale, true); break;
        case 5: if (random(50) === 0) x = random(1 << 30); view.setUint32(at, x, true); break;
        default: view.setUint32(at, x += random(2 * scale) - scale, true);
      }
    }
  }
  return data;
}

// Returns floats for a filter, four for each element.
function floats(count, filter) {
  const data = new Float32Array(4 * count);
  let walk = [noise(), noise(), noise(), noise()];
  const smooth = random(2);
  for (let i = 0; i < count; i++) {
    const step = [noise(), noise(), noise(), noise()];
    walk = smooth ? walk.map((x, k) => x + step[k] / 20) : step;
    let v = walk;
    if (filter === "COLOR") v = v.map((x) => Math.min(Math.abs(x), 1));
    if (filter === "OCTAHEDRAL" || filter === "QUATERNION") {
      const n = filter === "QUATERNION" ? 4 : 3;
      const length = Math.hypot(...v.slice(0, n)) || 1;
      v = v.map((x, k) => (k < n ? x / length : Math.max(-1, Math.min(1, x))));
    }
    data.set(v, 4 * i);
  }
  return data;
}

function filtered(count, filter) {
  const stride = filter === "QUATERNION" ? 8 : filter === "EXPONENTIAL" ? 4 * (1 + random(8)) : pick([4, 8]);
  const data = floats(count, filter);
  switch (filter) {
    case "OCTAHEDRAL": return [stride, encoder.encodeFilterOct(data, count, stride, 2 + random(2 * stride - 1))];
    case "QUATERNION": return [stride, encoder.encodeFilterQuat(data, count, stride, 4 + random(13))];
    case "COLOR": return [stride, encoder.encodeFilterColor(data, count, stride, 2 + random(2 * stride - 1))];
  }
  const scale = 2 ** (random(160) - 80);
  const all = new Float32Array((count * stride) / 4).map((_, i) => data[i % data.length] * scale);
  return [stride, encoder.encodeFilterExp(all, count, stride, 1 + random(24), pick(["Separate", "SharedVector", "SharedComponent", "Clamped"]))];
}

// Returns the indices of a grid of triangles, or of random triangles, in various orders.
function triangles(count) {
  const list = new Uint32Array(count);
  const width = 1 + random(40);
  const base = pick([0, 0, 1000, 4000000000]);
  switch (random(4)) {
    case 0: return list.map(() => base + random(Math.max(count, 3)));
    case 1: return list.map((_, i) => base + i);
    case 2: {
      let x = 0;
      return list.map(() => (x = Math.max(0, x + random(9) - 4)));
    }
  }
  const corners = [[0, 0], [1, 0], [0, 1], [1, 0], [1, 1], [0, 1]];
  list.forEach((_, i) => {
    const cell = Math.floor(i / 6);
    const [dx, dy] = corners[i % 6];
    list[i] = (Math.floor(cell / width) + dy) * (width + 1) + (cell % width) + dx;
  });
  if (random(2) === 0 && count > 0 && count % 3 === 0) {
    encoder.reorderMesh(list, true, random(2) === 0); // changes the list
  }
  return list;
}

// Writes lists of indices in the modes for indices.
function indices(list) {
  const short = list.every((x) => x < 65536) && random(2) === 0;
  const data = short ? new Uint16Array(list) : list;
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const stride = short ? 2 : 4;
  for (const mode of list.length % 3 === 0 ? ["TRIANGLES", "INDICES"] : ["INDICES"]) {
    records(encoder.encodeGltfBuffer(bytes, list.length, stride, mode), mode, "NONE", 1, list.length, stride);
  }
}

for (let i = 0; i < Number(cases); i++) {
  const most = pick([2, 20, 40, 300, 1000, 5001].filter((n) => n <= largest));
  const version = random(2);
  switch (random(4)) {
    case 0: case 1: {
      const stride = 4 * (1 + random(64));
      const count = random(most);
      const stream = encoder.encodeVertexBufferLevel(elements(count, stride), count, stride, random(4), version);
      records(stream, "ATTRIBUTES", "NONE", version, count, stride);
      break;
    }
    case 2: {
      const filter = pick(filters.slice(1));
      const count = 1 + random(most);
      const [stride, data] = filtered(count, filter);
      records(encoder.encodeVertexBufferLevel(data, count, stride, random(4), version), "ATTRIBUTES", filter, version, count, stride);
      break;
    }
    default:
      indices(triangles(pick([3, 3, 1]) * random(most)));
  }
}
if (indexFile) {
  const all = readFileSync(indexFile);
  const words = new Uint32Array(all.buffer, all.byteOffset, all.length / 4);
  for (let at = 0; at < words.length; at += 1 + words[at]) indices(words.slice(at + 1, at + 1 + words[at]));
}
