// An application that uses all entries of the package. Its page posts the result of each check to the
// address in the parameter report.

import { BoxGeometry } from "three";
import { InpolyError, Side, fromArrays, open } from "inpoly";
import { run } from "inpoly/command";
import * as sync from "inpoly/sync";
import { fromBufferGeometry } from "inpoly/three";

// A cube with corners at 0 and 2, as an OBJ file.
const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => `v ${2 * (i & 1)} ${i & 2} ${(i & 4) / 2}`);
const quads = ["1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"].map((q) => `f ${q}`);
const cube = new TextEncoder().encode([...corners, ...quads, ""].join("\n"));
const points = [[1, 1, 1], [5, 1, 1], [2, 1, 1], [NaN, 0, 0]];
const sides = [Side.INSIDE, Side.OUTSIDE, Side.ON_SURFACE, Side.UNKNOWN].join();

function equal(got, want) {
  if (String(got) !== String(want)) throw new Error(`got ${got}, want ${want}`);
}

async function check(solid) {
  equal(await solid.sides(points), sides);
  equal((await solid.distances(points)).distances, [-1, 3, 0, NaN]);
  solid.close();
}

const checks = {
  "inpoly": async () => check(await open(cube, { name: "cube.obj" })),
  "inpoly, errors": async () => {
    const error = await fromArrays([0, 0, 0], [0, 1, 9]).catch((e) => e);
    equal([error instanceof InpolyError, error.code], [true, "mesh"]);
  },
  "inpoly without a worker": async () => check(await open(cube, { name: "cube.obj", worker: false })),
  "inpoly/sync": async () => check((await sync.load()).open(cube, { name: "cube.obj" })),
  "inpoly/three": async () => check(await fromBufferGeometry(new BoxGeometry(2, 2, 2).translate(1, 1, 1))),
  "inpoly/command": async () => {
    const { code, stdout, stderr } = await run(["cube.obj", "p.csv", "--distance", "-q"], {
      "cube.obj": cube, "p.csv": new Blob(["x,y,z\n1,1,1\n5,1,1\n"]),
    });
    equal([code, stdout, stderr], [0, "x,y,z,inside,distance\n1,1,1,1,-1\n5,1,1,0,3\n", ""]);
  },
};

const report = new URLSearchParams(location.search).get("report");
const post = (result) => fetch(report, { method: "POST", mode: "no-cors", body: JSON.stringify(result) });

for (const [name, f] of Object.entries(checks)) {
  let error;
  try {
    await f();
  } catch (e) {
    error = String(e?.stack ?? e);
  }
  await post({ name, error });
}
await post({ end: true });
