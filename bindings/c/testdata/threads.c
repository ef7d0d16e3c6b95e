/* Threads: one solid that another thread frees, many threads, callbacks, and calls that are canceled. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>

#include "check.h"

static void pause_ms(long ms) {
  struct timespec t = {0, ms * 1000000};
  nanosleep(&t, NULL);
}

/* Several threads use a solid while another thread frees it: all answers are correct, or the status is
 * INPOLY_HANDLE. */
static _Atomic(inpoly_solid) shared;
static atomic_int stop, answered, refused, wrong;

static void *use(void *unused) {
  double p[6] = {0.5, 0.5, 0.5, 2, 0, 0}, d[2];
  int8_t sides[2];
  while (!atomic_load(&stop)) {
    inpoly_solid s = atomic_load(&shared);
    inpoly_status status = inpoly_sides(s, p, 2, sides);
    if (status == INPOLY_OK) {
      atomic_fetch_add(sides[0] == INPOLY_SIDE_INSIDE && sides[1] == INPOLY_SIDE_OUTSIDE ? &answered : &wrong, 1);
    } else {
      atomic_fetch_add(status == INPOLY_HANDLE && strstr(inpoly_message(), "open") ? &refused : &wrong, 1);
    }
    int32_t side = inpoly_side(s, 0.5, 0.5, 0.5);
    if (side != INPOLY_SIDE_INSIDE && side != -INPOLY_HANDLE) {
      atomic_fetch_add(&wrong, 1);
    }
    status = inpoly_distances(s, p, 2, d, NULL);
    if (status != INPOLY_HANDLE && (status != INPOLY_OK || d[0] != -0.5 || d[1] != 1)) {
      atomic_fetch_add(&wrong, 1);
    }
  }
  return unused;
}

static void test_free(void) {
  enum { THREADS = 6 };
  pthread_t threads[THREADS];
  atomic_store(&shared, open_cube());
  for (int i = 0; i < THREADS; i++) {
    CHECK(pthread_create(&threads[i], NULL, use, NULL) == 0);
  }
  for (int i = 0; i < 300; i++) {
    inpoly_solid old = atomic_load(&shared);
    inpoly_free(old);
    if (i % 16 == 0) {
      pause_ms(2); /* the threads use the freed solid */
    }
    atomic_store(&shared, open_cube());
    pause_ms(1);
  }
  atomic_store(&stop, 1);
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
  }
  CHECK(atomic_load(&answered) > 100 && atomic_load(&refused) > 0 && atomic_load(&wrong) == 0);
  inpoly_free(atomic_load(&shared));
}

/* Each of many threads has its own message. */
static void *own_message(void *number) {
  char path[40];
  inpoly_solid s;
  snprintf(path, sizeof path, "missing-%d.stl", *(int *)number);
  for (int i = 0; i < 20; i++) {
    if (inpoly_open(path, NULL, &s) != INPOLY_FILE || strstr(inpoly_message(), path) == NULL) {
      atomic_fetch_add(&wrong, 1);
    }
    if (inpoly_open_files(NULL, 1, NULL, &s) != INPOLY_ARGUMENT || strstr(inpoly_message(), "NULL") == NULL) {
      atomic_fetch_add(&wrong, 1);
    }
  }
  return NULL;
}

static void test_messages(void) {
  enum { THREADS = 64 };
  pthread_t threads[THREADS];
  int numbers[THREADS];
  for (int i = 0; i < THREADS; i++) {
    numbers[i] = i;
    CHECK(pthread_create(&threads[i], NULL, own_message, &numbers[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++) {
    pthread_join(threads[i], NULL);
  }
  CHECK(atomic_load(&wrong) == 0);
}

/* A callback that checks its thread, calls the library, and cancels if it should. */
typedef struct {
  pthread_t thread;
  int cancel, calls, bad;
  inpoly_solid cube;
  char stage[20];
} watcher;

static int32_t watch(void *user, const char *stage, int64_t done, int64_t total) {
  watcher *w = user;
  w->calls++;
  snprintf(w->stage, sizeof w->stage, "%s", stage);
  char *json = NULL;
  inpoly_solid other;
  inpoly_mesh m = cube_mesh();
  int ok = pthread_equal(w->thread, pthread_self()) && done >= 0 && total >= 0 && (total == 0 || done <= total) &&
           inpoly_side(w->cube, 0.5, 0.5, 0.5) == INPOLY_SIDE_INSIDE && inpoly_new(&m, 1, NULL, &other) == INPOLY_OK &&
           inpoly_report(other, &json, NULL, NULL) == INPOLY_OK;
  inpoly_free_string(json);
  inpoly_free(other);
  ok = ok && stage[0] != 0;
  w->bad += !ok;
  return w->cancel;
}

/* A large closed mesh: a grid of quadrilaterals around an axis, n times n. */
static void grid(int n, double *vertices, int32_t *faces) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double a = 6.283185307179586 * i / n, b = 6.283185307179586 * j / n, r = 3 + cos(b) + 0.1 * sin(20 * a);
      double *v = vertices + 3 * ((size_t)i * n + j);
      v[0] = r * cos(a), v[1] = r * sin(a), v[2] = sin(b);
      int32_t k = i * n + j, next = (i + 1) % n * n + j, up = i * n + (j + 1) % n, both = (i + 1) % n * n + (j + 1) % n;
      int32_t two[6] = {k, next, both, k, both, up};
      memcpy(faces + 6 * ((size_t)i * n + j), two, sizeof two);
    }
  }
}

/* Memory that traps when it is used after release. */
static void *obtain(size_t size) {
  void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(p != MAP_FAILED);
  return p;
}

static void release(void *p, size_t size) { CHECK(mmap(p, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == p); }

/* Checks the status of a call with a callback. The callback is called, or the call was too short. */
static int finished(watcher *w, inpoly_status status, const char *what) {
  int calls = w->calls, canceled = w->cancel && calls > 0;
  if (canceled && strcmp(inpoly_message(), "canceled by progress") != 0) {
    failed(__FILE__, __LINE__, inpoly_message());
  }
  if (status != (canceled ? INPOLY_CANCELED : INPOLY_OK) || w->bad || (w->cancel && calls > 1)) {
    fprintf(stderr, "%s: status %d after %d calls with %d failures: %s\n", what, status, calls, w->bad, inpoly_message());
    failures++;
  }
  pause_ms(1);
  CHECK(w->calls == calls); /* nothing calls it after the end */
  w->calls = 0;
  return calls > 0;
}

/* Runs every call with a callback on a mesh of 2n² faces. Returns how many of them were long enough for
 * a callback. */
static int run_all(int n, int cancel, const char *folder) {
  size_t vertex_bytes = (size_t)n * n * 24, face_bytes = (size_t)n * n * 24, file_bytes = 84 + (size_t)n * n * 100;
  double *vertices = obtain(vertex_bytes);
  int32_t *faces = obtain(face_bytes);
  unsigned char *file = obtain(file_bytes);
  grid(n, vertices, faces);
  uint32_t count = (uint32_t)n * n * 2;
  memcpy(file + 80, &count, 4);
  for (uint32_t f = 0; f < count; f++) {
    for (int k = 0; k < 9; k++) {
      float x = (float)vertices[3 * faces[3 * f + k / 3] + k % 3];
      memcpy(file + 84 + (size_t)50 * f + 12 + 4 * k, &x, 4);
    }
  }
  char path[300];
  snprintf(path, sizeof path, "%s/grid.stl", folder);
  FILE *out = fopen(path, "wb");
  CHECK(out != NULL && fwrite(file, 1, file_bytes, out) == file_bytes && fclose(out) == 0);

  watcher w = {.thread = pthread_self(), .cancel = cancel, .cube = open_cube()};
  inpoly_options o = INPOLY_OPTIONS_INIT;
  o.progress = watch;
  o.user = &w;
  o.workers = 1; /* so that the calls take longer */
  int called = 0;
  inpoly_solid s = 0;
  called += finished(&w, inpoly_open(path, &o, &s), "open");
  inpoly_free(s);
  const char *paths[2] = {path, path};
  s = 0;
  called += finished(&w, inpoly_open_files(paths, 2, &o, &s), "open_files");
  inpoly_free(s);
  s = 0;
  called += finished(&w, inpoly_read("grid.stl", file, (int64_t)file_bytes, &o, &s), "read");
  release(file, file_bytes);
  inpoly_free(s);
  s = 0;
  inpoly_mesh m = cube_mesh();
  m.vertices = vertices, m.vertex_count = (int64_t)n * n, m.faces = faces, m.face_count = count;
  called += finished(&w, inpoly_new(&m, 1, &o, &s), "new");
  if (s == 0) {
    o.progress = NULL;
    EXPECT(INPOLY_OK, "", inpoly_new(&m, 1, &o, &s));
  }
  release(vertices, vertex_bytes);
  release(faces, face_bytes);
  char *json = NULL;
  called += finished(&w, inpoly_report(s, &json, watch, &w), "report");
  inpoly_free_string(json);

  size_t points = 600000, bytes = points * 24; /* several chunks */
  float *p = obtain(bytes);
  double *d = obtain(bytes);
  int8_t *sides = obtain(points);
  for (size_t i = 0; i < 3 * points; i++) {
    p[i] = (float)(i * 2654435761u % 8000) / 1000 - 4;
  }
  inpoly_points in = {sizeof in, p, (int64_t)points, 0, INPOLY_TYPE_FLOAT32, 0};
  inpoly_answers a = INPOLY_ANSWERS_INIT;
  memset(sides, 99, points);
  a.side = sides, a.distance = d;
  int cut = finished(&w, inpoly_locate(s, &in, &a, watch, &w), "locate");
  called += cut;
  size_t missing = 0;
  for (size_t i = 0; i < points; i++) {
    CHECK(sides[i] >= INPOLY_SIDE_UNKNOWN && sides[i] <= INPOLY_SIDE_INSIDE);
    CHECK(sides[i] != INPOLY_SIDE_UNKNOWN || isnan(d[i]));
    missing += sides[i] == INPOLY_SIDE_UNKNOWN;
  }
  CHECK(cut && cancel ? missing > 0 : missing == 0);
  release(p, bytes);
  release(d, bytes);
  release(sides, points);
  pause_ms(20); /* a goroutine that still used the memory would crash */
  inpoly_free(s);
  inpoly_free(w.cube);
  remove(path);
  return called;
}

int main(int argc, char **argv) {
  const char *folder = argc > 1 ? argv[1] : ".";
  test_free();
  test_messages();
  /* The calls get longer until the callback is called in each of them. A report takes little time. */
  for (int cancel = 0; cancel < 2; cancel++) {
    int n = 600, called = 0;
    while ((called = run_all(n, cancel, folder)) < 5 && n < 2400) {
      n *= 2;
    }
    if (called < 5) {
      failed(__FILE__, __LINE__, "the callback was called in fewer than 5 functions");
    }
  }
  return finish("threads");
}
