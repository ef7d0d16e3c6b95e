// `make api` writes SolidOptions, Answers, Code and the lists of words from bindings/api.json.

import type { HostAbortSignal, HostBlob, HostModule, HostResponse, HostURL } from "./host.js";

// "using" needs the library esnext.disposable of TypeScript. Without it, this declares what Solid has.
declare global {
  interface SymbolConstructor {
    readonly dispose: unique symbol;
  }
}

/** Coordinates x, y, z of points, one after the other; or an array of points. */
export type Points =
  | Float64Array
  | Float32Array
  | readonly number[]
  | readonly (readonly [number, number, number] | ArrayLike<number> | { x: number; y: number; z: number })[];

/** Indexes of vertices, three for each face, counterclockwise as seen from outside. */
export type Faces = Uint32Array | Int32Array | Uint16Array | readonly number[] | readonly (readonly number[])[];

/** A mesh in memory. Without faces, vertices 0 1 2 are a face, 3 4 5 are a face, and so on. */
export interface MeshArrays {
  name?: string;
  vertices: Points;
  faces?: Faces;
}

/** The content of a mesh file: STL, OBJ, PLY, OFF, glTF, GLB or 3MF, also compressed as .gz. */
export type Source =
  | ArrayBuffer
  | ArrayBufferView
  | HostBlob
  | HostResponse
  | HostURL
  | string
  | { name?: string; data: ArrayBuffer | ArrayBufferView };

/** The progress of a call. total is 0 if it is unknown. */
export interface Progress {
  stage: string;
  done: number;
  total: number;
}

/** Options of every call. */
export interface CallOptions {
  /** Interrupts the call. Its promise rejects with signal.reason at once. */
  signal?: HostAbortSignal;
  /** Called at the start and at the end of a stage, and at most 20 times a second between them. Sides, winding
   * numbers and bodies report each million points (each quarter million of a Float32Array). Distances, nearest
   * points and faces report each 65,536 points at first, and then about each half second. */
  onProgress?: (progress: Progress) => void;
  /** Moves the buffers of the arguments to the worker instead of copying them. They are then detached, also
   * if the call fails. An array that is a part of its buffer is copied. */
  transfer?: boolean;
}

/** Options of open and fromArrays. */
export interface SolidOptions extends CallOptions {
  /** Name of the solid. The suffix of a file name decides the format if the content does not. */
  name?: string;
  /** Method for finding sides, which are the same with all methods. Default: "auto". */
  method?: "auto" | "raycross" | "columns" | "cells" | "direct" | "fmm";
  /** Which winding numbers W are inside: "nonzero" (W > 1/2 or W < −1/2), "positive" (W > 1/2), "negative" (W < −1/2),
   * "evenodd" (W is odd). Default: "nonzero". */
  rule?: "nonzero" | "positive" | "negative" | "evenodd";
  /** Which faces are turned over if they disagree with adjacent faces: "auto" (only parts with flipped faces), "never"
   * (nothing), "always" (also parts that face inward as a whole). Default: "auto". */
  orient?: "auto" | "never" | "always";
  /** Points within this exact distance of the surface are on the surface. Default: 0, only points exactly on it. */
  tolerance?: number;
  /** Largest bound of a winding number. Sides are always exact. Default: 0, no limit. */
  epsilon?: number;
  /** Approximate number of points that follow, which helps the method auto. Default: 0, unknown. */
  expectedPoints?: number;
  /** Limit of the memory for loading a file, in bytes. Default: 0, a multiple of the size of the file. */
  maxMemory?: number;
  /** Changes random rays, but no answer. Default: 0. */
  seed?: number;
  /** Each body of a file becomes a solid of its own: OBJ groups and objects, STL solids, glTF nodes, 3MF build items,
   * and parts of slicers. Default: false. */
  splitBodies?: boolean;
  /** Which parts of the 3MF file of a slicer are read: "typed" (without modifiers and supports, and a file with
   * negative parts is refused), "all" (all parts as solid). Default: "typed". */
  parts?: "typed" | "all";
  /** Vertices of unmatched edges within this distance become one vertex before everything else. All answers are for the
   * welded mesh. Default: 0, only equal ones. */
  weld?: number;
  /** false: computes on the current thread, for callers that are in a worker already. Default: true. */
  worker?: boolean;
}

/** The values of Solid.sides. UNKNOWN means that a coordinate is not finite, or that the winding number
 * of an open mesh is too close to the threshold of the rule. */
export const Side: {
  readonly UNKNOWN: 0;
  readonly OUTSIDE: 1;
  readonly ON_SURFACE: 2;
  readonly INSIDE: 3;
};

/** The answers of Solid.locate. */
export interface Answers {
  /** Side relative to the union of the solids. */
  sides: Uint8Array;
  /** Winding number. */
  windings: Float64Array;
  /** Bound of the error of winding. */
  windingBounds: Float64Array;
  /** Signed distance to the surface, negative inside. */
  distances: Float64Array;
  /** Bound of the error of distance. */
  distanceBounds: Float64Array;
  /** 3 for each point: closest point on the surface, rounded. */
  nearest: Float64Array;
  /** Number of the nearest face in the file or the array of its solid; −1: none. */
  faces: Int32Array;
  /** Number of the solid that has this face; −1: none. */
  nearestBodies: Int32Array;
  /** Number of a solid that contains the point; −1: none; −2: uncertain. */
  bodies: Int32Array;
  /** Bound of the distance of nearest from the exact closest point of the face. */
  nearestBounds: Float64Array;
  /** 3 for each point: coordinates of nearest relative to the corners of the face. */
  barycentric: Float64Array;
  /** 3 for each point: unit normal of the face, or pseudonormal of the edge or the vertex; 0 if the normals of its
   * faces cancel exactly, or the faces have no area. */
  normals: Float64Array;
  /** Part of the face that has the closest point in its interior: 1 a vertex, 2 an edge, 3 the face; 0: none. */
  features: Uint8Array;
}

/** Closest points on the surface. */
export interface Nearest {
  /** The closest points, rounded; NaN without one. */
  points: Float64Array;
  /** Bounds of the distances of points from the exact closest points. */
  bounds: Float64Array;
  /** Nearest faces, with their numbers in the file or the array; −1 without one. */
  faces: Int32Array;
  /** The solids that have these faces. */
  bodies: Int32Array;
  /** The part of the face with the closest point: 1 a vertex, 2 an edge, 3 the inside of the face; exact. */
  features: Uint8Array;
  /** Unit normals of the faces; on an edge or a vertex, the angle-weighted pseudonormals. 0 if they cancel exactly. */
  normals: Float64Array;
  /** Coordinates relative to the corners of the faces. */
  barycentric: Float64Array;
}

/** Coordinates of one vector or of several; one is used for all lines or planes. */
export type Vectors = Points | { x: number; y: number; z: number };

/** Rays, which have directions, or segments, which have ends. A line is not valid if a coordinate is not finite
 * or exceeds 2^1000 in magnitude, or if its direction is 0. It does not affect the answers for the other lines. */
export type Lines = { starts: Vectors; directions: Vectors } | { starts: Vectors; ends: Vectors };

/** Hits of lines with faces. */
export interface Hits {
  /** Parameters: the points start + t·direction, or start + t·(end − start). Infinity without a hit. NaN for a
   * line that is not valid. */
  t: Float64Array;
  /** Bounds of the errors of t; Infinity for a line that is not valid. */
  bounds: Float64Array;
  /** Faces, with their numbers in the file or the array of the solid; −1 without a hit, or for a line that is not
   * valid. */
  faces: Int32Array;
  /** The solids that have these faces; −1 without a hit. */
  bodies: Int32Array;
  /** 1: the line passes through the plane of the face along its normal; −1: against it; 0: it lies in the
   * plane, or the face has no area. */
  signs: Int8Array;
  /** Changes of the winding number where the line, displaced infinitesimally, crosses the face. */
  jumps: Int8Array;
}

/** All hits. Those of line i are the elements offsets[i] to offsets[i + 1] − 1, in exact order. A line that is not
 * valid has one element, with t = NaN and the face −1. */
export interface AllHits extends Hits {
  offsets: Uint32Array;
}

/** Parts of segments or polylines with one side. Those of line i are the elements offsets[i] to
 * offsets[i + 1] − 1, from its start to its end. */
export interface Intervals {
  offsets: Uint32Array;
  /** Values of Side. UNKNOWN occurs on an open mesh, and for a line that is not valid: it has one interval, with
   * the length NaN. */
  sides: Uint8Array;
  /** Parameters of the ends on their segment, from 0 to 1, and bounds of their errors. */
  starts: Float64Array;
  startBounds: Float64Array;
  ends: Float64Array;
  endBounds: Float64Array;
  /** Lengths in the unit of the mesh, and bounds of their errors. */
  lengths: Float64Array;
  lengthBounds: Float64Array;
  /** Segments of the polyline where the intervals start and end; 0 for segments. */
  firstSegments: Int32Array;
  lastSegments: Int32Array;
  /** Lines with a part that is UNKNOWN because samples at a distance of the step would be too many. A larger
   * step can decide such a part. */
  unsampled: Uint32Array;
}

export interface IntervalOptions extends CallOptions {
  /** Number of the solid, if there are several. Default: 0. */
  index?: number;
  /** Largest distance of samples on an open mesh. Default: 0, 1/256 of the diagonal. Intervals of closed
   * meshes are exact. Far from an open mesh, where the winding number is certainly below 1/2, all points are
   * OUTSIDE. With the default, a part that needs more than 2^16 samples is UNKNOWN beyond them. A segment that would
   * have more than 4,194,304 samples at another step is an error. */
  step?: number;
}

/** A section of a solid with a plane. Points are [x, y, z]. */
export interface Section {
  plane: { origin: number[]; normal: number[] };
  /** Whether the mesh is closed. Otherwise there are only contours, and areas are null. */
  closed: boolean;
  rule: string;
  /** Bound of the error of each coordinate. */
  bound: number;
  contours: { points: number[][]; closed: boolean }[];
  /** The region that the rule fills. Outer rings run counterclockwise against the normal, holes clockwise. */
  polygons: { outer: { points: number[][]; area: number }; holes: { points: number[][]; area: number }[] }[];
  area: number | null;
  areaBound: number | null;
  [field: string]: unknown;
}

/** Area, volume and moments with bounds of their errors. null: not determined, and reason says why. */
export interface Properties {
  name: string;
  faces: number;
  closed: boolean;
  reason: string;
  area: number | null;
  areaBound: number | null;
  volume: number | null;
  volumeBound: number | null;
  mass: number | null;
  massBound: number | null;
  centroid: (number | null)[];
  centroidBound: (number | null)[];
  inertia: (number | null)[][];
  inertiaBound: number | null;
  moments: (number | null)[];
  momentsBound: number | null;
  axes: (number | null)[][];
  axesBound: (number | null)[];
  [field: string]: unknown;
}

export interface MeasureOptions extends CallOptions {
  /** Parts that are measured one by one. Default: "whole", one element. */
  by?: "whole" | "body" | "component";
  /** Mass of a unit of volume. Default: 1. */
  density?: number;
  /** Number of the solid, if there are several. Default: 0. */
  index?: number;
}

export interface DrawOptions extends CallOptions {
  /** Default: "svg". */
  format?: "svg" | "geojson";
  /** Unit of the mesh, for a picture to scale. */
  unit?: "mm" | "cm" | "in" | "pt" | "pc" | "px";
  /** Number of the solid, if there are several. Default: 0. */
  index?: number;
}

/** A vector, or a Vector3 of three.js. */
export type VectorLike = ArrayLike<number> | { x: number; y: number; z: number };

/** Rows of numbers, or a Matrix3 or Matrix4 of three.js, whose elements are columns. */
export type MatrixLike = readonly ArrayLike<number>[] | { elements: ArrayLike<number> };

/** A unit quaternion. An array has the order [w, x, y, z], unlike toArray of three.js. */
export type QuaternionLike = ArrayLike<number> | { x: number; y: number; z: number; w: number };

/** The pose of a solid: a unit quaternion [w, x, y, z], and a translation. */
export interface Pose {
  rotation: number[];
  translation: number[];
}

/** A rotation, then a translation. One of the two can be left out. Other fields are errors, and so is {}. A
 * position and a quaternion, such as those of an Object3D of three.js, are the same. An Object3D with a parent
 * is placed in the world. Scale, shear and reflection are errors. Matrices have the size 4 × 4, and rotations
 * can be matrices of the size 3 × 3. A matrix m is converted to a quaternion, whose rotation differs from m by
 * at most 2.1·|mᵀm − I| + 2⁻⁴⁸ in the spectral norm. */
export type PoseLike =
  | { rotation: QuaternionLike | MatrixLike; translation?: VectorLike | null }
  | { rotation?: QuaternionLike | MatrixLike | null; translation: VectorLike }
  | { position: VectorLike; quaternion: QuaternionLike; scale?: VectorLike }
  | MatrixLike;

export interface LocateOptions<K extends keyof Answers = keyof Answers> extends CallOptions {
  /** Default: ["sides"]. */
  answers?: readonly K[];
  /** The solid that the answer bodies names if several contain a point. "count": their number. */
  choice?: "first" | "innermost" | "count";
}

/** One of the solids. */
export interface SolidInfo {
  name: string;
  /** Number of vertices after welding. */
  vertices: number;
  faces: number;
  /** Whether the mesh is watertight: it has no boundary, so winding numbers are integers. */
  closed: boolean;
  /** Smallest and largest corner of a box around the solid; empty without faces. It is the smallest box,
   * except at a pose that does more than to exchange axes and to move the box without rounding. */
  box: [] | [[number, number, number], [number, number, number]];
  /** The pose, or null. Sides and signs of distances are exact for these numbers. */
  pose: Pose | null;
}

export interface FaceID {
  face: number;
  body: number;
  bodyName: string;
}

/** Why a point has its side relative to one solid. Numbers that are not finite are null. */
export interface Explanation {
  name: string;
  point: (number | null)[];
  side: "in" | "out" | "on" | "uncertain";
  because: string;
  winding: number | null;
  bound: number | null;
  rule: string;
  tolerance: number;
  method: string;
  methodReason: string;
  on: FaceID[];
  nearest: null | (FaceID & { distance: number | null; unsigned: number; bound: number; point: number[] });
  crossings: (FaceID & { sign: 1 | -1; point: number[]; distance: number })[];
  ray: number[] | null;
  boundaryEdges: number;
  boundary: number | null;
}

/** The defects of the meshes, and the methods. docs/javascript.md describes the fields. */
export interface Report {
  names: string[];
  warnings: string[];
  defects: boolean;
  solids: Record<string, unknown>[];
}

/** The methods of solids. P is the type of a result: a promise, or with inpoly/sync the value itself. */
export interface SolidMethods {
  readonly names: readonly string[];
  readonly solids: readonly SolidInfo[];
  /** The pose that at has given: one for each of several solids, or null without a pose. */
  readonly pose: Pose | readonly Pose[] | null;
  /** Whether close has been called. solids[i].closed says whether a mesh is watertight. */
  readonly closed: boolean;
  /** Releases the memory of the solid. Calls that run end with correct answers; later calls fail with
   * the code "handle". Does nothing the second time. */
  close(): void;
  /** The same as close, for "using solid = …". */
  [Symbol.dispose](): void;
}

/** One solid or several. If a coordinate of a point is not finite, its answers are Side.UNKNOWN, the winding
 * number NaN with the bound Infinity, the distance NaN with the bound NaN, the faces −1, and the body −2. Several solids answer as their union. */
export class Solid implements SolidMethods {
  private constructor();
  readonly names: readonly string[];
  readonly solids: readonly SolidInfo[];
  /** The pose that at has given: one for each of several solids, or null without a pose. */
  readonly pose: Pose | readonly Pose[] | null;
  /** Whether close has been called. solids[i].closed says whether a mesh is watertight. */
  readonly closed: boolean;
  /** The sides of points, with the values of Side. */
  sides(points: Points, options?: CallOptions): Promise<Uint8Array>;
  /** 1 for points that are inside or on the surface, else 0. */
  contains(points: Points, options?: CallOptions): Promise<Uint8Array>;
  /** Winding numbers, and certified bounds of their errors. */
  windings(points: Points, options?: CallOptions): Promise<{ windings: Float64Array; bounds: Float64Array }>;
  /** Signed distances to the surface, negative inside, and bounds of their errors. Without a pose, the exact
   * distance is rounded up. At a pose, the bounds include the rounding of positions. NaN: the side is unknown. */
  distances(points: Points, options?: CallOptions): Promise<{ distances: Float64Array; bounds: Float64Array }>;
  /** The closest points on the surface, with their faces, solids, normals and features. */
  nearest(points: Points, options?: CallOptions): Promise<Nearest>;
  /** The index of a solid that contains each point; −1: none; −2: uncertain. */
  bodies(points: Points, options?: Omit<LocateOptions, "answers">): Promise<Int32Array>;
  /** Several answers in one pass. */
  locate<K extends keyof Answers = "sides">(points: Points, options?: LocateOptions<K>): Promise<Pick<Answers, K>>;
  /** Why a point has its side relative to each solid. Slow: for single points. */
  explain(x: number, y: number, z: number, options?: CallOptions): Promise<Explanation[]>;
  report(options?: CallOptions): Promise<Report>;
  /** The sentences about defects that can change answers. */
  warnings(options?: CallOptions): Promise<string[]>;
  /** The welded mesh of a solid. Fails for solids at poses. */
  mesh(index?: number, options?: CallOptions): Promise<{ vertices: Float64Array; faces: Int32Array }>;
  /** The first face that each line meets, exactly. A face that a line only touches counts. */
  firstHits(lines: Lines, options?: CallOptions): Promise<Hits>;
  /** 1 for each line that meets a face, else 0, also for a line that is not valid. */
  anyHits(lines: Lines, options?: CallOptions): Promise<Uint8Array>;
  /** All faces that each line meets, in exact order. */
  allHits(lines: Lines, options?: CallOptions): Promise<AllHits>;
  /** Which parts of segments are inside, outside and on the surface of a solid. */
  intervals(lines: { starts: Vectors; ends: Vectors }, options?: IntervalOptions): Promise<Intervals>;
  /** The same for polylines: polyline i has the points offsets[i] to offsets[i + 1] − 1. */
  polylineIntervals(points: Points, offsets: ArrayLike<number>, options?: IntervalOptions): Promise<Intervals>;
  /** Sections with planes. */
  sections(origins: Vectors, normals: Vectors, options?: Omit<MeasureOptions, "by" | "density">): Promise<Section[]>;
  /** Sections as the text of an SVG or a GeoJSON file. */
  drawSections(origins: Vectors, normals: Vectors, options?: DrawOptions): Promise<string>;
  /** Area, volume, mass, centroid and moments of inertia of a solid or its parts. */
  measure(options?: MeasureOptions): Promise<Properties[]>;
  /** The solids at poses, one for each or one for all. If the solids have poses, the new ones move them from
   * there: the poses are composed exactly and rounded once, and pose returns the result. Sides and signs of
   * distances are exact for the mesh that this pose moves. All bounds include the rounding of positions. Faces
   * are within these bounds of the nearest ones. Methods about lines, planes and measures, and
   * explain, honor the poses; mesh fails. Close both solids. */
  at(poses: PoseLike | readonly PoseLike[], options?: CallOptions): Promise<Solid>;
  /** The solids with other vertices and the same faces: the vertices of all solids, in the order of mesh. The answers
   * are those of new solids, and the indexes are built again. Vertices that become equal are welded again, and then have other numbers. If the solids have poses, the new ones
   * have them too. Close both solids. */
  refit(vertices: Points, options?: CallOptions): Promise<Solid>;
  close(): void;
  [Symbol.dispose](): void;
}

/** Opens a mesh file. A list of files becomes a list of solids. A string is a path in Node, and a URL in
 * browsers. */
export function open(source: Source | readonly Source[], options?: SolidOptions): Promise<Solid>;

/** Makes a solid from arrays. Vertices at equal coordinates are welded. */
export function fromArrays(vertices: Points, faces?: Faces, options?: SolidOptions): Promise<Solid>;
export function fromArrays(vertices: Points, options?: SolidOptions): Promise<Solid>;
/** Makes several solids. */
export function fromArrays(meshes: readonly MeshArrays[], options?: SolidOptions): Promise<Solid>;

/** What is used of a worker. */
export interface WorkerLike {
  postMessage(message: any, transfer: any[]): void;
  terminate(): unknown;
}

export interface Settings {
  /** The module: its URL, its bytes, or a compiled one. Default: inpoly.wasm beside the scripts. */
  wasm?: string | HostURL | ArrayBuffer | ArrayBufferView | HostModule;
  /** Creates the worker: a Worker of the browser or of node:worker_threads. Default: worker.js beside the
   * scripts. */
  createWorker?: () => WorkerLike;
}

/** Sets where the module and the worker come from. Call it before the first solid is opened, or
 * after a failure with the code "load". */
export function configure(settings: Settings): void;

/** Ends the worker at once, and frees its memory. All solids are closed; running calls fail with the code
 * "handle". The next solid starts a new worker. */
export function terminate(): void;

/** The code of an error. */
export type Code =
  | "argument" // an argument has the wrong type or length, an option is unknown, or a buffer is detached
  | "handle" // the solid is closed
  | "option" // an option is out of range, or has an unknown name
  | "file" // a path or URL cannot be read
  | "format" // the file is not a mesh file, or has bad data; the message has the place
  | "mesh" // the arrays are not a mesh: an index or a coordinate is out of range
  | "too-large" // a mesh exceeds a limit of size or of memory
  | "internal" // a defect of inpoly; please report it
  | "load" // the module or the worker cannot be loaded: it is missing, or a policy refuses it; see configure
  | "memory"; // the 4 GiB of WebAssembly are full; all solids are closed

export class InpolyError extends Error {
  readonly code: Code;
}
