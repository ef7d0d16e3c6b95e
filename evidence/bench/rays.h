// What the drivers of the table rays share: the answers, the repetitions and the line of JSON.
//
// A driver is called with MESH.ply RAYS.f64 OUT THREADS LIMIT MODE. A ray is six float64: its origin
// and its direction. A mode that begins with "segment" reads its first and its second end instead. The driver writes
// the parameter of the first hit of each answered ray (float64, +Inf for a miss), and then the face
// (int32, −1 for a miss). For the modes of all hits, the second number is the number of hits. Called
// with --version MODE, it prints the version of the library. Times are CPU seconds of the process,
// over all of its threads, and medians of three.
#pragma once
#include "sides.h"
#include <functional>
#include <limits>

struct Answers {
  std::vector<double> t;
  std::vector<int32_t> face; // or the number of hits
};

// Ask answers the rays first, …, last-1.
using Ask = std::function<void(Answers &, const double *rays, size_t first, size_t last)>;

static double medianOf(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

// driveRays reads the arguments, measures a build and the queries, and prints the line of JSON.
// build(mesh, mode) returns an Ask for one thread. Batches double until half of the limit has passed.
// If all rays were answered, two more repetitions follow.
template <class Build>
static int driveRays(int argc, char **argv, const char *version, const std::vector<std::string> &modes, Build build) {
  checkArguments(argc, argv, "RAYS", version, modes);
  int threads = atoi(argv[4]);
  double limit = atof(argv[5]);
  PlyMesh mesh = loadPLY(argv[1]);
  std::vector<double> rays = loadPoints(argv[2]);
  size_t n = rays.size() / 6, answered = 0;
  Answers out{std::vector<double>(n), std::vector<int32_t>(n)};
  double start = cpuSeconds();
  Ask ask = build(mesh, std::string(argv[6]));
  double built = cpuSeconds() - start, begin = elapsed();
  auto answer = [&](size_t first, size_t last) {
    parallel(threads, first, last, [&](int, size_t a, size_t b) { ask(out, rays.data(), a, b); });
  };
  start = cpuSeconds();
  for (size_t block = 64; answered < n && (answered == 0 || elapsed() - begin < limit / 2); block *= 2) {
    size_t last = std::min(n, answered + block);
    answer(answered, last);
    answered = last;
  }
  std::vector<double> queries{cpuSeconds() - start};
  for (int rep = 1; rep < 3 && answered == n && elapsed() - begin < 2 * limit; rep++) {
    start = cpuSeconds();
    answer(0, n);
    queries.push_back(cpuSeconds() - start);
  }
  std::ofstream file(argv[3], std::ios::binary);
  file.write(reinterpret_cast<char *>(out.t.data()), 8 * answered);
  file.write(reinterpret_cast<char *>(out.face.data()), 4 * answered);
  if (!file.flush())
    fail(1, std::string(argv[3]) + ": cannot write");
  double query = medianOf(queries);
  printf("{\"np\":%zu,\"nt\":%zu,\"threads\":%d,\"build\":%.6f,\"query\":%.6f,\"mqps\":%.6f}\n", answered,
         mesh.faces.size() / 3, threads, built, query, answered / query / 1e6);
  return 0;
}
