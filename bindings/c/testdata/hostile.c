/* Calls every function with arguments that a caller can get wrong. */
#include <math.h>

#include "check.h"

/* An address that is not a multiple of 8 or 4. */
static char storage[4096];
#define MISALIGNED ((void *)(storage + 1))

static void test_handles(const char *knot) {
  double p[3] = {0.5, 0.5, 0.5}, w;
  int8_t side;
  char *json = NULL;
  inpoly_info info = {.size = sizeof info};
  inpoly_points points = {.size = sizeof points, .data = p, .count = 1};
  inpoly_answers answers = INPOLY_ANSWERS_INIT;
  inpoly_solid freed = open_cube();
  inpoly_free(freed);
  inpoly_free(freed);
  inpoly_free(0);
  inpoly_solid bad[40] = {0, 1, freed, UINT64_MAX, freed + 1, freed + ((inpoly_solid)1 << 32), (inpoly_solid)1 << 63};
  uint64_t random = 88172645463325252u;
  for (int i = 7; i < 40; i++) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    bad[i] = random;
  }
  for (int i = 0; i < 40; i++) {
    inpoly_solid s = bad[i];
    EXPECT(INPOLY_HANDLE, "not open", inpoly_sides(s, p, 1, &side));
    EXPECT(INPOLY_HANDLE, "not open", inpoly_windings(s, p, 1, &w, NULL));
    EXPECT(INPOLY_HANDLE, "not open", inpoly_distances(s, p, 1, &w, NULL));
    EXPECT(INPOLY_HANDLE, "not open", inpoly_nearest(s, p, 1, NULL, NULL, NULL));
    EXPECT(INPOLY_HANDLE, "not open", inpoly_locate(s, &points, &answers, NULL, NULL));
    EXPECT(INPOLY_HANDLE, "not open", inpoly_describe(s, 0, &info));
    EXPECT(INPOLY_HANDLE, "not open", inpoly_mesh_copy(s, 0, NULL, NULL));
    EXPECT(INPOLY_HANDLE, "not open", inpoly_report(s, &json, NULL, NULL));
    EXPECT(INPOLY_HANDLE, "not open", inpoly_explain(s, 0, 0, 0, &json));
    CHECK(inpoly_side(s, 0, 0, 0) == -INPOLY_HANDLE);
    CHECK(inpoly_side_of(&(inpoly_query){s, 0, 0, 0}) == -INPOLY_HANDLE);
    inpoly_lines lines = {sizeof lines, &points, &points, NULL}, segments = {sizeof lines, &points, NULL, &points};
    inpoly_hits hits = INPOLY_HITS_INIT;
    inpoly_hit_list list = INPOLY_HIT_LIST_INIT;
    inpoly_interval_list intervals = INPOLY_INTERVAL_LIST_INIT;
    inpoly_pose pose = {{1, 0, 0, 0}, {0, 0, 0}};
    int64_t offsets[2] = {0, 1};
    inpoly_solid posed = 77;
    EXPECT(INPOLY_HANDLE, "not open", inpoly_first_hits(s, &lines, &hits, NULL, NULL));
    EXPECT(INPOLY_HANDLE, "not open", inpoly_any_hits(s, &lines, &side, NULL, NULL));
    EXPECT(INPOLY_HANDLE, "not open", inpoly_all_hits(s, &lines, &list, NULL, NULL));
    EXPECT(INPOLY_HANDLE, "not open", inpoly_intervals(s, 0, &segments, 0, &intervals, NULL, NULL));
    EXPECT(INPOLY_HANDLE, "not open", inpoly_polyline_intervals(s, 0, &points, offsets, 1, 0, &intervals, NULL, NULL));
    EXPECT(INPOLY_HANDLE, "not open", inpoly_sections(s, 0, NULL, 0, "svg", NULL, &json, NULL, NULL));
    EXPECT(INPOLY_HANDLE, "not open", inpoly_measure(s, 0, "whole", 1, &json, NULL, NULL));
    EXPECT(INPOLY_HANDLE, "not open", inpoly_at(s, &pose, 1, &posed));
    EXPECT(INPOLY_HANDLE, "not open", inpoly_poses(s, &pose, 1));
    EXPECT(INPOLY_HANDLE, "not open", inpoly_unposed(s, &posed));
    EXPECT(INPOLY_HANDLE, "not open", inpoly_refit(s, pose.translation, 1, NULL, NULL, &posed));
    CHECK(json == NULL && list.offsets == NULL && intervals.offsets == NULL && posed == 77);
    inpoly_free(s);
  }
  /* A new solid never has the handle of a freed solid. */
  inpoly_solid next = open_cube();
  CHECK(next != freed);
  CHECK(inpoly_side(next, 0.5, 0.5, 0.5) == INPOLY_SIDE_INSIDE);
  CHECK(inpoly_side(freed, 0.5, 0.5, 0.5) == -INPOLY_HANDLE);
  inpoly_free(next);
  inpoly_solid s;
  EXPECT(INPOLY_OK, "", inpoly_open(knot, NULL, &s));
  inpoly_free(s);
}

static void test_open(const char *knot) {
  inpoly_solid s = 77;
  const char *paths[3] = {knot, NULL, knot};
  EXPECT(INPOLY_ARGUMENT, "path is NULL", inpoly_open(NULL, NULL, &s));
  EXPECT(INPOLY_ARGUMENT, "solid is NULL", inpoly_open(knot, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "solid is misaligned", inpoly_open(knot, NULL, MISALIGNED));
  EXPECT(INPOLY_FILE, "no/such", inpoly_open("no/such.stl", NULL, &s));
  EXPECT(INPOLY_FILE, "", inpoly_open("", NULL, &s));
  EXPECT(INPOLY_FILE, "", inpoly_open("/", NULL, &s));
  EXPECT(INPOLY_FILE, "", inpoly_open("\xff\xfe\x01", NULL, &s));
  EXPECT(INPOLY_ARGUMENT, "paths is NULL", inpoly_open_files(NULL, 1, NULL, &s));
  EXPECT(INPOLY_ARGUMENT, "no path", inpoly_open_files(NULL, 0, NULL, &s));
  EXPECT(INPOLY_ARGUMENT, "paths[1] is NULL", inpoly_open_files(paths, 3, NULL, &s));
  EXPECT(INPOLY_ARGUMENT, "paths is -1", inpoly_open_files(paths, -1, NULL, &s));
  EXPECT(INPOLY_ARGUMENT, "address space", inpoly_open_files(paths, INT64_MAX, NULL, &s));
  EXPECT(INPOLY_ARGUMENT, "name is NULL", inpoly_read(NULL, "x", 1, NULL, &s));
  EXPECT(INPOLY_ARGUMENT, "data is NULL", inpoly_read("a.stl", NULL, 1, NULL, &s));
  EXPECT(INPOLY_ARGUMENT, "data is -5", inpoly_read("a.stl", "x", -5, NULL, &s));
  EXPECT(INPOLY_ARGUMENT, "address space", inpoly_read("a.stl", "x", INT64_MAX, NULL, &s));
  EXPECT(INPOLY_FORMAT, "a.stl", inpoly_read("a.stl", NULL, 0, NULL, &s));
  EXPECT(INPOLY_FORMAT, "a.stl", inpoly_read("a.stl", "solid nothing", 13, NULL, &s));
  EXPECT(INPOLY_FORMAT, "", inpoly_read("", "solid nothing", 13, NULL, &s));
  CHECK(s == 77);
  char *name = malloc(100001); /* a long message is cut between characters */
  CHECK(name != NULL);
  for (int i = 0; i < 100000; i++) {
    name[i] = "\xc3\xa4"[i % 2];
  }
  name[100000] = 0;
  EXPECT(INPOLY_FILE, "", inpoly_open(name, NULL, &s));
  CHECK(strlen(inpoly_message()) < 4096);
  free(name);
}

static void test_options(const char *knot) {
  inpoly_solid s = 77;
  struct {
    inpoly_options known;
    int64_t unknown;
  } newer = {INPOLY_OPTIONS_INIT, 0};
  newer.known.size = sizeof newer;
  EXPECT(INPOLY_OK, "", inpoly_open(knot, &newer.known, &s));
  inpoly_free(s);
  newer.unknown = 1;
  EXPECT(INPOLY_ARGUMENT, "of options is not 0", inpoly_open(knot, &newer.known, &s));
  inpoly_options o = INPOLY_OPTIONS_INIT;
  size_t sizes[] = {0, 1, sizeof o - 1, 1 << 20, SIZE_MAX};
  for (int i = 0; i < 5; i++) {
    o.size = sizes[i];
    EXPECT(INPOLY_ARGUMENT, "size of options", inpoly_open(knot, &o, &s));
  }
  EXPECT(INPOLY_ARGUMENT, "options is misaligned", inpoly_open(knot, MISALIGNED, &s));
  double bad[] = {-1, NAN, INFINITY};
  for (int i = 0; i < 3; i++) {
    o = (inpoly_options)INPOLY_OPTIONS_INIT;
    o.tolerance = bad[i];
    EXPECT(INPOLY_OPTION, "tolerance", inpoly_open(knot, &o, &s));
    o = (inpoly_options)INPOLY_OPTIONS_INIT;
    o.epsilon = bad[i];
    EXPECT(INPOLY_OPTION, "epsilon", inpoly_open(knot, &o, &s));
    o = (inpoly_options)INPOLY_OPTIONS_INIT;
    o.weld = bad[i];
    EXPECT(INPOLY_OPTION, "weld", inpoly_open(knot, &o, &s));
  }
  o = (inpoly_options)INPOLY_OPTIONS_INIT;
  o.method = "fast";
  EXPECT(INPOLY_OPTION, "fast", inpoly_open(knot, &o, &s));
  o = (inpoly_options)INPOLY_OPTIONS_INIT;
  o.rule = "";
  EXPECT(INPOLY_OK, "", inpoly_open(knot, &o, &s));
  inpoly_free(s);
  o.rule = "\xff";
  EXPECT(INPOLY_OPTION, "rule", inpoly_open(knot, &o, &s));
  o = (inpoly_options)INPOLY_OPTIONS_INIT;
  o.orient = "up";
  EXPECT(INPOLY_OPTION, "up", inpoly_open(knot, &o, &s));
  o = (inpoly_options)INPOLY_OPTIONS_INIT;
  o.workers = -1;
  EXPECT(INPOLY_OPTION, "workers", inpoly_open(knot, &o, &s));
  o.workers = INT32_MAX;
  EXPECT(INPOLY_OPTION, "workers", inpoly_open(knot, &o, &s));
  o = (inpoly_options)INPOLY_OPTIONS_INIT;
  o.expected_points = -1;
  EXPECT(INPOLY_OPTION, "points", inpoly_open(knot, &o, &s));
  o = (inpoly_options)INPOLY_OPTIONS_INIT;
  o.max_memory = 10;
  EXPECT(INPOLY_TOO_LARGE, "knot", inpoly_open(knot, &o, &s));
  o.max_memory = INT64_MIN;
  EXPECT(INPOLY_OPTION, "memory", inpoly_open(knot, &o, &s));
}

/* Builds the cube with indexes of one type, then with one bad index. */
#define TEST_FACES(type, constant, bad) \
  do { \
    type faces[36]; \
    for (int i = 0; i < 36; i++) { \
      faces[i] = (type)cube_faces[i]; \
    } \
    inpoly_mesh m = cube_mesh(); \
    inpoly_solid s = 77; \
    m.faces = faces; \
    m.face_type = constant; \
    EXPECT(INPOLY_OK, "", inpoly_new(&m, 1, NULL, &s)); \
    CHECK(inpoly_side(s, 0.5, 0.5, 0.5) == INPOLY_SIDE_INSIDE); \
    CHECK(inpoly_side(s, 0.5, 0.5, 1.5) == INPOLY_SIDE_OUTSIDE); \
    CHECK(inpoly_side(s, 0.5, 0.5, 1) == INPOLY_SIDE_ON_SURFACE); \
    inpoly_free(s); \
    faces[17] = (type)(bad); \
    EXPECT(INPOLY_MESH, "face 5", inpoly_new(&m, 1, NULL, &s)); \
    faces[17] = 8; \
    EXPECT(INPOLY_MESH, "face 5", inpoly_new(&m, 1, NULL, &s)); \
  } while (0)

static void test_meshes(void) {
  TEST_FACES(int32_t, INPOLY_TYPE_INT32, -1);
  TEST_FACES(uint32_t, INPOLY_TYPE_UINT32, UINT32_MAX);
  TEST_FACES(int64_t, INPOLY_TYPE_INT64, (int64_t)1 << 32);
  TEST_FACES(int64_t, INPOLY_TYPE_INT64, INT64_MIN);
  TEST_FACES(uint64_t, INPOLY_TYPE_UINT64, UINT64_MAX);
  TEST_FACES(uint16_t, INPOLY_TYPE_UINT16, UINT16_MAX);

  inpoly_mesh m = cube_mesh();
  inpoly_solid s = 77;
  EXPECT(INPOLY_ARGUMENT, "meshes is NULL", inpoly_new(NULL, 1, NULL, &s));
  EXPECT(INPOLY_ARGUMENT, "no mesh", inpoly_new(NULL, 0, NULL, &s));
  EXPECT(INPOLY_ARGUMENT, "meshes is -1", inpoly_new(&m, -1, NULL, &s));
  EXPECT(INPOLY_ARGUMENT, "address space", inpoly_new(&m, INT64_MAX, NULL, &s));
  EXPECT(INPOLY_ARGUMENT, "meshes is misaligned", inpoly_new(MISALIGNED, 1, NULL, &s));
  EXPECT(INPOLY_ARGUMENT, "solid is NULL", inpoly_new(&m, 1, NULL, NULL));
  m.size = 8;
  EXPECT(INPOLY_ARGUMENT, "size of meshes", inpoly_new(&m, 1, NULL, &s));
  inpoly_mesh two[2] = {cube_mesh(), cube_mesh()};
  size_t other_sizes[] = {0, 8, sizeof m + 8, 1 << 12, 1 << 20}; /* its bytes are not read */
  for (int i = 0; i < 5; i++) {
    two[1].size = other_sizes[i];
    EXPECT(INPOLY_ARGUMENT, "but that of meshes[0]", inpoly_new(two, 2, NULL, &s));
  }

  m = cube_mesh();
  m.vertices = NULL;
  EXPECT(INPOLY_ARGUMENT, "vertices is NULL", inpoly_new(&m, 1, NULL, &s));
  m.vertices = MISALIGNED;
  EXPECT(INPOLY_ARGUMENT, "vertices is misaligned", inpoly_new(&m, 1, NULL, &s));
  m = cube_mesh();
  m.vertex_count = -8;
  EXPECT(INPOLY_ARGUMENT, "vertices is -8", inpoly_new(&m, 1, NULL, &s));
  m.vertex_count = INT64_MAX;
  EXPECT(INPOLY_ARGUMENT, "address space", inpoly_new(&m, 1, NULL, &s));
  m.vertex_count = (int64_t)1 << 31;
  EXPECT(INPOLY_TOO_LARGE, "vertices", inpoly_new(&m, 1, NULL, &s));
  m.vertex_count = 7;
  EXPECT(INPOLY_MESH, "face 3", inpoly_new(&m, 1, NULL, &s));
  m = cube_mesh();
  for (int type = 2; type < 9; type++) {
    m.vertex_type = type == 8 ? -1 : type;
    EXPECT(INPOLY_ARGUMENT, "type of meshes[0].vertices", inpoly_new(&m, 1, NULL, &s));
  }
  int64_t strides[] = {-24, 1, 8, 23, 25, 28, INT64_MIN, INT64_MAX};
  for (int i = 0; i < 8; i++) {
    m = cube_mesh();
    m.vertex_stride = strides[i];
    EXPECT(INPOLY_ARGUMENT, "vertices", inpoly_new(&m, 1, NULL, &s));
  }
  m = cube_mesh();
  m.vertex_stride = INT64_MAX - 7;
  EXPECT(INPOLY_ARGUMENT, "address space", inpoly_new(&m, 1, NULL, &s));

  inpoly_type types[] = {INPOLY_TYPE_FLOAT64, INPOLY_TYPE_FLOAT32, 7, -1, INT32_MAX};
  for (int i = 0; i < 5; i++) {
    m = cube_mesh();
    m.face_type = types[i];
    EXPECT(INPOLY_ARGUMENT, "face_type", inpoly_new(&m, 1, NULL, &s));
  }
  m = cube_mesh();
  m.faces = NULL;
  EXPECT(INPOLY_ARGUMENT, "faces is NULL", inpoly_new(&m, 1, NULL, &s));
  m.face_count = 0;
  EXPECT(INPOLY_MESH, "multiple of 3", inpoly_new(&m, 1, NULL, &s));
  m = cube_mesh();
  m.faces = MISALIGNED;
  EXPECT(INPOLY_ARGUMENT, "faces is misaligned", inpoly_new(&m, 1, NULL, &s));
  m = cube_mesh();
  m.face_count = -1;
  EXPECT(INPOLY_ARGUMENT, "faces is -1", inpoly_new(&m, 1, NULL, &s));
  m.face_count = INT64_MAX;
  EXPECT(INPOLY_ARGUMENT, "address space", inpoly_new(&m, 1, NULL, &s));
  m.face_count = (int64_t)1 << 31;
  EXPECT(INPOLY_TOO_LARGE, "faces", inpoly_new(&m, 1, NULL, &s));

  double vertices[24];
  double bad[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++) {
    memcpy(vertices, cube_vertices, sizeof vertices);
    vertices[10] = bad[i];
    m = cube_mesh();
    m.name = "broken";
    m.vertices = vertices;
    EXPECT(INPOLY_MESH, "broken: ", inpoly_new(&m, 1, NULL, &s));
  }
  vertices[10] = 1e305;
  EXPECT(INPOLY_TOO_LARGE, "broken: ", inpoly_new(&m, 1, NULL, &s));
  CHECK(s == 77);

  m = cube_mesh();
  m.vertex_count = 1; /* a stride is checked also for one element */
  m.vertex_stride = 8;
  EXPECT(INPOLY_ARGUMENT, "stride", inpoly_new(&m, 1, NULL, &s));

  /* An empty mesh contains no point. */
  m = (inpoly_mesh)INPOLY_MESH_INIT;
  EXPECT(INPOLY_OK, "", inpoly_new(&m, 1, NULL, &s));
  CHECK(inpoly_side(s, 0, 0, 0) == INPOLY_SIDE_OUTSIDE);
  inpoly_info info = INPOLY_INFO_INIT;
  EXPECT(INPOLY_OK, "", inpoly_describe(s, 0, &info));
  CHECK(info.solids == 1 && info.vertices == 0 && info.faces == 0 && info.box_min[0] > info.box_max[0]);
  EXPECT(INPOLY_OK, "", inpoly_mesh_copy(s, 0, NULL, NULL));
  inpoly_free(s);
}

/* Strided, float32 and corner meshes are the same solid. */
static void test_layouts(void) {
  struct {
    float position[3], normal[3];
  } buffer[8];
  double corners[108];
  memset(buffer, 0, sizeof buffer);
  for (int i = 0; i < 24; i++) {
    buffer[i / 3].position[i % 3] = (float)cube_vertices[i];
  }
  for (int i = 0; i < 36; i++) {
    memcpy(corners + 3 * i, cube_vertices + 3 * cube_faces[i], 24);
  }
  inpoly_mesh m[3] = {cube_mesh(), cube_mesh(), cube_mesh()};
  m[0].vertices = buffer;
  m[0].vertex_stride = sizeof buffer[0];
  m[0].vertex_type = INPOLY_TYPE_FLOAT32;
  m[1].vertices = corners;
  m[1].vertex_count = 36;
  m[1].faces = NULL;
  m[1].face_count = 0;
  m[2].name = "cube";
  inpoly_solid s;
  EXPECT(INPOLY_OK, "", inpoly_new(m, 3, NULL, &s));
  for (int i = 0; i < 3; i++) {
    inpoly_info info = {.size = sizeof info};
    EXPECT(INPOLY_OK, "", inpoly_describe(s, i, &info));
    CHECK(info.solids == 3 && info.vertices == 8 && info.faces == 12 && info.closed == 1);
    CHECK(info.box_min[2] == 0 && info.box_max[2] == 1);
    double vertices[24];
    int32_t faces[36];
    EXPECT(INPOLY_OK, "", inpoly_mesh_copy(s, i, vertices, faces));
    for (int k = 0; k < 36; k++) {
      CHECK(faces[k] >= 0 && faces[k] < 8);
      CHECK(memcmp(vertices + 3 * faces[k], cube_vertices + 3 * cube_faces[k], 24) == 0);
    }
  }
  inpoly_info info = {.size = sizeof info};
  double vertices[24];
  EXPECT(INPOLY_ARGUMENT, "index is 3", inpoly_describe(s, 3, &info));
  EXPECT(INPOLY_ARGUMENT, "index is -1", inpoly_describe(s, -1, &info));
  EXPECT(INPOLY_ARGUMENT, "info is NULL", inpoly_describe(s, 0, NULL));
  EXPECT(INPOLY_ARGUMENT, "info is misaligned", inpoly_describe(s, 0, MISALIGNED));
  info.size = 0;
  EXPECT(INPOLY_ARGUMENT, "size of info", inpoly_describe(s, 0, &info));
  EXPECT(INPOLY_ARGUMENT, "index is 3", inpoly_mesh_copy(s, 3, vertices, NULL));
  EXPECT(INPOLY_ARGUMENT, "vertices is misaligned", inpoly_mesh_copy(s, 0, MISALIGNED, NULL));
  EXPECT(INPOLY_ARGUMENT, "faces is misaligned", inpoly_mesh_copy(s, 0, NULL, MISALIGNED));
  struct {
    inpoly_info known;
    int64_t unknown;
  } newer = {.known = {.size = sizeof newer}, .unknown = 99};
  EXPECT(INPOLY_OK, "", inpoly_describe(s, 0, &newer.known));
  CHECK(newer.unknown == 0 && newer.known.size == sizeof newer && newer.known.faces == 12);
  inpoly_free(s);
}

/* Rays and segments through the cube, as doubles, floats and strided numbers. */
static void test_lines(void) {
  enum { L = 3 };
  double starts[3 * L] = {0.5, 0.25, -1, 0.5, 0.25, 0.5, 5, 5, 5}, ends[3 * L] = {0.5, 0.25, 3, 0.5, 0.25, 9, 6, 5, 5};
  double directions[3 * L] = {0, 0, 4, 0, 0, 1, 1, 0, 0};
  float narrow[4 * L];
  for (int i = 0; i < 3 * L; i++) {
    narrow[i / 3 * 4 + i % 3] = (float)starts[i];
  }
  inpoly_points a = {sizeof a, starts, L, 0, INPOLY_TYPE_FLOAT64, 0}, b = a, d = a, f = a;
  b.data = ends;
  d.data = directions;
  f.data = narrow;
  f.stride = 16;
  f.type = INPOLY_TYPE_FLOAT32;
  inpoly_lines rays = {sizeof rays, &a, &d, NULL}, single = {sizeof rays, &f, &d, NULL}, segments = {sizeof rays, &a, NULL, &b};
  inpoly_solid s = open_cube();
  const inpoly_lines *kinds[3] = {&rays, &single, &segments};
  for (int k = 0; k < 3; k++) {
    double t[L], bound[L];
    int32_t face[L], body[L];
    int8_t sign[L], jump[L], met[L];
    inpoly_hits hits = {sizeof hits, t, bound, face, body, sign, jump};
    EXPECT(INPOLY_OK, "", inpoly_first_hits(s, kinds[k], &hits, NULL, NULL));
    EXPECT(INPOLY_OK, "", inpoly_any_hits(s, kinds[k], met, NULL, NULL));
    CHECK(fabs(t[0] - 0.25) <= bound[0] && body[0] == 0 && (face[0] == 0 || face[0] == 1) && sign[0] == -1 && jump[0] == 1);
    CHECK(fabs(t[1] - (k == 2 ? 0.5 / 8.5 : 0.5)) <= bound[1] && (face[1] == 2 || face[1] == 3) && sign[1] == 1 && jump[1] == -1);
    CHECK(isinf(t[2]) && face[2] == -1 && body[2] == -1);
    CHECK(met[0] == 1 && met[1] == 1 && met[2] == 0);
    inpoly_hit_list list = INPOLY_HIT_LIST_INIT;
    EXPECT(INPOLY_OK, "", inpoly_all_hits(s, kinds[k], &list, NULL, NULL));
    CHECK(list.lines == L && list.count == 3 && list.offsets[0] == 0 && list.offsets[1] == 2 && list.offsets[2] == 3 && list.offsets[3] == 3);
    CHECK(list.t[0] == t[0] && list.face[0] == face[0] && list.jump[1] == -1 && list.body[2] == 0 && list.sign[2] == 1 && list.bound[2] >= 0);
    inpoly_free_hit_list(&list);
    CHECK(list.size == sizeof list && list.offsets == NULL && list.count == 0);
    inpoly_free_hit_list(&list);
  }
  inpoly_free_hit_list(NULL);
  inpoly_free_interval_list(NULL);

  inpoly_interval_list v = INPOLY_INTERVAL_LIST_INIT;
  EXPECT(INPOLY_OK, "", inpoly_intervals(s, 0, &segments, 0, &v, NULL, NULL));
  CHECK(v.lines == L && v.count == 6 && v.offsets[1] == 3 && v.offsets[2] == 5 && v.offsets[3] == 6);
  CHECK(v.side[0] == INPOLY_SIDE_OUTSIDE && v.side[1] == INPOLY_SIDE_INSIDE && v.side[5] == INPOLY_SIDE_OUTSIDE);
  CHECK(fabs(v.length[1] - 1) <= v.length_bound[1] && fabs(v.from[1] - 0.25) <= v.from_bound[1] && fabs(v.to[1] - 0.5) <= v.to_bound[1]);
  inpoly_free_interval_list(&v);
  int64_t offsets[4] = {0, 2, 2, 3};
  EXPECT(INPOLY_OK, "", inpoly_polyline_intervals(s, 0, &a, offsets, 3, 0, &v, NULL, NULL));
  CHECK(v.lines == 3 && v.offsets[2] == v.offsets[1] && v.offsets[3] == v.offsets[2] + 1 && v.to_segment[0] == 0 && v.from_segment[0] == 0);
  inpoly_free_interval_list(&v);

  /* A long segment through an open mesh, and one whose parameters do not tell samples apart. */
  inpoly_mesh open = cube_mesh();
  open.face_count -= 1;
  inpoly_solid o = 0;
  EXPECT(INPOLY_OK, "", inpoly_new(&open, 1, NULL, &o));
  double from[9] = {0.3, 0.4, 0.6, 0.3, 0.4, -1e9, 0.3, 0.4, -1e17}, to[9] = {0.3, 0.4, 0.6, 0.3, 0.4, 1e9, 0.3, 0.4, 1e17};
  inpoly_points pair[2] = {{sizeof(inpoly_points), from, 3, 0, INPOLY_TYPE_FLOAT64, 0}, {sizeof(inpoly_points), to, 3, 0, INPOLY_TYPE_FLOAT64, 0}};
  inpoly_lines long_segments = {sizeof(inpoly_lines), &pair[0], NULL, &pair[1]};
  EXPECT(INPOLY_OK, "", inpoly_intervals(o, 0, &long_segments, 0, &v, NULL, NULL));
  CHECK(v.lines == 3 && v.unsampled_count == 1 && v.unsampled[0] == 2);
  double inside = 0;
  for (int64_t i = v.offsets[1]; i < v.offsets[2]; i++) {
    inside += v.side[i] == INPOLY_SIDE_INSIDE ? v.length[i] : 0;
  }
  CHECK(fabs(inside - 1) < 0.5);
  inpoly_free_interval_list(&v);
  CHECK(v.unsampled == NULL && v.unsampled_count == 0);
  inpoly_free(o);

  inpoly_hits none = INPOLY_HITS_INIT;
  inpoly_hit_list list = INPOLY_HIT_LIST_INIT;
  int8_t met[L];
  EXPECT(INPOLY_OK, "", inpoly_first_hits(s, &rays, &none, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "lines is NULL", inpoly_first_hits(s, NULL, &none, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "hits is NULL", inpoly_first_hits(s, &rays, NULL, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "met is NULL", inpoly_any_hits(s, &rays, NULL, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "list is NULL", inpoly_all_hits(s, &rays, NULL, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "lines is misaligned", inpoly_any_hits(s, MISALIGNED, met, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "list is misaligned", inpoly_all_hits(s, &rays, MISALIGNED, NULL, NULL));
  none.t = MISALIGNED;
  EXPECT(INPOLY_ARGUMENT, "hits.t is misaligned", inpoly_first_hits(s, &rays, &none, NULL, NULL));
  inpoly_lines bad = {sizeof bad, &a, &d, &b};
  EXPECT(INPOLY_ARGUMENT, "directions and ends", inpoly_any_hits(s, &bad, met, NULL, NULL));
  bad.directions = bad.ends = NULL;
  EXPECT(INPOLY_ARGUMENT, "directions and ends", inpoly_any_hits(s, &bad, met, NULL, NULL));
  bad.directions = &d;
  bad.starts = NULL;
  EXPECT(INPOLY_ARGUMENT, "lines.starts is NULL", inpoly_any_hits(s, &bad, met, NULL, NULL));
  bad.starts = &a;
  bad.size = 3;
  EXPECT(INPOLY_ARGUMENT, "size of lines", inpoly_any_hits(s, &bad, met, NULL, NULL));
  bad.size = sizeof bad;
  d.count = 2;
  EXPECT(INPOLY_ARGUMENT, "3 starts and 2 directions", inpoly_any_hits(s, &bad, met, NULL, NULL));
  d.count = -1;
  EXPECT(INPOLY_ARGUMENT, "lines.directions", inpoly_any_hits(s, &bad, met, NULL, NULL));
  d.count = L;
  const double spoiled[4] = {0, NAN, -INFINITY, 0x1p1001};
  for (int k = 0; k < 4; k++) { /* the second line is not valid; the others keep their answers */
    directions[3] = ends[3] = spoiled[k];
    directions[4] = directions[5] = 0;
    double t[L], bound[L];
    int32_t face[L], body[L];
    inpoly_hits hits = {sizeof hits, t, bound, face, body, NULL, NULL};
    EXPECT(INPOLY_OK, "", inpoly_first_hits(s, &bad, &hits, NULL, NULL));
    CHECK(t[0] == 0.25 && face[0] >= 0 && isnan(t[1]) && isinf(bound[1]) && face[1] == -1 && body[1] == -1 && isinf(t[2]) && bound[2] == 0);
    EXPECT(INPOLY_OK, "", inpoly_any_hits(s, &bad, met, NULL, NULL));
    CHECK(met[0] == 1 && met[1] == 0 && met[2] == 0);
    EXPECT(INPOLY_OK, "", inpoly_all_hits(s, &bad, &list, NULL, NULL));
    CHECK(list.count == 3 && list.offsets[1] == 2 && list.offsets[2] == 3 && list.offsets[3] == 3 && isnan(list.t[2]) && list.face[2] == -1);
    inpoly_free_hit_list(&list);
    if (k > 0) {
      EXPECT(INPOLY_OK, "", inpoly_intervals(s, 0, &segments, 0, &v, NULL, NULL));
      CHECK(v.offsets[1] == 3 && v.offsets[2] == 4 && v.offsets[3] == 5 && v.side[3] == INPOLY_SIDE_UNKNOWN && isnan(v.length[3]) && isinf(v.length_bound[3]));
      CHECK(v.from[3] == 0 && v.to[3] == 1 && v.side[1] == INPOLY_SIDE_INSIDE && v.length[1] == 1 && v.side[4] == INPOLY_SIDE_OUTSIDE);
      inpoly_free_interval_list(&v);
    }
  }
  EXPECT(INPOLY_ARGUMENT, "need segments", inpoly_intervals(s, 0, &rays, 0, &v, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "number of the solid is 1", inpoly_intervals(s, 1, &segments, 0, &v, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "step", inpoly_intervals(s, 0, &segments, NAN, &v, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "list is NULL", inpoly_intervals(s, 0, &segments, 0, NULL, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "offsets is NULL", inpoly_polyline_intervals(s, 0, &a, NULL, 0, 0, &v, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "polylines is -1", inpoly_polyline_intervals(s, 0, &a, offsets, -1, 0, &v, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "polylines is", inpoly_polyline_intervals(s, 0, &a, offsets, INT64_MAX, 0, &v, NULL, NULL));
  offsets[1] = 3;
  EXPECT(INPOLY_ARGUMENT, "less than", inpoly_polyline_intervals(s, 0, &a, offsets, 3, 0, &v, NULL, NULL));
  CHECK(list.offsets == NULL && v.offsets == NULL);
  struct {
    inpoly_hit_list known;
    int64_t unknown;
  } newer = {.known = {.size = sizeof newer}, .unknown = 99};
  EXPECT(INPOLY_OK, "", inpoly_all_hits(s, &segments, &newer.known, NULL, NULL));
  CHECK(newer.unknown == 0 && newer.known.size == sizeof newer && newer.known.count == 3);
  inpoly_free_hit_list(&newer.known);
  a.count = b.count = 0;
  EXPECT(INPOLY_OK, "", inpoly_all_hits(s, &segments, &list, NULL, NULL));
  CHECK(list.lines == 0 && list.count == 0 && list.offsets[0] == 0);
  inpoly_free_hit_list(&list);
  inpoly_free(s);
}

static void test_shapes(void) {
  double planes[12] = {0, 0, 0.5, 0, 0, 1, 0, 0, 9, 0, 0, 1};
  char *text = NULL;
  inpoly_solid s = open_cube(), posed = 77;
  const char *formats[3] = {"json", "geojson", "svg"}, *words[3] = {"\"area\":1,", "MultiPolygon", "<svg"};
  for (int i = 0; i < 3; i++) {
    EXPECT(INPOLY_OK, "", inpoly_sections(s, 0, planes, 2, formats[i], i == 2 ? "mm" : NULL, &text, NULL, NULL));
    CHECK(text != NULL && strstr(text, words[i]) != NULL);
    inpoly_free_string(text);
    text = NULL;
  }
  EXPECT(INPOLY_ARGUMENT, "planes is NULL", inpoly_sections(s, 0, NULL, 1, "json", NULL, &text, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "planes is -1", inpoly_sections(s, 0, planes, -1, "json", NULL, &text, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "planes is misaligned", inpoly_sections(s, 0, MISALIGNED, 1, "json", NULL, &text, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "format is NULL", inpoly_sections(s, 0, planes, 1, NULL, NULL, &text, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "format", inpoly_sections(s, 0, planes, 1, "\xff", NULL, &text, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "unit", inpoly_sections(s, 0, planes, 1, "svg", "furlong", &text, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "text is NULL", inpoly_sections(s, 0, planes, 1, "svg", NULL, NULL, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "number of the solid is 7", inpoly_sections(s, 7, planes, 1, "svg", NULL, &text, NULL, NULL));
  planes[11] = 0;
  EXPECT(INPOLY_ARGUMENT, "plane 1", inpoly_sections(s, 0, planes, 2, "svg", NULL, &text, NULL, NULL));
  EXPECT(INPOLY_OK, "", inpoly_measure(s, 0, "body", 2, &text, NULL, NULL));
  CHECK(text != NULL && strstr(text, "\"volume\":1,") != NULL && strstr(text, "\"mass\":2,") != NULL);
  inpoly_free_string(text);
  text = NULL;
  EXPECT(INPOLY_ARGUMENT, "by is NULL", inpoly_measure(s, 0, NULL, 1, &text, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "parts", inpoly_measure(s, 0, "half", 1, &text, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "density", inpoly_measure(s, 0, "whole", NAN, &text, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "number of the solid is -1", inpoly_measure(s, -1, "whole", 1, &text, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "text is NULL", inpoly_measure(s, 0, "whole", 1, NULL, NULL, NULL));
  CHECK(text == NULL);

  double quarter[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1}, t[3] = {5, 0, 0}, mirror[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1};
  inpoly_pose pose[2];
  EXPECT(INPOLY_OK, "", inpoly_pose_from_matrix(quarter, t, pose));
  EXPECT(INPOLY_OK, "", inpoly_at(s, pose, 1, &posed));
  CHECK(inpoly_side(posed, 4.5, 0.5, 0.5) == INPOLY_SIDE_INSIDE && inpoly_side(posed, 0.5, 0.5, 0.5) == INPOLY_SIDE_OUTSIDE);
  CHECK(inpoly_side(s, 0.5, 0.5, 0.5) == INPOLY_SIDE_INSIDE);
  EXPECT(INPOLY_OK, "", inpoly_measure(posed, 0, "whole", 1, &text, NULL, NULL));
  CHECK(text != NULL && strstr(text, "\"centroid\":[4.5,0.5,0.5]") != NULL);
  inpoly_free_string(text);
  EXPECT(INPOLY_OK, "", inpoly_explain(posed, 4.5, 0.5, 0.5, &text));
  CHECK(text != NULL && strstr(text, "\"side\":\"in\"") != NULL && strstr(text, "\"distance\":-0.5") != NULL);
  inpoly_free_string(text);
  text = NULL;
  inpoly_info info = {.size = sizeof info};
  EXPECT(INPOLY_OK, "", inpoly_describe(posed, 0, &info));
  CHECK(info.box_min[0] == 4 && info.box_max[0] == 5 && info.box_min[2] == 0);
  double vertices[24];
  int32_t corners[36];
  EXPECT(INPOLY_ARGUMENT, "vertices of solids at poses", inpoly_mesh_copy(posed, 0, vertices, corners));
  EXPECT(INPOLY_OK, "", inpoly_mesh_copy(posed, 0, NULL, corners));

  /* Poses compose, and inpoly_poses returns the result. */
  inpoly_pose up = {{1, 0, 0, 0}, {0, 0, 7}}, got;
  inpoly_solid higher = 77;
  EXPECT(INPOLY_OK, "", inpoly_at(posed, &up, 1, &higher));
  CHECK(inpoly_side(higher, 4.5, 0.5, 7.5) == INPOLY_SIDE_INSIDE && inpoly_side(higher, 0.5, 0.5, 7.5) == INPOLY_SIDE_OUTSIDE);
  EXPECT(INPOLY_OK, "", inpoly_poses(higher, &got, 1));
  CHECK(memcmp(got.rotation, pose[0].rotation, sizeof got.rotation) == 0);
  CHECK(got.translation[0] == 5 && got.translation[1] == 0 && got.translation[2] == 7);
  EXPECT(INPOLY_ARGUMENT, "count is 2", inpoly_poses(higher, pose, 2));
  EXPECT(INPOLY_ARGUMENT, "poses is NULL", inpoly_poses(higher, NULL, 1));
  EXPECT(INPOLY_ARGUMENT, "no poses", inpoly_poses(s, &got, 1));
  double there[3] = {1e9, 1e9, 1e9}, d, bound, alone;
  inpoly_pose turned = {{0.6, 0, 0.8, 0}, {1, 2, 3}};
  inpoly_solid free_turned = 77;
  EXPECT(INPOLY_OK, "", inpoly_at(s, &turned, 1, &free_turned));
  EXPECT(INPOLY_OK, "", inpoly_distances(free_turned, there, 1, &d, &bound));
  EXPECT(INPOLY_OK, "", inpoly_distances(s, there, 1, &d, &alone));
  CHECK(bound > 4 * alone); /* it includes the position */
  inpoly_free(free_turned);
  inpoly_free(higher);
  inpoly_free(s); /* the posed solid keeps the mesh */
  CHECK(inpoly_side(posed, 4.5, 0.5, 0.5) == INPOLY_SIDE_INSIDE);
  s = posed;
  posed = 77;
  EXPECT(INPOLY_ARGUMENT, "rotation", inpoly_pose_from_matrix(mirror, t, pose));
  EXPECT(INPOLY_ARGUMENT, "m is NULL", inpoly_pose_from_matrix(NULL, t, pose));
  EXPECT(INPOLY_ARGUMENT, "t is NULL", inpoly_pose_from_matrix(quarter, NULL, pose));
  EXPECT(INPOLY_ARGUMENT, "pose is NULL", inpoly_pose_from_matrix(quarter, t, NULL));
  EXPECT(INPOLY_ARGUMENT, "poses is NULL", inpoly_at(s, NULL, 1, &posed));
  EXPECT(INPOLY_ARGUMENT, "0 poses", inpoly_at(s, NULL, 0, &posed));
  EXPECT(INPOLY_ARGUMENT, "2 poses", inpoly_at(s, pose, 2, &posed));
  EXPECT(INPOLY_ARGUMENT, "posed is NULL", inpoly_at(s, pose, 1, NULL));
  pose[0].rotation[0] = 2;
  EXPECT(INPOLY_ARGUMENT, "", inpoly_at(s, pose, 1, &posed));
  pose[0].rotation[0] = NAN;
  EXPECT(INPOLY_ARGUMENT, "", inpoly_at(s, pose, 1, &posed));
  double one[3] = {0, 0, NAN};
  EXPECT(INPOLY_ARGUMENT, "unposed is NULL", inpoly_unposed(s, NULL));
  EXPECT(INPOLY_ARGUMENT, "refitted is NULL", inpoly_refit(s, one, 1, NULL, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "vertices is NULL", inpoly_refit(s, NULL, 1, NULL, NULL, &posed));
  EXPECT(INPOLY_ARGUMENT, "vertices", inpoly_refit(s, one, -1, NULL, NULL, &posed));
  EXPECT(INPOLY_ARGUMENT, "0 vertices, but", inpoly_refit(s, NULL, 0, NULL, NULL, &posed));
  EXPECT(INPOLY_ARGUMENT, "1 vertices, but", inpoly_refit(s, one, 1, NULL, NULL, &posed));
  CHECK(posed == 77);
  inpoly_free(s);
}

enum { N = 300 };

/* Fills points in and around the cube, some of them not finite, as numbers of type float. */
static void fill(double *points) {
  uint32_t random = 12345;
  for (int i = 0; i < 3 * N; i++) {
    random = random * 1664525 + 1013904223;
    points[i] = (double)(random >> 12) / (1 << 20) * 1.5 - 0.25;
    points[i] = (double)(float)(random % 7 == 0 ? (double)(random >> 30) / 2 : points[i]);
  }
  points[30] = NAN;
  points[61] = INFINITY;
  points[92] = -INFINITY;
  points[93] = (double)3e38f;
}

static int same(const double *a, const double *b, int n) { return memcmp(a, b, (size_t)n * sizeof *a) == 0; }

static void test_batches(void) {
  static double points[3 * N], strided[5 * N], w[N], wb[N], d[N], db[N], near[3 * N];
  static double w2[N], wb2[N], d2[N], db2[N], near2[3 * N];
  static float single[4 * N];
  static int8_t side[N], side2[N];
  static int32_t face[N], body[N], face2[N], nearest_body[N], body2[N];
  fill(points);
  for (int i = 0; i < 3 * N; i++) {
    strided[i / 3 * 5 + i % 3] = points[i];
    single[i / 3 * 4 + i % 3] = (float)points[i];
  }
  inpoly_mesh m[2] = {cube_mesh(), cube_mesh()};
  double half[24];
  for (int i = 0; i < 24; i++) {
    half[i] = cube_vertices[i] / 2;
  }
  m[1].vertices = half;
  inpoly_solid s;
  EXPECT(INPOLY_OK, "", inpoly_new(m, 2, NULL, &s));
  EXPECT(INPOLY_OK, "", inpoly_sides(s, points, N, side));
  EXPECT(INPOLY_OK, "", inpoly_windings(s, points, N, w, wb));
  EXPECT(INPOLY_OK, "", inpoly_distances(s, points, N, d, db));
  EXPECT(INPOLY_OK, "", inpoly_nearest(s, points, N, near, face, body));
  int counts[4] = {0, 0, 0, 0};
  for (int i = 0; i < N; i++) {
    const double *p = points + 3 * i;
    CHECK(inpoly_side(s, p[0], p[1], p[2]) == side[i]);
    CHECK(inpoly_side_of(&(inpoly_query){s, p[0], p[1], p[2]}) == side[i]);
    counts[side[i]]++;
    int finite = isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
    CHECK((side[i] == INPOLY_SIDE_UNKNOWN) == !finite);
    CHECK(isnan(w[i]) == !finite);
    CHECK(isnan(d[i]) == !finite && (face[i] < 0) == !finite && (body[i] < 0) == !finite && isnan(near[3 * i]) == !finite);
    if (finite) {
      CHECK(d[i] == 0 ? side[i] >= INPOLY_SIDE_ON_SURFACE : (d[i] < 0) == (side[i] == INPOLY_SIDE_INSIDE)); /* two surfaces */
      int in = p[0] > 0 && p[0] < 1 && p[1] > 0 && p[1] < 1 && p[2] > 0 && p[2] < 1;
      int in_half = p[0] > 0 && p[0] < 0.5 && p[1] > 0 && p[1] < 0.5 && p[2] > 0 && p[2] < 0.5;
      if (side[i] != INPOLY_SIDE_ON_SURFACE) {
        CHECK(in == (side[i] == INPOLY_SIDE_INSIDE));
      }
      if (in && d[i] != 0) {
        CHECK(w[i] == (p[0] != 0.5 && p[1] != 0.5 && p[2] != 0.5 ? 1 + in_half : w[i]) && wb[i] == 0);
      }
      double x = near[3 * i] - p[0], y = near[3 * i + 1] - p[1], z = near[3 * i + 2] - p[2];
      CHECK(fabs(sqrt(x * x + y * y + z * z) - fabs(d[i])) <= 1e-15 * (1 + fabs(d[i])));
    }
  }
  CHECK(counts[0] > 0 && counts[1] > 0 && counts[2] > 0 && counts[3] > 0);

  inpoly_points layouts[4] = {
      {sizeof(inpoly_points), points, N, 0, INPOLY_TYPE_FLOAT64, 0},
      {sizeof(inpoly_points), points, N, 24, INPOLY_TYPE_FLOAT64, 0},
      {sizeof(inpoly_points), strided, N, 40, INPOLY_TYPE_FLOAT64, 0},
      {sizeof(inpoly_points), single, N, 16, INPOLY_TYPE_FLOAT32, 0},
  };
  for (int i = 0; i < 4; i++) {
    static double near_bound[N], barycentric[3 * N], normal[3 * N];
    static int8_t feature[N];
    inpoly_answers a = {sizeof a, side2, w2, wb2, d2, db2, near2, face2, nearest_body, body2, INPOLY_BODY_COUNT, 0, near_bound, barycentric, normal, feature};
    memset(side2, 99, sizeof side2);
    EXPECT(INPOLY_OK, "", inpoly_locate(s, &layouts[i], &a, NULL, NULL));
    CHECK(memcmp(side, side2, N) == 0);
    CHECK(same(w, w2, N) && same(wb, wb2, N) && same(d, d2, N) && same(db, db2, N) && same(near, near2, 3 * N));
    CHECK(memcmp(face, face2, sizeof face) == 0 && memcmp(body, nearest_body, sizeof body) == 0);
    for (int k = 0; k < N; k++) {
      CHECK(side[k] == INPOLY_SIDE_UNKNOWN ? body2[k] == -2 : (body2[k] > 0) == (side[k] > INPOLY_SIDE_OUTSIDE));
      if (face[k] < 0) {
        CHECK(feature[k] == 0 && isnan(normal[3 * k]) && isnan(barycentric[3 * k]) && isinf(near_bound[k]));
        continue;
      }
      const double *n = normal + 3 * k, *c = barycentric + 3 * k;
      CHECK(feature[k] >= INPOLY_FEATURE_VERTEX && feature[k] <= INPOLY_FEATURE_FACE && near_bound[k] >= 0);
      CHECK(fabs(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1) < 1e-4 && fabs(c[0] + c[1] + c[2] - 1) < 1e-12);
      CHECK(feature[k] != INPOLY_FEATURE_FACE || fabs(n[0]) + fabs(n[1]) + fabs(n[2]) < 1 + 1e-4); /* along an axis */
    }
  }

  /* Nothing to do. */
  inpoly_answers none = INPOLY_ANSWERS_INIT;
  inpoly_points empty = INPOLY_POINTS_INIT;
  EXPECT(INPOLY_OK, "", inpoly_sides(s, NULL, 0, NULL));
  EXPECT(-INPOLY_ARGUMENT, "query is NULL", inpoly_side_of(NULL));
  EXPECT(INPOLY_OK, "", inpoly_windings(s, NULL, 0, NULL, NULL));
  EXPECT(INPOLY_OK, "", inpoly_distances(s, NULL, 0, NULL, NULL));
  EXPECT(INPOLY_OK, "", inpoly_nearest(s, NULL, 0, NULL, NULL, NULL));
  EXPECT(INPOLY_OK, "", inpoly_nearest(s, points, N, NULL, NULL, NULL));
  EXPECT(INPOLY_OK, "", inpoly_locate(s, &empty, &none, NULL, NULL));
  EXPECT(INPOLY_OK, "", inpoly_locate(s, &layouts[0], &none, NULL, NULL));

  /* Bad arrays. */
  EXPECT(INPOLY_ARGUMENT, "points is NULL", inpoly_sides(s, NULL, 1, side));
  EXPECT(INPOLY_ARGUMENT, "sides is NULL", inpoly_sides(s, points, 1, NULL));
  EXPECT(INPOLY_ARGUMENT, "winding is NULL", inpoly_windings(s, points, 1, NULL, wb));
  EXPECT(INPOLY_ARGUMENT, "distance is NULL", inpoly_distances(s, points, 1, NULL, db));
  EXPECT(INPOLY_ARGUMENT, "points is misaligned", inpoly_sides(s, MISALIGNED, 1, side));
  EXPECT(INPOLY_ARGUMENT, "winding is misaligned", inpoly_windings(s, points, 1, MISALIGNED, NULL));
  EXPECT(INPOLY_ARGUMENT, "bound is misaligned", inpoly_windings(s, points, 1, w, MISALIGNED));
  EXPECT(INPOLY_ARGUMENT, "distance is misaligned", inpoly_distances(s, points, 1, MISALIGNED, NULL));
  EXPECT(INPOLY_ARGUMENT, "nearest is misaligned", inpoly_nearest(s, points, 1, MISALIGNED, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "face is misaligned", inpoly_nearest(s, points, 1, NULL, MISALIGNED, NULL));
  EXPECT(INPOLY_ARGUMENT, "body is misaligned", inpoly_nearest(s, points, 1, NULL, NULL, MISALIGNED));
  int64_t bad_counts[] = {-1, INT64_MIN, INT64_MAX, INT64_MAX / 24, (int64_t)1 << 60, (int64_t)1 << 44};
  for (int i = 0; i < 6; i++) {
    int64_t n = bad_counts[i];
    EXPECT(INPOLY_ARGUMENT, "points", inpoly_sides(s, points, n, side));
    EXPECT(INPOLY_ARGUMENT, "points", inpoly_windings(s, points, n, w, wb));
    EXPECT(INPOLY_ARGUMENT, "points", inpoly_distances(s, points, n, d, db));
    EXPECT(INPOLY_ARGUMENT, "points", inpoly_nearest(s, points, n, near, face, body));
    inpoly_points p = {sizeof p, points, n, 24, INPOLY_TYPE_FLOAT64, 0};
    EXPECT(INPOLY_ARGUMENT, "points", inpoly_locate(s, &p, &none, NULL, NULL));
  }
  inpoly_points p = layouts[0];
  int64_t strides[] = {-24, 8, 12, 25, 28, INT64_MAX, INT64_MIN, (int64_t)1 << 62};
  for (int i = 0; i < 8; i++) {
    p.stride = strides[i];
    EXPECT(INPOLY_ARGUMENT, "points.data", inpoly_locate(s, &p, &none, NULL, NULL));
  }
  for (int i = -1; i < 9; i++) {
    p = layouts[0];
    p.type = i;
    if (i != INPOLY_TYPE_FLOAT64 && i != INPOLY_TYPE_FLOAT32) {
      EXPECT(INPOLY_ARGUMENT, "type of points.data", inpoly_locate(s, &p, &none, NULL, NULL));
    }
  }
  p = layouts[3];
  p.data = MISALIGNED;
  EXPECT(INPOLY_ARGUMENT, "misaligned", inpoly_locate(s, &p, &none, NULL, NULL));
  p.stride = 14;
  p.data = single;
  EXPECT(INPOLY_ARGUMENT, "stride", inpoly_locate(s, &p, &none, NULL, NULL));
  p = layouts[0];
  p.size = 0;
  EXPECT(INPOLY_ARGUMENT, "size of points", inpoly_locate(s, &p, &none, NULL, NULL));
  p = layouts[0];
  p.reserved = 1;
  EXPECT(INPOLY_ARGUMENT, "reserved of points is 1", inpoly_locate(s, &p, &none, NULL, NULL));
  p = layouts[0];
  p.count = 1;
  p.stride = 8;
  EXPECT(INPOLY_ARGUMENT, "stride", inpoly_locate(s, &p, &none, NULL, NULL));
  none.reserved = 2;
  EXPECT(INPOLY_ARGUMENT, "reserved of answers is 2", inpoly_locate(s, &layouts[0], &none, NULL, NULL));
  none.reserved = 0;
  EXPECT(INPOLY_ARGUMENT, "points is NULL", inpoly_locate(s, NULL, &none, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "answers is NULL", inpoly_locate(s, &layouts[0], NULL, NULL, NULL));
  inpoly_answers a = INPOLY_ANSWERS_INIT;
  a.body_choice = 3;
  EXPECT(INPOLY_ARGUMENT, "body_choice", inpoly_locate(s, &layouts[0], &a, NULL, NULL));
  a.body_choice = -1;
  EXPECT(INPOLY_ARGUMENT, "body_choice", inpoly_locate(s, &layouts[0], &a, NULL, NULL));
  a = (inpoly_answers)INPOLY_ANSWERS_INIT;
  a.nearest_body = MISALIGNED;
  EXPECT(INPOLY_ARGUMENT, "answers.nearest_body is misaligned", inpoly_locate(s, &layouts[0], &a, NULL, NULL));

  /* More rows than an int32 can count. Without arrays for answers, no row is read. */
  p = layouts[0];
  p.count = ((int64_t)1 << 31) + 5;
  EXPECT(INPOLY_OK, "", inpoly_locate(s, &p, &none, NULL, NULL));
  inpoly_free(s);
}

/* Every size that a struct has had is accepted, and a larger multiple of the alignment. All other sizes are
 * refused, with a message that names the possible sizes. */
#define TEST_SIZES(type, older, call) \
  do { \
    union { \
      type known; \
      size_t size; \
      char bytes[sizeof(type) + 64]; \
    } u; \
    type *p = &u.known; \
    for (size_t n = 0; n <= sizeof u.bytes; n++) { \
      memset(&u, 0, sizeof u); \
      u.size = n; \
      const int known = (older != 0 && n == older) || (n >= sizeof(type) && n % sizeof(void *) == 0); \
      const inpoly_status got = call; \
      const int refused = got == INPOLY_ARGUMENT && strstr(inpoly_message(), "size of") != NULL; \
      if (refused == known) { \
        fprintf(stderr, "%s: the size %zu of " #type ": status %d: %s\n", __FILE__, n, got, inpoly_message()); \
        failures++; \
      } \
      CHECK(known || strstr(inpoly_message(), older != 0 ? "in older versions" : "the sizeof of the struct") != NULL); \
    } \
  } while (0)

static inpoly_status find_and_free_hits(inpoly_solid s, const inpoly_lines *lines, inpoly_hit_list *list) {
  const inpoly_status status = inpoly_all_hits(s, lines, list, NULL, NULL);
  if (status == INPOLY_OK) {
    inpoly_free_hit_list(list);
  }
  return status;
}

static inpoly_status find_and_free_intervals(inpoly_solid s, const inpoly_lines *lines, inpoly_interval_list *list) {
  const inpoly_status status = inpoly_intervals(s, 0, lines, 0, list, NULL, NULL);
  if (status == INPOLY_OK) {
    inpoly_free_interval_list(list);
  }
  return status;
}

static void test_sizes(void) {
  inpoly_solid s = open_cube(), other = 0;
  const double c[3] = {0.5, 0.5, 0.5};
  inpoly_points points = INPOLY_POINTS_INIT;
  points.data = c;
  points.count = 1;
  inpoly_answers none = INPOLY_ANSWERS_INIT;
  inpoly_mesh cube = cube_mesh();
  inpoly_lines rays = INPOLY_LINES_INIT, segments = INPOLY_LINES_INIT;
  rays.starts = rays.directions = segments.starts = segments.ends = &points;
  const size_t answers_1 = offsetof(inpoly_answers, nearest_bound), never = 0;
  const size_t intervals_2 = offsetof(inpoly_interval_list, unsampled_count), options_3 = offsetof(inpoly_options, parts);
  TEST_SIZES(inpoly_options, options_3, inpoly_new(&cube, 1, p, &other));
  TEST_SIZES(inpoly_mesh, never, inpoly_new(p, 1, NULL, &other));
  TEST_SIZES(inpoly_points, never, inpoly_locate(s, p, &none, NULL, NULL));
  TEST_SIZES(inpoly_answers, answers_1, inpoly_locate(s, &points, p, NULL, NULL));
  TEST_SIZES(inpoly_info, never, inpoly_describe(s, 0, p));
  TEST_SIZES(inpoly_lines, never, inpoly_first_hits(s, p, &(inpoly_hits)INPOLY_HITS_INIT, NULL, NULL));
  TEST_SIZES(inpoly_hits, never, inpoly_first_hits(s, &rays, p, NULL, NULL));
  TEST_SIZES(inpoly_hit_list, never, find_and_free_hits(s, &rays, p));
  TEST_SIZES(inpoly_interval_list, intervals_2, find_and_free_intervals(s, &segments, p));
  inpoly_free(s);

  /* A list is emptied within the size of its struct. */
  struct {
    inpoly_hit_list list;
    char after[8];
  } old = {INPOLY_HIT_LIST_INIT, "1234567"};
  for (size_t n = 0; n <= sizeof old; n++) {
    memset(&old.list, 1, sizeof old.list);
    old.list.size = n;
    old.list.offsets = NULL;
    inpoly_free_hit_list(&old.list);
    const size_t end = n < sizeof old.list ? n : sizeof old.list;
    for (size_t i = sizeof n; i < sizeof old; i++) {
      const int is_offset = i >= offsetof(inpoly_hit_list, offsets) && i < offsetof(inpoly_hit_list, t);
      const char want = i < end || is_offset ? 0 : i < sizeof old.list ? 1 : old.after[i - sizeof old.list];
      CHECK(((const char *)&old)[i] == want);
    }
    CHECK(old.list.size == n && strcmp(old.after, "1234567") == 0);
  }
}

static void test_texts(void) {
  inpoly_solid s = open_cube();
  char *json = NULL;
  EXPECT(INPOLY_ARGUMENT, "json is NULL", inpoly_report(s, NULL, NULL, NULL));
  EXPECT(INPOLY_ARGUMENT, "json is NULL", inpoly_explain(s, 0, 0, 0, NULL));
  EXPECT(INPOLY_ARGUMENT, "json is misaligned", inpoly_explain(s, 0, 0, 0, MISALIGNED));
  EXPECT(INPOLY_OK, "", inpoly_report(s, &json, NULL, NULL));
  CHECK(json != NULL && json[0] == '{' && strstr(json, "\"triangles\":12") != NULL);
  inpoly_free_string(json);
  double bad[] = {NAN, INFINITY, 1e308, 0.5, 1};
  for (int i = 0; i < 5; i++) {
    json = NULL;
    EXPECT(INPOLY_OK, "", inpoly_explain(s, 0.5, 0.5, bad[i], &json));
    CHECK(json != NULL && json[0] == '[' && strstr(json, "\"because\":\"") != NULL && strstr(json, "\\u00") == NULL);
    inpoly_free_string(json);
  }
  inpoly_free_string(NULL);
  inpoly_free(s);
  const char *version = inpoly_version();
  CHECK(version[0] != 0 && version == inpoly_version());
  CHECK(inpoly_abi_version() == INPOLY_ABI_VERSION);
  CHECK(strcmp(inpoly_status_name(INPOLY_OK), "INPOLY_OK") == 0);
  CHECK(strcmp(inpoly_status_name(-INPOLY_HANDLE), "INPOLY_HANDLE") == 0);
  CHECK(strcmp(inpoly_status_name(INPOLY_FORKED), "INPOLY_FORKED") == 0);
  int32_t unknown[] = {11, -11, INT32_MAX, INT32_MIN};
  for (int i = 0; i < 4; i++) {
    CHECK(strcmp(inpoly_status_name(unknown[i]), "unknown status") == 0);
  }
}

int main(int argc, char **argv) {
  CHECK(inpoly_message()[0] == 0);
  const char *knot = argc > 1 ? argv[1] : "testdata/knot.stl";
  test_handles(knot);
  test_open(knot);
  test_options(knot);
  test_meshes();
  test_layouts();
  test_lines();
  test_shapes();
  test_batches();
  test_sizes();
  test_texts();
  return finish("hostile");
}
