/* More rows than an int32 can count. The points are pages of zeros, which need no memory and are outside,
 * and one last point. */
#include <sys/mman.h>

#include "check.h"

int main(void) {
  const size_t n = ((size_t)1 << 31) + 5;
  double *points = mmap(NULL, n * 24, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  int8_t *sides = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (points == MAP_FAILED || sides == MAP_FAILED) {
    printf("skipped: no address space\n");
    return 0;
  }
  for (int axis = 0; axis < 3; axis++) {
    points[3 * (n - 1) + (size_t)axis] = 1.5;
  }
  double vertices[24];
  for (int i = 0; i < 24; i++) {
    vertices[i] = cube_vertices[i] + 1;
  }
  inpoly_mesh m = cube_mesh();
  m.vertices = vertices;
  inpoly_solid s = 0;
  EXPECT(INPOLY_OK, "", inpoly_new(&m, 1, NULL, &s));
  EXPECT(INPOLY_OK, "", inpoly_sides(s, points, (int64_t)n, sides));
  size_t outside = 0;
  for (size_t i = 0; i < n; i++) {
    outside += sides[i] == INPOLY_SIDE_OUTSIDE;
  }
  CHECK(outside == n - 1 && sides[n - 1] == INPOLY_SIDE_INSIDE);
  inpoly_free(s);
  return finish("rows");
}
