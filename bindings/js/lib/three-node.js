// The entry of inpoly/three for Node.

import { arraysOf } from "./geometry.js";
import { fromArrays } from "./index-node.js";

export { arraysOf };
export const fromBufferGeometry = async (geometry, options) => {
  const { vertices, faces } = arraysOf(geometry);
  return fromArrays(vertices, faces, options);
};
