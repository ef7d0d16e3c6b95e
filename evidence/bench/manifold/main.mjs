// Sides of points by Manifold: the parity of the hits of Manifold.rayCast.
// usage: main.mjs MESH.stl POINTS.f64 OUT THREADS LIMIT
// Manifold has no query for the side of a point. It fails if the mesh is not an oriented manifold.
// Memory of WebAssembly is not shared, so each thread builds a Manifold of its own. The time of the
// build is that of one.
import Module from 'manifold-3d';
import { direction, drive } from './limited.mjs';

const wasm = await Module();
wasm.setup();

function solidOf(mesh) {
  return wasm.Manifold.ofMesh(new wasm.Mesh({ numProp: 3, vertProperties: mesh.vertices, triVerts: mesh.index }));
}

// build returns nothing, because the threads share nothing.
function build(mesh) {
  const solid = solidOf(mesh);
  solid.volume(); // forces the work that Manifold defers
  solid.delete();
}

function query(mesh) {
  const solid = solidOf(mesh);
  const { min, max } = solid.boundingBox();
  const far = 2 * Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]);
  const step = direction.map((d) => far * d);
  return (x, y, z) => solid.rayCast([x, y, z], [x + step[0], y + step[1], z + step[2]]).length % 2;
}

await drive(import.meta.url, 'manifold-3d', ['parity'], build, query);
