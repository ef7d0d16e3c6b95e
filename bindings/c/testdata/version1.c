/* Calls every function of version 1 of the interface. It is compiled with testdata/inpoly-1.h. Each struct
 * ends at the end of a page, and the next page is inaccessible. So an access behind the struct ends the
 * program. */
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

#if INPOLY_ABI_VERSION != 1
#error "this is not the header of version 1"
#endif

/* Copies size bytes to the end of a page. */
static void *at_the_end(const void *from, size_t size) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED || mprotect(p + page, page, PROT_NONE) != 0) {
    perror("mmap");
    exit(3);
  }
  return memcpy(p + page - size, from, size);
}

#define AT_THE_END(value) at_the_end(&(value), sizeof(value))

int main(int argc, char **argv) {
  const char *knot = argc > 1 ? argv[1] : "testdata/knot.stl";
  CHECK(inpoly_abi_version() >= INPOLY_ABI_VERSION);
  CHECK(inpoly_version()[0] != 0 && strcmp(inpoly_status_name(INPOLY_HANDLE), "INPOLY_HANDLE") == 0);

  inpoly_options o = INPOLY_OPTIONS_INIT;
  o.rule = "evenodd";
  inpoly_options *options = AT_THE_END(o);
  inpoly_solid file = 0, files = 0, memory = 0, cubes = 0;
  EXPECT(INPOLY_OK, "", inpoly_open(knot, options, &file));
  EXPECT(INPOLY_OK, "", inpoly_open_files(&knot, 1, options, &files));
  static const char text[] = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  EXPECT(INPOLY_OK, "", inpoly_read("a.off", text, sizeof text - 1, options, &memory));
  const inpoly_mesh two[2] = {cube_mesh(), cube_mesh()};
  EXPECT(INPOLY_OK, "", inpoly_new(AT_THE_END(two), 2, options, &cubes));

  const double c[6] = {0.5, 0.5, 0.75, 2, 0.5, 0.5};
  double winding[2], winding_bound[2], distance[2], distance_bound[2], nearest[6];
  int8_t sides[2];
  int32_t face[2], nearest_body[2], body[2];
  CHECK(inpoly_side(cubes, 0.5, 0.5, 0.5) == INPOLY_SIDE_INSIDE);
  EXPECT(INPOLY_OK, "", inpoly_sides(cubes, c, 2, sides));
  CHECK(sides[0] == INPOLY_SIDE_INSIDE && sides[1] == INPOLY_SIDE_OUTSIDE);
  EXPECT(INPOLY_OK, "", inpoly_windings(cubes, c, 2, winding, winding_bound));
  CHECK(winding[0] == 2 && winding_bound[0] == 0 && winding[1] == 0);
  EXPECT(INPOLY_OK, "", inpoly_distances(cubes, c, 2, distance, distance_bound));
  CHECK(distance[0] == -0.25 && distance[1] == 1);
  EXPECT(INPOLY_OK, "", inpoly_nearest(cubes, c, 2, nearest, face, nearest_body));
  CHECK(nearest[2] == 1 && nearest_body[0] == 0);

  inpoly_points p = INPOLY_POINTS_INIT;
  p.data = c;
  p.count = 2;
  inpoly_answers a = INPOLY_ANSWERS_INIT;
  CHECK(sizeof a == 88 || sizeof(void *) != 8);
  a.side = sides;
  a.winding = winding;
  a.winding_bound = winding_bound;
  a.distance = distance;
  a.distance_bound = distance_bound;
  a.nearest = nearest;
  a.face = face;
  a.nearest_body = nearest_body;
  a.body = body;
  a.body_choice = INPOLY_BODY_COUNT;
  memset(sides, 0, sizeof sides);
  memset(distance, 0, sizeof distance);
  EXPECT(INPOLY_OK, "", inpoly_locate(cubes, AT_THE_END(p), AT_THE_END(a), NULL, NULL));
  CHECK(sides[0] == INPOLY_SIDE_INSIDE && sides[1] == INPOLY_SIDE_OUTSIDE);
  CHECK(winding[0] == 2 && distance[0] == -0.25 && nearest[2] == 1 && face[0] >= 0 && body[0] == 2 && body[1] == 0);

  /* The bytes behind the struct are not fields: they have no effect, and stay. */
  struct {
    inpoly_answers known;
    char after[32];
  } b = {INPOLY_ANSWERS_INIT, ""};
  memset(b.after, 0xFF, sizeof b.after);
  b.known.side = sides;
  sides[0] = 0;
  EXPECT(INPOLY_OK, "", inpoly_locate(cubes, &p, &b.known, NULL, NULL));
  CHECK(sides[0] == INPOLY_SIDE_INSIDE);
  for (size_t i = 0; i < sizeof b.after; i++) {
    CHECK(b.after[i] == (char)0xFF);
  }
  b.known.reserved = 1;
  EXPECT(INPOLY_ARGUMENT, "reserved of answers", inpoly_locate(cubes, &p, &b.known, NULL, NULL));

  const inpoly_info i = INPOLY_INFO_INIT;
  inpoly_info *info = AT_THE_END(i);
  EXPECT(INPOLY_OK, "", inpoly_describe(cubes, 1, info));
  CHECK(info->size == sizeof *info && info->solids == 2 && info->vertices == 8 && info->faces == 12 && info->closed == 1);
  double vertices[24];
  int32_t faces[36];
  EXPECT(INPOLY_OK, "", inpoly_mesh_copy(cubes, 1, vertices, faces));
  char *json = NULL;
  EXPECT(INPOLY_OK, "", inpoly_report(file, &json, NULL, NULL));
  CHECK(json != NULL && json[0] == '{');
  inpoly_free_string(json);
  EXPECT(INPOLY_OK, "", inpoly_explain(memory, 0, 0, 0, &json));
  CHECK(json != NULL && json[0] == '[');
  inpoly_free_string(json);
  inpoly_free(file);
  inpoly_free(files);
  inpoly_free(memory);
  inpoly_free(cubes);
  CHECK(inpoly_side(cubes, 0, 0, 0) == -INPOLY_HANDLE && inpoly_message()[0] != 0);
  return finish("version1");
}
