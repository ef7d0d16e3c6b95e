// Builds and queries of a peer with a limit of time. common.h is the peers'.
//
// Times are CPU seconds of the process, over all of its threads. So other load on the machine
// hardly changes them, and rates are points a CPU second. The limits are limits of elapsed time.
#pragma once
#include "common.h"
#include <atomic>
#include <thread>
#include <time.h>

static double cpuSeconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

// ask answers points 0, …, n-1 on r.th threads and appends the time of each repetition to r.q.
// state(t) returns a function of thread t that maps the index of a point to the byte of its side.
// After limit seconds, no more blocks of points start. Blocks start in the order of the points, so
// the answers are those of the first r.np points. There are up to three repetitions. No repetition
// starts after half of the limit.
template <class State> static void ask(Res &r, size_t n, double limit, State state) {
  const size_t block = 8;
  double begin = now();
  r.out.assign(n, 0);
  std::atomic<size_t> end(n);
  for (int rep = 0; rep < 3 && (rep == 0 || now() - begin < limit / 2); rep++) {
    std::atomic<size_t> next(0);
    double start = cpuSeconds();
    auto work = [&](int t) {
      auto side = state(t);
      for (;;) {
        size_t first = next.fetch_add(block), last = end;
        if (first >= last)
          return;
        // The first repetition answers at least one block.
        if (rep == 0 && first > 0 && now() - begin > limit) {
          while (first < last && !end.compare_exchange_weak(last, first))
            ;
          return;
        }
        for (size_t i = first; i < std::min(first + block, last); i++)
          r.out[i] = side(i);
      }
    };
    std::vector<std::thread> others;
    for (int t = 1; t < r.th; t++)
      others.emplace_back(work, t);
    work(0);
    for (auto &t : others)
      t.join();
    r.q.push_back(cpuSeconds() - start);
  }
  r.np = end;
  r.out.resize(r.np);
}

// builds runs build up to three times and appends the time of each to r.build. No repetition
// starts after limit seconds.
template <class Build> static void builds(Res &r, double limit, Build build) {
  double begin = now();
  for (int rep = 0; rep < 3 && (rep == 0 || now() - begin < limit); rep++) {
    double start = cpuSeconds();
    build();
    r.build.push_back(cpuSeconds() - start);
  }
}
