// The driver in Node: main.mjs PACKAGE MESH.ply POINTS.f64 OUT THREADS, where PACKAGE is the folder of the
// npm package, which has one thread.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { measure } from './measure.mjs';

const [folder, mesh, file, out] = process.argv.slice(2);
const inpoly = await import(pathToFileURL(join(folder, 'index-node.js')));
const points = new Float64Array(Uint8Array.from(readFileSync(file)).buffer);
const cpuSeconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const { times, sides } = await measure(inpoly, readFileSync(mesh), points, cpuSeconds, 1);
times.one = await one();
writeFileSync(out, Buffer.concat(sides));
console.log(JSON.stringify(times));
inpoly.terminate();

// Returns the CPU seconds of one point with inpoly/sync, after the calls that compile the code.
async function one() {
  const { load } = await import(pathToFileURL(join(folder, 'sync-node.js')));
  const solid = (await load()).open({ name: 'mesh.ply', data: readFileSync(mesh) });
  const calls = 20000;
  let start;
  for (let i = 0; i < 2 * calls; i++) {
    if (i === calls) start = cpuSeconds();
    const at = 3 * (i % (points.length / 3));
    solid.sides(points.subarray(at, at + 3));
  }
  const seconds = (cpuSeconds() - start) / calls;
  solid.close();
  return seconds;
}
