// Measures the C library for the table doors; door_go/main.go explains the arguments and the output.
#include <inpoly.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { repetitions = 15, singles = 100000 };
static const double limit = 2;

static double cpu_seconds(void) {
  struct rusage r;
  getrusage(RUSAGE_SELF, &r);
  return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + 1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

static void check(inpoly_status status) {
  if (status != INPOLY_OK) {
    fprintf(stderr, "door_c: %s\n", inpoly_message());
    exit(1);
  }
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static inpoly_solid solid;
static double *points;
static float *narrow;
static int8_t *sides;
static int64_t n;

static void batch64(void) { check(inpoly_sides(solid, points, n, sides)); }

static void batch32(void) {
  inpoly_points p = {.size = sizeof p, .data = narrow, .count = n, .type = INPOLY_TYPE_FLOAT32};
  inpoly_answers a = INPOLY_ANSWERS_INIT;
  a.side = sides;
  check(inpoly_locate(solid, &p, &a, NULL, NULL));
}

// Returns the median of the CPU seconds of repeated calls. The first call does not count.
static double median(void (*call)(void)) {
  double all[repetitions + 1], begin = cpu_seconds();
  int count = 0;
  while (count < 2 || (count <= repetitions && cpu_seconds() - begin < limit)) {
    double start = cpu_seconds();
    call();
    all[count++] = cpu_seconds() - start;
  }
  qsort(all + 1, (size_t)count - 1, sizeof *all, ascending);
  return all[1 + (count - 1) / 2];
}

int main(int argc, char **argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: door_c MESH.ply POINTS.f64 OUT THREADS\n");
    return 2;
  }
  FILE *f = fopen(argv[2], "rb");
  if (f == NULL || fseek(f, 0, SEEK_END) != 0)
    return perror(argv[2]), 1;
  n = ftell(f) / 24;
  rewind(f);
  points = malloc(24 * (size_t)n);
  narrow = malloc(12 * (size_t)n);
  sides = malloc((size_t)n);
  if (points == NULL || narrow == NULL || sides == NULL || fread(points, 24, (size_t)n, f) != (size_t)n)
    return perror(argv[2]), 1;
  fclose(f);
  for (int64_t i = 0; i < 3 * n; i++)
    narrow[i] = (float)points[i];
  inpoly_options options = INPOLY_OPTIONS_INIT;
  options.workers = atoi(argv[4]);
  options.expected_points = n;
  double start = cpu_seconds();
  check(inpoly_open(argv[1], &options, &solid));
  double build = cpu_seconds() - start;
  f = fopen(argv[3], "wb");
  if (f == NULL)
    return perror(argv[3]), 1;
  double double_time = median(batch64);
  fwrite(sides, 1, (size_t)n, f);
  double single_time = median(batch32);
  fwrite(sides, 1, (size_t)n, f);
  if (fclose(f) != 0)
    return perror(argv[3]), 1;
  int64_t count = n < singles ? n : singles;
  start = cpu_seconds();
  for (int64_t i = 0; i < count; i++)
    sides[i] = (int8_t)inpoly_side(solid, points[3 * i], points[3 * i + 1], points[3 * i + 2]);
  double one = (cpu_seconds() - start) / (double)count;
  printf("{\"build\": %.9g, \"float64\": %.9g, \"float32\": %.9g, \"one\": %.9g, \"version\": \"%s\"}\n", build, double_time,
         single_time, one, inpoly_version());
  inpoly_free(solid);
  return 0;
}
