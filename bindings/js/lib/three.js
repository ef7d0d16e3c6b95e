// The entry of inpoly/three for browsers.

import { arraysOf } from "./geometry.js";
import { fromArrays } from "./index.js";

export { arraysOf };
export const fromBufferGeometry = async (geometry, options) => {
  const { vertices, faces } = arraysOf(geometry);
  return fromArrays(vertices, faces, options);
};
