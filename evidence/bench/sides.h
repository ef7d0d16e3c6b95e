// What the drivers of the table broken share: meshes, points, builds and queries with a limit of
// time, and the line of JSON.
//
// A driver is called with MESH.ply POINTS.f64 OUT THREADS LIMIT MODE. It writes one byte for each
// answered point: 0 outside, 1 inside, 2 on the surface. It ends with the code 3 if the library
// refuses the mesh. Called with --version MODE, it prints the version of the library. Times are CPU
// seconds of the process, over all of its threads.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <time.h>
#include <vector>

struct PlyMesh {
  std::vector<double> vertices; // x, y and z of each vertex
  std::vector<int32_t> faces;   // three indices of each triangle
};

[[noreturn]] static void fail(int code, const std::string &message) {
  fprintf(stderr, "%s\n", message.c_str());
  exit(code);
}

// loadPLY reads the binary PLY files that bench writes: vertices of three doubles, and faces of three
// indices.
static PlyMesh loadPLY(const char *path) {
  std::ifstream in(path, std::ios::binary);
  std::string line;
  size_t vertices = 0, faces = 0;
  while (std::getline(in, line) && line != "end_header") {
    std::istringstream words(line);
    std::string word, kind;
    words >> word >> kind;
    if (word == "element")
      words >> (kind == "vertex" ? vertices : faces);
  }
  PlyMesh m;
  m.vertices.resize(3 * vertices);
  m.faces.resize(3 * faces);
  in.read(reinterpret_cast<char *>(m.vertices.data()), 8 * m.vertices.size());
  for (size_t f = 0; f < faces; f++) {
    in.get(); // the number of corners, which is 3
    in.read(reinterpret_cast<char *>(&m.faces[3 * f]), 12);
  }
  if (!in)
    fail(1, std::string(path) + ": not a mesh");
  return m;
}

static std::vector<double> loadPoints(const char *path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  std::vector<double> p(in ? size_t(in.tellg()) / 8 : 0);
  in.seekg(0);
  in.read(reinterpret_cast<char *>(p.data()), 8 * p.size());
  if (!in)
    fail(1, std::string(path) + ": no points");
  return p;
}

static double cpuSeconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double elapsed() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// parallel calls work(t, first, last) on threads threads. The calls cover first, …, last-1.
template <class Work> static void parallel(int threads, size_t first, size_t last, Work work) {
  std::vector<std::thread> others;
  size_t n = last - first;
  for (int t = 1; t < threads; t++)
    others.emplace_back(work, t, first + n * t / threads, first + n * (t + 1) / threads);
  work(0, first, first + n / threads);
  for (auto &t : others)
    t.join();
}

// checkArguments returns if the arguments ask for measurements. Otherwise, it prints the version or the
// usage and exits. queries is the name of the second argument.
static void checkArguments(int argc, char **argv, const std::string &queries, const char *version,
                           const std::vector<std::string> &modes) {
  auto known = [&](const char *mode) { return std::find(modes.begin(), modes.end(), mode) != modes.end(); };
  if (argc == 3 && !strcmp(argv[1], "--version") && known(argv[2])) {
    printf("%s\n", version);
    exit(0);
  }
  if (argc != 7 || !known(argv[6])) {
    std::string all;
    for (auto &m : modes)
      all += (all.empty() ? "" : "|") + m;
    fail(2, "usage: MESH.ply " + queries + ".f64 OUT THREADS LIMIT " + all + ", or --version MODE");
  }
}

// drive reads the arguments, measures a build and the queries, and prints the line of JSON.
// build(mesh, mode) returns a function side(out, points, first, last, threads) that writes the bytes
// of points first, …, last-1. Batches double until half of the limit has passed.
template <class Build>
static int drive(int argc, char **argv, const char *version, const std::vector<std::string> &modes, Build build) {
  checkArguments(argc, argv, "POINTS", version, modes);
  int threads = atoi(argv[4]);
  double limit = atof(argv[5]);
  PlyMesh mesh = loadPLY(argv[1]);
  std::vector<double> points = loadPoints(argv[2]);
  size_t n = points.size() / 3, answered = 0;
  std::vector<uint8_t> out(n);
  double start = cpuSeconds();
  auto side = build(mesh, std::string(argv[6]));
  double built = cpuSeconds() - start, begin = elapsed();
  start = cpuSeconds();
  for (size_t block = 64; answered < n && (answered == 0 || elapsed() - begin < limit / 2); block *= 2) {
    size_t last = std::min(n, answered + block);
    side(out.data(), points.data(), answered, last, threads);
    answered = last;
  }
  double query = cpuSeconds() - start;
  std::ofstream file(argv[3], std::ios::binary);
  file.write(reinterpret_cast<char *>(out.data()), answered);
  if (!file.flush())
    fail(1, std::string(argv[3]) + ": cannot write");
  auto count = [&](int s) { return std::count(out.begin(), out.begin() + answered, s); };
  printf("{\"np\":%zu,\"nt\":%zu,\"threads\":%d,\"build\":%.6f,\"query\":%.6f,\"mqps\":%.6f,\"inside\":%td,\"boundary\":%td}\n",
         answered, mesh.faces.size() / 3, threads, built, query, answered / query / 1e6, count(1), count(2));
  return 0;
}
