// A program of Node.

import { Side, fromArrays } from "inpoly";

const solid = await fromArrays([0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 9], [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]);
const sides = await solid.sides([[1, 1, 1], [9, 9, 9]]);
if (sides.join() !== [Side.INSIDE, Side.OUTSIDE].join()) throw new Error(`sides ${sides}`);
