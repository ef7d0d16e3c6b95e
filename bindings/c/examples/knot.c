/* Opens a mesh file and prints the positions of some points.
 *
 *   cc knot.c $(pkg-config --cflags --libs inpoly) -o knot && ./knot part.stl
 */
#include <inpoly.h>
#include <stdio.h>

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s mesh\n", argv[0]);
    return 2;
  }
  inpoly_solid solid;
  if (inpoly_open(argv[1], NULL, &solid) != INPOLY_OK) {
    fprintf(stderr, "%s\n", inpoly_message());
    return 1;
  }

  enum { N = 4 };
  const double points[3 * N] = {0, 0, 0, 25, 12, 0, 0, -30, 0, 0, -14, 0};
  int8_t sides[N];
  double winding[N], distance[N];
  if (inpoly_sides(solid, points, N, sides) != INPOLY_OK ||
      inpoly_windings(solid, points, N, winding, NULL) != INPOLY_OK ||
      inpoly_distances(solid, points, N, distance, NULL) != INPOLY_OK) {
    fprintf(stderr, "%s\n", inpoly_message());
    inpoly_free(solid);
    return 1;
  }
  static const char *const names[] = {"unknown", "outside", "on the surface", "inside"};
  for (int i = 0; i < N; i++) {
    printf("(%g, %g, %g) is %s, W = %g, distance %.6g\n", points[3 * i], points[3 * i + 1], points[3 * i + 2],
           names[sides[i]], winding[i], distance[i]);
  }
  inpoly_free(solid);
  return 0;
}
