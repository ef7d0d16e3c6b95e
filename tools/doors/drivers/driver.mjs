// The driver of the npm package; package job describes the job and the answers. It runs in Node and in
// browsers: read(path) returns a promise of the bytes of a file.

const codes = { argument: 1, handle: 2, option: 3, file: 4, format: 5, mesh: 6, 'too-large': 7, canceled: 8, internal: 9 };
const arrays = { f64: Float64Array, f32: Float32Array, u32: Uint32Array, i32: Int32Array };

// Does all steps of a job with the module inpoly, and returns the answers as a list of typed arrays.
export async function run(inpoly, text, read) {
  const load = async (path) => {
    const bytes = await read(path);
    return new arrays[path.slice(-3)](bytes.buffer, bytes.byteOffset, bytes.byteLength / arrays[path.slice(-3)].BYTES_PER_ELEMENT);
  };
  const out = [];
  let solid, points;
  const lines = text.trimEnd().split('\n');
  for (let i = 0; i < lines.length; i++) {
    const [step, ...args] = lines[i].split('\t');
    if (step === 'open') {
      solid?.close();
      solid = undefined;
      let code = 0;
      try {
        solid = await open(inpoly, args, read, load);
      } catch (error) {
        if (!(error instanceof inpoly.InpolyError)) throw error;
        code = codes[error.code];
      }
      out.push(Int32Array.of(code));
    } else if (step === 'pose') {
      for (const path of solid ? args : []) {
        const numbers = await load(path);
        const poses = Array.from({ length: numbers.length / 7 }, (_, k) => ({
          rotation: numbers.subarray(7 * k, 7 * k + 4), translation: numbers.subarray(7 * k + 4, 7 * k + 7),
        }));
        const posed = await solid.at(poses);
        solid.close();
        solid = posed;
      }
    } else if (step === 'points') {
      points = await load(args[0]);
    } else if (solid) {
      out.push(...(await answers(solid, layOut(points, i), points, step, args)));
    }
  }
  solid?.close();
  return out;
}

async function open(inpoly, [, method, rule, orient, tolerance, epsilon, , split, ...sources], read, load) {
  const options = { method, rule, orient, tolerance: Number(tolerance), epsilon: Number(epsilon), splitBodies: split === '1' };
  if (!/\.[fiu]\d\d$/.test(sources[0])) {
    const files = [];
    for (const path of sources) files.push({ name: path, data: await read(path) });
    return inpoly.open(files.length === 1 ? files[0] : files, options);
  }
  const meshes = [];
  for (let i = 0; i < sources.length; i += 2) {
    const faces = sources[i + 1] === '-' ? undefined : await load(sources[i + 1]);
    meshes.push({ vertices: await load(sources[i]), faces });
  }
  return meshes.length === 1 ? inpoly.fromArrays(meshes[0].vertices, meshes[0].faces, options) : inpoly.fromArrays(meshes, options);
}

// Returns the same points as a typed array, as an array of numbers, or as an array of points.
function layOut(points, i) {
  if (i % 4 === 1) return Array.from(points);
  if (i % 4 !== 2) return points;
  const vectors = [];
  for (let k = 0; k < points.length; k += 3) vectors.push({ x: points[k], y: points[k + 1], z: points[k + 2] });
  return vectors;
}

// Returns the arrays of the answers of a step.
async function answers(solid, points, flat, step, args) {
  switch (step) {
    case 'sides':
      return [await solid.sides(points)];
    case 'single': {
      const sides = [];
      for (let i = 0; i < Number(args[0]); i++) sides.push(await solid.sides(flat.slice(3 * i, 3 * i + 3)));
      return sides;
    }
    case 'windings': {
      const { windings, bounds } = await solid.windings(points);
      return [windings, bounds];
    }
    case 'distances': {
      const { distances, bounds } = await solid.distances(points);
      return [distances, bounds];
    }
    case 'nearest': {
      const { points: nearest, faces, bodies } = await solid.nearest(points);
      return [nearest, faces, bodies];
    }
    case 'hits': {
      const ends = flat.slice();
      ends.copyWithin(0, 3);
      ends.set(flat.subarray(0, 3), ends.length - 3);
      const { t, bounds, faces, bodies, signs, jumps } = await solid.firstHits({ starts: points, ends });
      return [t, bounds, faces, bodies, signs, jumps];
    }
    case 'locate': {
      const names = ['sides', 'windings', 'windingBounds', 'distances', 'distanceBounds', 'nearest', 'faces', 'nearestBodies', 'bodies'];
      const all = await solid.locate(points, { answers: names, choice: args[0] });
      return names.map((name) => all[name]);
    }
  }
  throw new Error(`no such step: ${step}`);
}

// Returns the bytes of all arrays, one after the other.
export function join(list) {
  const bytes = list.map((a) => new Uint8Array(a.buffer, a.byteOffset, a.byteLength));
  const all = new Uint8Array(bytes.reduce((n, b) => n + b.length, 0));
  bytes.reduce((at, b) => (all.set(b, at), at + b.length), 0);
  return all;
}
