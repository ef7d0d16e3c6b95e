// Sides of the centers of voxels by OpenVDB.
// usage: openvdb_voxels MESH.stl - OUT THREADS OX OY OZ H NX NY NZ
// The grid of NX·NY·NZ cubes of edge H begins at (OX, OY, OZ). meshToVolume makes a narrow-band level
// set, whose values are those of the centers of the cubes. The time of the build is that of
// meshToVolume, and the time of the query is that of the copy of the signs; limited.h explains them.
// Writes one byte for each voxel (1 inside or on the surface, 0 outside), x fastest, and prints one line of JSON. common.h is the peers'.
#include "../limited.h"
#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

// Triangles gives the corners of a mesh in the coordinates of the grid.
struct Triangles {
  const Mesh &mesh;
  const openvdb::math::Transform &transform;
  size_t polygonCount() const { return mesh.nf; }
  size_t pointCount() const { return mesh.nv; }
  size_t vertexCount(size_t) const { return 3; }
  void getIndexSpacePoint(size_t face, size_t corner, openvdb::Vec3d &p) const {
    const float *v = &mesh.V[3 * (size_t)mesh.F[3 * face + corner]];
    p = transform.worldToIndex(openvdb::Vec3d(v[0], v[1], v[2]));
  }
};

int main(int argc, char **argv) {
  if (argc != 12) {
    fprintf(stderr, "usage: openvdb_voxels MESH.stl - OUT THREADS OX OY OZ H NX NY NZ\n");
    return 2;
  }
  Res r;
  r.peer = "openvdb_voxels";
  r.mesh = argv[1];
  r.pts = argv[2];
  r.th = atoi(argv[4]);
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, r.th);
  double h = atof(argv[8]);
  openvdb::Vec3d origin(atof(argv[5]), atof(argv[6]), atof(argv[7]));
  size_t nx = atoi(argv[9]), ny = atoi(argv[10]), nz = atoi(argv[11]);
  double start = now();
  Soup soup = loadSTL(argv[1]);
  r.load = now() - start;
  start = now();
  Mesh mesh = weld(soup);
  r.weld = now() - start;
  r.nt = mesh.nf;
  r.np = nx * ny * nz;
  r.out.assign(r.np, 0);

  openvdb::initialize();
  auto transform = openvdb::math::Transform::createLinearTransform(h);
  transform->postTranslate(origin + openvdb::Vec3d(h / 2)); // index (0, 0, 0) is the center of a voxel
  const float band = openvdb::LEVEL_SET_HALF_WIDTH;
  for (int rep = 0; rep < 3; rep++) {
    start = cpuSeconds();
    auto grid = openvdb::tools::meshToVolume<openvdb::FloatGrid>(Triangles{mesh, *transform}, *transform, band, band);
    r.build.push_back(cpuSeconds() - start);
    start = cpuSeconds();
    tbb::parallel_for(tbb::blocked_range<size_t>(0, nz), [&](const tbb::blocked_range<size_t> &range) {
      auto values = grid->getConstAccessor();
      for (size_t k = range.begin(); k < range.end(); k++)
        for (size_t j = 0; j < ny; j++)
          for (size_t i = 0; i < nx; i++)
            r.out[i + nx * (j + ny * k)] = values.getValue(openvdb::Coord(i, j, k)) <= 0;
    });
    r.q.push_back(cpuSeconds() - start);
    if (r.build[0] + r.q[0] > 2)
      break;
  }
  r.rss = rssKB();
  report(r, argv[3]);
}
