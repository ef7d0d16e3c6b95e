// The class of solids. Its methods are the same for workers and for inpoly/sync; only the results of
// the latter are no promises.

import { checkOptions, coordinates, number, wanted } from "./arguments.js";
import { InpolyError } from "./errors.js";

// The side of a point.
export const Side = Object.freeze({ UNKNOWN: 0, OUTSIDE: 1, ON_SURFACE: 2, INSIDE: 3 });

// Solid describes its methods in index.d.ts. call(method, params, options, finish) runs a method of the
// module and returns finish of its value, or a promise of it.
export class Solid {
  #call;
  #closed = false;
  #close;
  #controls;

  // controls are the names of the options that every call has.
  constructor({ info }, call, close, controls) {
    this.#controls = controls;
    this.#call = call;
    this.#close = close;
    const { solids } = JSON.parse(info);
    this.solids = Object.freeze(solids);
    this.names = Object.freeze(solids.map((s) => s.name));
  }

  get closed() {
    return this.#closed;
  }

  // names are the names of further options.
  #run(method, params, options, finish, names = []) {
    return this.#call(method, () => {
      checkOptions(options, [...names, ...this.#controls]);
      if (this.#closed) throw new InpolyError("handle", "the solid is closed");
      return params();
    }, options, finish);
  }

  #locate(points, options, answers, finish, names) {
    return this.#run("locate", () => ({
      points: coordinates(points, "points"), ...wanted({ ...options, ...(answers && { answers }) }),
    }), options, finish, names);
  }

  sides(points, options = {}) {
    return this.#locate(points, options, ["sides"], (a) => a.sides);
  }

  contains(points, options = {}) {
    return this.#locate(points, options, ["sides"], ({ sides }) => {
      for (let i = 0; i < sides.length; i++) sides[i] = sides[i] >= Side.ON_SURFACE ? 1 : 0;
      return sides;
    });
  }

  windings(points, options = {}) {
    return this.#locate(points, options, ["windings", "windingBounds"], (a) => ({
      windings: a.windings, bounds: a.windingBounds,
    }));
  }

  distances(points, options = {}) {
    return this.#locate(points, options, ["distances", "distanceBounds"], (a) => ({
      distances: a.distances, bounds: a.distanceBounds,
    }));
  }

  nearest(points, options = {}) {
    return this.#locate(points, options, ["nearest", "faces", "nearestBodies"], (a) => ({
      points: a.nearest, faces: a.faces, bodies: a.nearestBodies,
    }));
  }

  bodies(points, options = {}) {
    return this.#locate(points, options, ["bodies"], (a) => a.bodies, ["choice"]);
  }

  locate(points, options = {}) {
    return this.#locate(points, options, undefined, (a) => a, ["answers", "choice"]);
  }

  explain(x, y, z, options = {}) {
    return this.#run("explain", () => ({ x: number(x, "x"), y: number(y, "y"), z: number(z, "z") }), options, JSON.parse);
  }

  report(options = {}) {
    return this.#run("report", () => ({}), options, JSON.parse);
  }

  warnings(options = {}) {
    return this.#run("report", () => ({}), options, (text) => JSON.parse(text).warnings);
  }

  mesh(index = 0, options = {}) {
    return this.#run("mesh", () => ({ index: number(index, "index") }), options, (m) => m);
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#close();
  }
}

if (Symbol.dispose) Solid.prototype[Symbol.dispose] = Solid.prototype.close;
