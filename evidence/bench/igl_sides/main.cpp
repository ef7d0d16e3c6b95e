// Sides of points by libigl. sides.h explains the arguments.
//
// The modes are winding (igl::winding_number, sums of solid angles over a tree), fast
// (igl::fast_winding_number of order 2 and accuracy 2, which its authors recommend) and pseudonormal
// (the sign of igl::signed_distance). A point is inside if the absolute value of its winding number
// is above ½.
#include "../sides.h"
#include <igl/AABB.h>
#include <igl/fast_winding_number.h>
#include <igl/FastWindingNumberForSoups.h>
#include <igl/parallel_for.h>
#include <igl/per_edge_normals.h>
#include <igl/per_face_normals.h>
#include <igl/per_vertex_normals.h>
#include <igl/signed_distance.h>
#include <igl/WindingNumberAABB.h>
#include <functional>
#include <memory>

#ifndef IGL_REVISION
#define IGL_REVISION "unknown revision"
#endif

using Side = std::function<void(uint8_t *, const double *, size_t, size_t, int)>;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>;

static Rows rows(const double *p, size_t first, size_t last) {
  return Eigen::Map<const Rows>(p + 3 * first, last - first, 3);
}

static uint8_t inside(double w) { return std::abs(w) > 0.5; }

int main(int argc, char **argv) {
  std::vector<std::string> modes = {"winding", "fast", "pseudonormal"};
  return drive(argc, argv, IGL_REVISION, modes, [](const PlyMesh &m, const std::string &mode) -> Side {
    auto v = std::make_shared<Eigen::MatrixXd>(Eigen::Map<const Rows>(m.vertices.data(), m.vertices.size() / 3, 3));
    using Faces = Eigen::Matrix<int32_t, Eigen::Dynamic, 3, Eigen::RowMajor>;
    auto f = std::make_shared<Eigen::MatrixXi>(Eigen::Map<const Faces>(m.faces.data(), m.faces.size() / 3, 3));
    if (mode == "winding") { // as igl::winding_number, which builds the tree in each call
      auto tree = std::make_shared<igl::WindingNumberAABB<double, int>>(*v, *f);
      tree->grow();
      return [tree](uint8_t *out, const double *p, size_t first, size_t last, int threads) {
        parallel(threads, first, last, [&](int, size_t a, size_t b) {
          for (size_t i = a; i < b; i++)
            out[i] = inside(tree->winding_number(Eigen::RowVector3d(p[3 * i], p[3 * i + 1], p[3 * i + 2])));
        });
      };
    }
    if (mode == "fast") {
      auto tree = std::make_shared<igl::FastWindingNumberBVH>();
      igl::fast_winding_number(*v, *f, 2, *tree);
      return [tree](uint8_t *out, const double *p, size_t first, size_t last, int threads) {
        igl::default_num_threads(threads);
        Eigen::VectorXd w;
        igl::fast_winding_number(*tree, 2, rows(p, first, last), w);
        for (size_t i = first; i < last; i++)
          out[i] = inside(w[i - first]);
      };
    }
    struct Tree { // as igl::signed_distance, which builds all of this in each call
      igl::AABB<Eigen::MatrixXd, 3> boxes;
      Eigen::MatrixXd faces, vertices, edges; // normals
      Eigen::MatrixXi edge;
      Eigen::VectorXi edgeOf;
    };
    auto tree = std::make_shared<Tree>();
    tree->boxes.init(*v, *f);
    igl::per_face_normals(*v, *f, tree->faces);
    igl::per_vertex_normals(*v, *f, igl::PER_VERTEX_NORMALS_WEIGHTING_TYPE_ANGLE, tree->faces, tree->vertices);
    igl::per_edge_normals(*v, *f, igl::PER_EDGE_NORMALS_WEIGHTING_TYPE_UNIFORM, tree->faces, tree->edges, tree->edge,
                          tree->edgeOf);
    return [v, f, tree](uint8_t *out, const double *p, size_t first, size_t last, int threads) {
      parallel(threads, first, last, [&](int, size_t a, size_t b) {
        for (size_t i = a; i < b; i++) {
          double d = igl::signed_distance_pseudonormal(tree->boxes, *v, *f, tree->faces, tree->vertices, tree->edges,
                                                       tree->edgeOf,
                                                       Eigen::RowVector3d(p[3 * i], p[3 * i + 1], p[3 * i + 2]));
          out[i] = d < 0 ? 1 : d == 0 ? 2 : 0;
        }
      });
    };
  });
}
