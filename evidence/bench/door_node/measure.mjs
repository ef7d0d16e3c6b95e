// Measures the npm package for the table doors; door_go/main.go explains the times and the answers.

// These numbers are the same in all drivers.
const repetitions = 15;
const limit = 2;

// Measures the module inpoly with the bytes of a PLY file and a Float64Array of points. cpuSeconds
// returns the CPU seconds of all threads, or a promise of them; a time is that of group batches, for
// clocks that are coarse. It returns the times, and the sides of both batches.
export async function measure(inpoly, ply, points, cpuSeconds, group) {
  const median = async (call) => {
    const times = [];
    const begin = await cpuSeconds();
    while (times.length < 2 || (group * times.length <= repetitions && (await cpuSeconds()) - begin < limit)) {
      const start = await cpuSeconds();
      for (let i = 0; i < group; i++) await call();
      times.push(((await cpuSeconds()) - start) / group);
    }
    const rest = times.slice(1).sort((a, b) => a - b);
    return rest[rest.length >> 1];
  };
  const start = await cpuSeconds();
  const solid = await inpoly.open({ name: 'mesh.ply', data: ply }, { expectedPoints: points.length / 3 });
  const build = (await cpuSeconds()) - start;
  let sides;
  const double = await median(async () => { sides = await solid.sides(points); });
  const narrow = Float32Array.from(points);
  let others;
  const single = await median(async () => { others = await solid.sides(narrow); });
  solid.close();
  return { times: { build, float64: double, float32: single, version: '' }, sides: [sides, others] };
}
