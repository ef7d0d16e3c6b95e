// The class of solids. Its methods are the same for workers and for inpoly/sync; only the results of
// the latter are no promises.

import { checkOptions, coordinates, lines, number, offsets, pairs, wanted } from "./arguments.js";
import { InpolyError } from "./errors.js";
import { poses } from "./poses.js";

// The side of a point.
export const Side = Object.freeze({ UNKNOWN: 0, OUTSIDE: 1, ON_SURFACE: 2, INSIDE: 3 });

// Solid describes its methods in index.d.ts. call(method, params, options, finish) runs a method of the
// module and returns finish of its value, or a promise of it.
export class Solid {
  #call;
  #closed = false;
  #close;
  #controls;
  #derive;

  // controls are the names of the options that every call has. derive returns the Solid for another one
  // that the module has opened.
  constructor({ info }, call, close, controls, derive) {
    this.#controls = controls;
    this.#derive = derive;
    this.#call = call;
    this.#close = close;
    const { solids } = JSON.parse(info);
    this.solids = Object.freeze(solids);
    this.names = Object.freeze(solids.map((s) => s.name));
  }

  get closed() {
    return this.#closed;
  }

  get pose() {
    if (this.solids.length === 1) return this.solids[0].pose;
    return this.solids[0].pose && this.solids.map((s) => s.pose);
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
    const names = ["nearest", "faces", "nearestBodies", "nearestBounds", "normals", "features", "barycentric"];
    return this.#locate(points, options, names, (a) => ({
      points: a.nearest, faces: a.faces, bodies: a.nearestBodies, bounds: a.nearestBounds, normals: a.normals,
      features: a.features, barycentric: a.barycentric,
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

  firstHits(from, options = {}) {
    return this.#run("firstHits", () => lines(from), options, (hits) => hits);
  }

  anyHits(from, options = {}) {
    return this.#run("anyHits", () => lines(from), options, ({ met }) => met);
  }

  allHits(from, options = {}) {
    return this.#run("allHits", () => lines(from), options, (hits) => hits);
  }

  intervals(from, options = {}) {
    return this.#run("intervals", () => ({ ...lines(from, ["ends"]), ...intervalOptions(options) }), options, (v) => v, ["index", "step"]);
  }

  polylineIntervals(points, first, options = {}) {
    return this.#run("polylineIntervals", () => ({
      starts: coordinates(points, "points"), offsets: offsets(first), ...intervalOptions(options),
    }), options, (v) => v, ["index", "step"]);
  }

  #sections(origins, normals, options, finish, names, format) {
    return this.#run("sections", () => {
      const [starts, vectors] = pairs(origins, normals, "the origins", "the normals");
      return { starts, vectors, segments: false, index: options.index ?? 0, unit: options.unit ?? "", format };
    }, options, finish, names);
  }

  sections(origins, normals, options = {}) {
    return this.#sections(origins, normals, options, JSON.parse, ["index"], "json");
  }

  drawSections(origins, normals, options = {}) {
    const format = options?.format ?? "svg";
    return this.#sections(origins, normals, options, (text) => text, ["index", "format", "unit"], format === "json" ? "" : format);
  }

  measure(options = {}) {
    return this.#run("measure", () => ({ index: options.index ?? 0, by: options.by ?? "whole", density: options.density ?? 1 }),
      options, JSON.parse, ["index", "by", "density"]);
  }

  at(pose, options = {}) {
    return this.#run("at", () => ({ poses: poses(pose) }), options, (opened) => this.#derive(opened));
  }

  refit(vertices, options = {}) {
    return this.#run("refit", () => ({ vertices: coordinates(vertices, "the vertices") }), options, (opened) => this.#derive(opened));
  }

  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#close();
  }
}

function intervalOptions({ index, step }) {
  return { index: index ?? 0, step: step ?? 0 };
}

if (Symbol.dispose) Solid.prototype[Symbol.dispose] = Solid.prototype.close;
