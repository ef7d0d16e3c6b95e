import type {
  AllHits, Answers, CallOptions, DrawOptions, Explanation, Faces, Hits, IntervalOptions, Intervals, Lines, LocateOptions, MeasureOptions,
  MeshArrays, Nearest, Points, PoseLike, Properties, Report, Section, Settings, SolidMethods, SolidOptions, Vectors,
} from "./index.js";

export { InpolyError, Side } from "./index.js";

/** Like Solid of inpoly, but the methods return values instead of promises. */
export interface SyncSolid extends SolidMethods {
  sides(points: Points): Uint8Array;
  contains(points: Points): Uint8Array;
  windings(points: Points): { windings: Float64Array; bounds: Float64Array };
  distances(points: Points): { distances: Float64Array; bounds: Float64Array };
  nearest(points: Points): Nearest;
  bodies(points: Points, options?: Pick<LocateOptions, "choice">): Int32Array;
  locate<K extends keyof Answers = "sides">(
    points: Points, options?: Pick<LocateOptions<K>, "answers" | "choice">,
  ): Pick<Answers, K>;
  explain(x: number, y: number, z: number): Explanation[];
  report(): Report;
  warnings(): string[];
  mesh(index?: number): { vertices: Float64Array; faces: Int32Array };
  firstHits(lines: Lines): Hits;
  anyHits(lines: Lines): Uint8Array;
  allHits(lines: Lines): AllHits;
  intervals(lines: { starts: Vectors; ends: Vectors }, options?: Omit<IntervalOptions, keyof CallOptions>): Intervals;
  polylineIntervals(points: Points, offsets: ArrayLike<number>, options?: Omit<IntervalOptions, keyof CallOptions>): Intervals;
  sections(origins: Vectors, normals: Vectors, options?: Pick<MeasureOptions, "index">): Section[];
  drawSections(origins: Vectors, normals: Vectors, options?: Omit<DrawOptions, keyof CallOptions>): string;
  measure(options?: Omit<MeasureOptions, keyof CallOptions>): Properties[];
  at(poses: PoseLike | readonly PoseLike[]): SyncSolid;
  refit(vertices: Points): SyncSolid;
}

type Bytes = ArrayBuffer | ArrayBufferView | { name?: string; data: ArrayBuffer | ArrayBufferView };
type Options = Omit<SolidOptions, "signal" | "onProgress" | "transfer" | "worker">;

export interface Inpoly {
  open(source: Bytes | readonly Bytes[], options?: Options): SyncSolid;
  fromArrays(vertices: Points, faces?: Faces, options?: Options): SyncSolid;
  fromArrays(vertices: Points, options?: Options): SyncSolid;
  fromArrays(meshes: readonly MeshArrays[], options?: Options): SyncSolid;
  /** The number of open solids, and the bytes in use after a collection of garbage. */
  memory(): { solids: number; bytes: number };
}

/** Starts the module on the current thread. */
export function load(settings?: Pick<Settings, "wasm">): Promise<Inpoly>;
