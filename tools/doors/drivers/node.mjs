// The driver in Node: node.mjs PACKAGE JOB ANSWERS, where PACKAGE is the folder of the npm package.
import { readFileSync, writeFileSync } from 'node:fs';
import { join as path } from 'node:path';
import { pathToFileURL } from 'node:url';
import { join, run } from './driver.mjs';

const [folder, job, answers] = process.argv.slice(2);
const inpoly = await import(pathToFileURL(path(folder, 'index-node.js')));
const read = async (file) => Uint8Array.from(readFileSync(file)); // a copy, aligned for all types
writeFileSync(answers, join(await run(inpoly, readFileSync(job, 'utf8'), read)));
inpoly.terminate();
