// The driver in Node: main.mjs PACKAGE MESH.ply POINTS.f64 OUT THREADS, where PACKAGE is the folder of the
// npm package, which has one thread.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { measure } from './measure.mjs';

const [folder, mesh, file, out] = process.argv.slice(2);
const inpoly = await import(pathToFileURL(join(folder, 'index-node.js')));
const points = new Float64Array(Uint8Array.from(readFileSync(file)).buffer);
const { times, sides } = await measure(inpoly, readFileSync(mesh), points, () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}, 1);
writeFileSync(out, Buffer.concat(sides));
console.log(JSON.stringify(times));
inpoly.terminate();
