import type { Solid, SolidOptions } from "./index.js";

/** What is used of a BufferGeometry of three.js. */
export interface Geometry {
  attributes: Record<string, any>;
  index: { count: number; getX(i: number): number } | null;
  drawRange?: { start: number; count: number };
  morphAttributes?: { [name: string]: unknown[] | undefined };
}

/** Makes a solid from a geometry, in the coordinates of the geometry: the matrix of its Mesh is not
 * applied. Groups are ignored; drawRange is respected; morph targets are refused. */
export function fromBufferGeometry(geometry: Geometry, options?: SolidOptions): Promise<Solid>;

/** The arguments of fromArrays for a geometry. They can share memory with it. */
export function arraysOf(geometry: Geometry): { vertices: Float32Array | Float64Array; faces: Uint32Array | undefined };
