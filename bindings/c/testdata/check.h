/* Checks of the test programs. A failed check prints a line, and finish then returns 1. */
#ifndef CHECK_H
#define CHECK_H

#include <inpoly.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static inline void failed(const char *file, int line, const char *what) {
  fprintf(stderr, "%s:%d: %s\n", file, line, what);
  failures++;
}

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      failed(__FILE__, __LINE__, "not true: " #condition); \
    } \
  } while (0)

/* Checks the status of a call. If it is not INPOLY_OK, the message must contain the word. */
#define EXPECT(status, word, call) expect(__FILE__, __LINE__, status, word, call, #call)

static inline void expect(const char *file, int line, inpoly_status want, const char *word, inpoly_status got,
                          const char *call) {
  if (got != want) {
    fprintf(stderr, "%s:%d: %s: status %d, want %d: %s\n", file, line, call, got, want, inpoly_message());
    failures++;
  } else if (got != INPOLY_OK && strstr(inpoly_message(), word) == NULL) {
    fprintf(stderr, "%s:%d: %s: the message does not contain \"%s\": %s\n", file, line, call, word, inpoly_message());
    failures++;
  }
}

static inline int finish(const char *name) {
  printf("%s: %d failures\n", name, failures);
  return failures != 0;
}

/* The unit cube. */
static const double cube_vertices[24] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1};
static const int32_t cube_faces[36] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                       1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};

static inline inpoly_mesh cube_mesh(void) {
  inpoly_mesh m;
  memset(&m, 0, sizeof m);
  m.size = sizeof m;
  m.vertices = cube_vertices;
  m.vertex_count = 8;
  m.face_type = INPOLY_TYPE_INT32;
  m.faces = cube_faces;
  m.face_count = 12;
  return m;
}

static inline inpoly_solid open_cube(void) {
  inpoly_mesh m = cube_mesh();
  inpoly_solid solid = 0;
  EXPECT(INPOLY_OK, "", inpoly_new(&m, 1, NULL, &solid));
  CHECK(solid != 0);
  return solid;
}

#endif
