// Pairs of boxes that overlap by CGAL's box_self_intersection_d, closed boxes.
// usage: cgal_boxes BOXES.f64 OUT THREADS
// Reads six float64 a box: minimum, then maximum. Writes the pairs, two int32 each, the
// smaller one first, and prints one line of JSON. Times are medians of three and do not
// contain copying the boxes, which CGAL reorders; pairs are stored as they are reported.
// The sequential version is measured, and with more than one thread the parallel one, which
// reports from several threads, each into a list of its own; once, if that is the slower one.
// common.h is the peers'.
#define CGAL_LINKED_WITH_TBB
#include "common.h"
#include <CGAL/box_intersection_d.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
struct Numbered : CGAL::Box_intersection_d::Box_d<double, 3, CGAL::Box_intersection_d::ID_EXPLICIT> {
  int32_t number;
  Numbered(double *lo, double *hi, int32_t i)
      : CGAL::Box_intersection_d::Box_d<double, 3, CGAL::Box_intersection_d::ID_EXPLICIT>(lo, hi), number(i) {}
};
typedef std::pair<int32_t, int32_t> Pair;

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: cgal_boxes BOXES.f64 OUT THREADS\n");
    return 2;
  }
  int threads = atoi(argv[3]);
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
  std::vector<char> raw = slurp(argv[1]);
  size_t n = raw.size() / 48;
  double *v = (double *)raw.data();
  std::vector<Numbered> boxes;
  for (size_t i = 0; i < n; i++)
    boxes.emplace_back(v + 6 * i, v + 6 * i + 3, i);
  std::vector<Pair> pairs;
  std::vector<double> sequential, parallel;
  for (int rep = 0; rep < 3; rep++) {
    std::vector<Numbered> copy = boxes;
    pairs.clear();
    pairs.shrink_to_fit();
    double start = now();
    CGAL::box_self_intersection_d(copy.begin(), copy.end(), [&](const Numbered &a, const Numbered &b) {
      pairs.emplace_back(std::min(a.number, b.number), std::max(a.number, b.number));
    });
    sequential.push_back(now() - start);
  }
  for (int rep = 0; rep < 3 && threads > 1; rep++) {
    std::vector<Numbered> copy = boxes;
    tbb::enumerable_thread_specific<std::vector<Pair>> lists;
    double start = now();
    CGAL::box_self_intersection_d<CGAL::Parallel_tag>(copy.begin(), copy.end(),
                                                      [&](const Numbered &a, const Numbered &b) {
                                                        lists.local().emplace_back(std::min(a.number, b.number),
                                                                                   std::max(a.number, b.number));
                                                      });
    parallel.push_back(now() - start);
    if (parallel[0] > med(sequential)) // no use in waiting
      rep = 3;
    size_t count = 0;
    for (auto &list : lists)
      count += list.size();
    if (count != pairs.size()) {
      fprintf(stderr, "parallel: %zu pairs, sequential: %zu\n", count, pairs.size());
      return 1;
    }
  }
  FILE *out = fopen(argv[2], "wb");
  if (!out || fwrite(pairs.data(), 8, pairs.size(), out) != pairs.size() || fclose(out)) {
    perror(argv[2]);
    return 1;
  }
  double one = med(sequential), all = threads > 1 ? med(parallel) : one;
  printf("{\"peer\":\"cgal_boxes\",\"boxes\":%zu,\"pairs\":%zu,\"threads\":%d,\"sequential\":%.6f,\"parallel\":%.6f}\n", n,
         pairs.size(), threads, one, all);
}
