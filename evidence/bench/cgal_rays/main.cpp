// Rays and segments of CGAL's AABB tree with the kernel EPICK. rays.h explains the arguments.
//
// The mode first calls first_intersection. The modes all and segments call all_intersections, which
// constructs the intersections in float64, and count them. The modes any and segments-any call
// do_intersect.
#include "../rays.h"
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/version.h>
#include <memory>

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Triangle = Kernel::Triangle_3;
using Iterator = std::vector<Triangle>::const_iterator;
using Tree = CGAL::AABB_tree<CGAL::AABB_traits<Kernel, CGAL::AABB_triangle_primitive<Kernel, Iterator>>>;
using Hit = Tree::Intersection_and_primitive_id<Kernel::Ray_3>::Type;
using SegmentHit = Tree::Intersection_and_primitive_id<Kernel::Segment_3>::Type;

struct Index {
  std::vector<Triangle> triangles;
  Tree tree;
};

static const double infinite = std::numeric_limits<double>::infinity();

// parameter is the parameter of the hit of a ray. For a segment in the plane of a face, it is that of
// the nearer end.
static double parameter(const Hit &hit, const double *r) {
  int axis = 0;
  for (int k = 1; k < 3; k++)
    if (std::abs(r[3 + k]) > std::abs(r[3 + axis]))
      axis = k;
  auto at = [&](const Kernel::Point_3 &p) { return (p[axis] - r[axis]) / r[3 + axis]; };
  if (auto *p = boost::get<Kernel::Point_3>(&hit.first))
    return at(*p);
  if (auto *s = boost::get<Kernel::Segment_3>(&hit.first))
    return std::min(at(s->source()), at(s->target()));
  return 0;
}

int main(int argc, char **argv) {
  std::vector<std::string> modes = {"first", "all", "any", "segments", "segments-any"};
  return driveRays(argc, argv, CGAL_VERSION_STR, modes, [](const PlyMesh &m, const std::string &mode) -> Ask {
    auto index = std::make_shared<Index>();
    auto corner = [&](size_t i) {
      const double *v = &m.vertices[3 * size_t(m.faces[i])];
      return Kernel::Point_3(v[0], v[1], v[2]);
    };
    for (size_t i = 0; i < m.faces.size(); i += 3) {
      Triangle t(corner(i), corner(i + 1), corner(i + 2));
      index->triangles.push_back(t);
    }
    index->tree.insert(index->triangles.begin(), index->triangles.end());
    index->tree.build();
    return [=](Answers &out, const double *rays, size_t first, size_t last) {
      std::vector<Hit> hits;
      std::vector<SegmentHit> segmentHits;
      for (size_t i = first; i < last; i++) {
        const double *r = rays + 6 * i;
        Kernel::Point_3 from(r[0], r[1], r[2]);
        out.t[i] = infinite, out.face[i] = -1;
        if (mode == "segments" || mode == "segments-any") {
          Kernel::Segment_3 segment(from, Kernel::Point_3(r[3], r[4], r[5]));
          if (mode == "segments-any") {
            out.face[i] = index->tree.do_intersect(segment) ? 0 : -1;
            continue;
          }
          segmentHits.clear();
          index->tree.all_intersections(segment, std::back_inserter(segmentHits));
          out.face[i] = int32_t(segmentHits.size());
          continue;
        }
        Kernel::Ray_3 ray(from, Kernel::Vector_3(r[3], r[4], r[5]));
        if (mode == "first") {
          if (auto hit = index->tree.first_intersection(ray))
            out.t[i] = parameter(*hit, r), out.face[i] = int32_t(hit->second - index->triangles.begin());
        } else if (mode == "any") {
          out.face[i] = index->tree.do_intersect(ray) ? 0 : -1;
        } else {
          hits.clear();
          index->tree.all_intersections(ray, std::back_inserter(hits));
          for (auto &hit : hits)
            out.t[i] = std::min(out.t[i], parameter(hit, r));
          out.face[i] = int32_t(hits.size());
        }
      }
    };
  });
}
