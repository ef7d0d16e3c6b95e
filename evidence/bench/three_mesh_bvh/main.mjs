// Sides of points by three-mesh-bvh.
// usage: main.mjs MESH POINTS.f64 OUT THREADS LIMIT first|parity
// first looks at the side of the first face that a ray hits, which the author of the library
// recommends. parity counts the faces that the ray hits.
import { BufferAttribute, BufferGeometry, DoubleSide, Ray, Vector3 } from 'three';
import { MeshBVH } from 'three-mesh-bvh';
import { direction, drive } from './limited.mjs';

function geometryOf(mesh) {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(mesh.vertices, 3));
  geometry.setIndex(new BufferAttribute(mesh.index, 1));
  return geometry;
}

function build(mesh) {
  const bvh = new MeshBVH(geometryOf(mesh), { useSharedArrayBuffer: true });
  return MeshBVH.serialize(bvh, { cloneBuffers: false });
}

function query(mesh, serialized, mode) {
  const bvh = MeshBVH.deserialize(serialized, geometryOf(mesh), { setIndex: false });
  const ray = new Ray(new Vector3(), new Vector3(...direction));
  if (mode === 'parity') {
    return (x, y, z) => {
      ray.origin.set(x, y, z);
      return bvh.raycast(ray, DoubleSide).length % 2;
    };
  }
  return (x, y, z) => {
    ray.origin.set(x, y, z);
    const hit = bvh.raycastFirst(ray, DoubleSide);
    return hit && hit.face.normal.dot(ray.direction) > 0 ? 1 : 0;
  };
}

await drive(import.meta.url, 'three-mesh-bvh', ['first', 'parity'], build, query);
