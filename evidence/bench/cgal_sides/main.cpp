// Sides of points by CGAL: CGAL::Side_of_triangle_mesh. sides.h explains the arguments.
//
// The class requires a closed mesh. The mode strict refuses a mesh that is not a closed
// CGAL::Surface_mesh. The mode repaired first calls CGAL::Polygon_mesh_processing::
// orient_polygon_soup, which duplicates vertices at non-manifold edges, and then answers in any case.
#include "../sides.h"
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/orient_polygon_soup.h>
#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>
#include <CGAL/Side_of_triangle_mesh.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/version.h>
#include <memory>

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Surface = CGAL::Surface_mesh<Kernel::Point_3>;
namespace PMP = CGAL::Polygon_mesh_processing;

int main(int argc, char **argv) {
  return drive(argc, argv, CGAL_VERSION_STR, {"strict", "repaired"}, [](const PlyMesh &m, const std::string &mode) {
    std::vector<Kernel::Point_3> corners;
    std::vector<std::vector<size_t>> faces;
    for (size_t i = 0; i < m.vertices.size(); i += 3)
      corners.emplace_back(m.vertices[i], m.vertices[i + 1], m.vertices[i + 2]);
    for (size_t i = 0; i < m.faces.size(); i += 3)
      faces.push_back({size_t(m.faces[i]), size_t(m.faces[i + 1]), size_t(m.faces[i + 2])});
    if (mode == "repaired")
      PMP::orient_polygon_soup(corners, faces);
    else if (!PMP::is_polygon_soup_a_polygon_mesh(faces))
      fail(3, "the faces are no polygon mesh");
    auto surface = std::make_shared<Surface>();
    PMP::polygon_soup_to_polygon_mesh(corners, faces, *surface);
    if (mode == "strict" && !CGAL::is_closed(*surface))
      fail(3, "the mesh is not closed");
    auto tester = std::make_shared<CGAL::Side_of_triangle_mesh<Surface, Kernel>>(*surface);
    (*tester)(CGAL::ORIGIN); // builds the tree
    return [surface, tester](uint8_t *out, const double *p, size_t first, size_t last, int threads) {
      parallel(threads, first, last, [&](int, size_t a, size_t b) {
        for (size_t i = a; i < b; i++) {
          auto side = (*tester)(Kernel::Point_3(p[3 * i], p[3 * i + 1], p[3 * i + 2]));
          out[i] = side == CGAL::ON_BOUNDED_SIDE ? 1 : side == CGAL::ON_BOUNDARY ? 2 : 0;
        }
      });
    };
  });
}
