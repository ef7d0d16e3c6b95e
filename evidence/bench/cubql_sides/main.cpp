// Sides of points by the queries of NVIDIA cuBQL, compiled for the CPU. sides.h explains the arguments.
//
// cuBQL is a library of headers for CUDA that also compiles for the CPU. The mode majority is
// pointIsInsideSurface, which casts six rays along the axes. The mode ray is the count of signed
// crossings of one ray along +z, its signedCrossingCount. Coordinates are float32.
#include "../sides.h"
#include <cmath>
#define __device__ // parts of cuBQL suppose a compiler of CUDA, which knows this word and global max and min
using std::max;
using std::min;
#include "cuBQL/bvh.h"
#include "cuBQL/builder/cpu.h"
#include "cuBQL/queries/triangleData/pointInsideOutside.h"

#ifndef CUBQL_REVISION
#define CUBQL_REVISION "unknown revision"
#endif

int main(int argc, char **argv) {
  std::vector<std::string> modes = {"majority", "ray"};
  return drive(argc, argv, CUBQL_REVISION, modes, [](const PlyMesh &m, const std::string &mode) {
    auto *corners = new std::vector<cuBQL::vec3f>; // lives until the program ends, as the tree does
    std::vector<cuBQL::box3f> boxes;
    for (size_t i = 0; i < m.faces.size(); i++) {
      const double *v = &m.vertices[3 * size_t(m.faces[i])];
      corners->emplace_back(float(v[0]), float(v[1]), float(v[2]));
    }
    for (size_t i = 0; i < corners->size(); i += 3)
      boxes.push_back(cuBQL::box3f().extend((*corners)[i]).extend((*corners)[i + 1]).extend((*corners)[i + 2]));
    cuBQL::bvh3f tree;
    cuBQL::cpuBuilder(tree, boxes.data(), uint32_t(boxes.size()), cuBQL::BuildConfig());
    const cuBQL::vec3f *c = corners->data();
    auto triangle = [c](uint32_t k) { return cuBQL::Triangle{c[3 * k], c[3 * k + 1], c[3 * k + 2]}; };
    bool majority = mode == "majority";
    return [=](uint8_t *out, const double *p, size_t first, size_t last, int threads) {
      parallel(threads, first, last, [&](int, size_t a, size_t b) {
        for (size_t i = a; i < b; i++) {
          cuBQL::vec3f q{float(p[3 * i]), float(p[3 * i + 1]), float(p[3 * i + 2])};
          if (majority)
            out[i] = cuBQL::triangles::pointIsInsideSurface(tree, triangle, q);
          else
            out[i] = cuBQL::triangles::signedCrossingCount(tree, triangle, cuBQL::AxisAlignedRay<2, 1>(q), false) != 0;
        }
      });
    };
  });
}
