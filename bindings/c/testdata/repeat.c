/* Opens and frees many solids, and starts and ends many threads: the memory of the process stays the
 * same. */
#include <pthread.h>
#include <unistd.h>

#include "check.h"

/* Returns the resident memory in bytes, or 0 if it is unknown. */
static long resident(void) {
  long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (f == NULL || fscanf(f, "%*s %ld", &pages) != 1) {
    pages = 0;
  }
  if (f != NULL) {
    fclose(f);
  }
  return pages * sysconf(_SC_PAGESIZE);
}

static const char text[] =
    "solid tetrahedron\n"
    "facet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 1 0 vertex 1 0 0 endloop endfacet\n"
    "facet normal 0 0 0 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 0 1 endloop endfacet\n"
    "facet normal 0 0 0 outer loop vertex 0 0 0 vertex 0 0 1 vertex 0 1 0 endloop endfacet\n"
    "facet normal 0 0 0 outer loop vertex 1 0 0 vertex 0 1 0 vertex 0 0 1 endloop endfacet\n"
    "endsolid\n";

static void once(const char *path, int i) {
  inpoly_solid s = 0;
  inpoly_mesh m = cube_mesh();
  double p[9] = {0.1, 0.1, 0.1, 2, 2, 2, 0, 0, 0}, w[3], d[3];
  int8_t sides[3];
  char *json = NULL;
  switch (i % 4) {
  case 0:
    EXPECT(INPOLY_OK, "", inpoly_open(path, NULL, &s));
    break;
  case 1:
    EXPECT(INPOLY_OK, "", inpoly_read("t.stl", text, sizeof text - 1, NULL, &s));
    break;
  default:
    EXPECT(INPOLY_OK, "", inpoly_new(&m, 1, NULL, &s));
  }
  EXPECT(INPOLY_OK, "", inpoly_sides(s, p, 3, sides));
  EXPECT(INPOLY_OK, "", inpoly_windings(s, p, 3, w, NULL));
  EXPECT(INPOLY_OK, "", inpoly_distances(s, p, 3, d, NULL));
  CHECK(sides[0] == INPOLY_SIDE_INSIDE && sides[1] == INPOLY_SIDE_OUTSIDE && sides[2] == INPOLY_SIDE_ON_SURFACE);
  if (i % 16 == 0) {
    EXPECT(INPOLY_OK, "", inpoly_report(s, &json, NULL, NULL));
    inpoly_free_string(json);
  }
  inpoly_free(s);
  EXPECT(INPOLY_HANDLE, "open", inpoly_sides(s, p, 3, sides));
}

static void *in_thread(void *path) {
  once(path, 2);
  return NULL;
}

/* Runs f for counts from 0 and checks that the second half needs no more memory than the first. */
static void flat(const char *what, void (*f)(const char *path, int i), const char *path, int n) {
  long half = 0, end;
  for (int i = 0; i < n; i++) {
    f(path, i);
    if (i == n / 2) {
      half = resident();
    }
  }
  end = resident();
  printf("%s: %ld KB after %d, %ld KB after %d\n", what, half / 1024, n / 2, end / 1024, n);
  if (end > half + (4 << 20)) {
    failed(__FILE__, __LINE__, "the memory has grown");
  }
}

static void thread_once(const char *path, int i) {
  pthread_t t;
  (void)i;
  CHECK(pthread_create(&t, NULL, in_thread, (void *)path) == 0);
  pthread_join(t, NULL);
}

int main(int argc, char **argv) {
  if (argc < 2) {
    return 2;
  }
  FILE *f = fopen(argv[1], "wb");
  CHECK(f != NULL && fwrite(text, 1, sizeof text - 1, f) == sizeof text - 1 && fclose(f) == 0);
  flat("solids", once, argv[1], 10000);
  flat("threads", thread_once, argv[1], 2000);
  remove(argv[1]);
  return finish("repeat");
}
