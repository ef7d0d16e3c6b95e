// Sections of a mesh by CGAL's Polygon_mesh_slicer, with the kernel of inexact constructions.
// usage: cgal_slices MESH.stl HEIGHTS.f64
// Cuts the mesh with the planes z = h for the float64 heights h, and prints one line of JSON: CPU
// seconds for the slicer with its tree and for all planes, and the numbers of polylines and points.
// common.h is the peers'.
#include "common.h"
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_slicer.h>
#include <CGAL/Surface_mesh.h>
#include <ctime>
typedef CGAL::Exact_predicates_inexact_constructions_kernel K;
typedef CGAL::Surface_mesh<K::Point_3> SM;

static double cpu() { return (double)clock() / CLOCKS_PER_SEC; }

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: cgal_slices MESH.stl HEIGHTS.f64\n");
    return 2;
  }
  Mesh m = weld(loadSTL(argv[1]));
  std::vector<double> heights = loadPts(argv[2]);
  SM mesh;
  for (size_t i = 0; i < m.nv; i++)
    mesh.add_vertex(K::Point_3(m.V[3 * i], m.V[3 * i + 1], m.V[3 * i + 2]));
  for (size_t i = 0; i < m.nf; i++)
    mesh.add_face(SM::Vertex_index(m.F[3 * i]), SM::Vertex_index(m.F[3 * i + 1]), SM::Vertex_index(m.F[3 * i + 2]));
  double start = cpu();
  CGAL::Polygon_mesh_slicer<SM, K> slicer(mesh);
  std::vector<std::vector<K::Point_3>> lines;
  slicer(K::Plane_3(0, 0, 1, -heights[0]), std::back_inserter(lines)); // builds the tree
  double built = cpu() - start;
  size_t polylines = 0, points = 0;
  start = cpu();
  for (double h : heights) {
    lines.clear();
    slicer(K::Plane_3(0, 0, 1, -h), std::back_inserter(lines));
    polylines += lines.size();
    for (auto &l : lines)
      points += l.size();
  }
  printf("{\"build\":%.6f,\"query\":%.6f,\"polylines\":%zu,\"points\":%zu}\n", built, cpu() - start, polylines, points);
}
