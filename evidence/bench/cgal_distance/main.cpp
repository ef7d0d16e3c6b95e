// Nearest point and face by CGAL's AABB tree, in double precision.
// usage: cgal_distance MESH.stl POINTS.f64 OUT THREADS
// Writes for each point its distance (float64) and face (int32), and prints one
// line of JSON. Builds and queries are medians of three. common.h is the peers'.
#include "common.h"
#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Simple_cartesian.h>
#include <memory>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
typedef CGAL::Simple_cartesian<double> K;
typedef std::vector<K::Triangle_3>::const_iterator Iterator;
typedef CGAL::AABB_tree<CGAL::AABB_traits<K, CGAL::AABB_triangle_primitive<K, Iterator>>> Tree;

int main(int argc, char **argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: cgal_distance MESH.stl POINTS.f64 OUT THREADS\n");
    return 2;
  }
  int threads = atoi(argv[4]);
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
  Soup soup = loadSTL(argv[1]);
  std::vector<K::Triangle_3> triangles;
  triangles.reserve(soup.n);
  for (size_t i = 0; i < soup.n; i++) {
    const float *v = &soup.v[9 * i];
    triangles.emplace_back(K::Point_3(v[0], v[1], v[2]), K::Point_3(v[3], v[4], v[5]), K::Point_3(v[6], v[7], v[8]));
  }
  std::vector<double> points = loadPts(argv[2]);
  size_t n = points.size() / 3;
  std::vector<double> distance(n);
  std::vector<int32_t> face(n);
  std::vector<double> builds, queries;
  std::unique_ptr<Tree> tree;
  for (int rep = 0; rep < 3; rep++) {
    tree.reset();
    double start = now();
    tree.reset(new Tree(triangles.begin(), triangles.end()));
    tree->build();
    tree->accelerate_distance_queries();
    builds.push_back(now() - start);
  }
  for (int rep = 0; rep < 3; rep++) {
    double start = now();
    tbb::parallel_for(tbb::blocked_range<size_t>(0, n, 1024), [&](const tbb::blocked_range<size_t> &range) {
      for (size_t i = range.begin(); i < range.end(); i++) {
        K::Point_3 p(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
        auto nearest = tree->closest_point_and_primitive(p);
        distance[i] = std::sqrt(CGAL::squared_distance(p, nearest.first));
        face[i] = nearest.second - triangles.cbegin();
      }
    });
    queries.push_back(now() - start);
    if (queries[0] > 25)
      break;
  }
  FILE *out = fopen(argv[3], "wb");
  if (!out || fwrite(distance.data(), 8, n, out) != n || fwrite(face.data(), 4, n, out) != n || fclose(out)) {
    perror(argv[3]);
    return 1;
  }
  printf("{\"peer\":\"cgal_distance\",\"nt\":%zu,\"np\":%zu,\"threads\":%d,\"build\":%.4f,\"mqps\":%.4f}\n", soup.n, n,
         threads, med(builds), n / med(queries) / 1e6);
}
