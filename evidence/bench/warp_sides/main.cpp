// Sides of points by the mesh queries of NVIDIA Warp, compiled for the CPU. sides.h explains the arguments.
//
// The queries of Warp's kernels are inline functions of its native headers; a kernel for the CPU calls
// the same code. Warp's native sources without CUDA are linked for the tree. The modes are the ways to
// determine the sign that Warp documents, with their default parameters. Coordinates are float32.
#include "../sides.h"
#include "mesh.h"
#include "warp.h"

#ifndef WARP_REVISION
#define WARP_REVISION "unknown revision"
#endif

using Query = wp::mesh_query_point_t (*)(uint64_t, const wp::vec3 &);

// The queries look for the nearest face within this distance. Its square is a finite float32.
static const float anywhere = 1e18f;

static Query queryOf(const std::string &mode) {
  if (mode == "rays")
    return [](uint64_t id, const wp::vec3 &p) { return wp::mesh_query_point(id, p, anywhere); };
  if (mode == "parity")
    return [](uint64_t id, const wp::vec3 &p) { return wp::mesh_query_point_sign_parity(id, p, anywhere); };
  if (mode == "normal")
    return [](uint64_t id, const wp::vec3 &p) { return wp::mesh_query_point_sign_normal(id, p, anywhere); };
  return [](uint64_t id, const wp::vec3 &p) { return wp::mesh_query_point_sign_winding_number(id, p, anywhere, 2, 0.5f); };
}

int main(int argc, char **argv) {
  std::vector<std::string> modes = {"winding", "normal", "parity", "rays"};
  return drive(argc, argv, WARP_REVISION, modes, [](const PlyMesh &m, const std::string &mode) {
    // Warp keeps pointers to these arrays, which live until the program ends.
    auto *vertices = new std::vector<float>(m.vertices.begin(), m.vertices.end());
    auto *faces = new std::vector<int>(m.faces.begin(), m.faces.end());
    auto *v = reinterpret_cast<wp::vec3 *>(vertices->data());
    int nv = int(vertices->size() / 3), nf = int(faces->size() / 3);
    uint64_t id = wp_mesh_create_host(wp::array_t<wp::vec3>(v, nv), {}, wp::array_t<int>(faces->data(), 3 * nf), nv, nf,
                                      mode == "winding", BVH_CONSTRUCTOR_SAH, nullptr, 4);
    if (!id)
      fail(1, "Warp builds no tree");
    Query query = queryOf(mode);
    return [=](uint8_t *out, const double *p, size_t first, size_t last, int threads) {
      parallel(threads, first, last, [&](int, size_t a, size_t b) {
        for (size_t i = a; i < b; i++) {
          auto nearest = query(id, wp::vec3(float(p[3 * i]), float(p[3 * i + 1]), float(p[3 * i + 2])));
          out[i] = nearest.result && nearest.sign < 0;
        }
      });
    };
  });
}
