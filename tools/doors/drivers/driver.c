/* The driver of the C library: driver JOB ANSWERS; package job describes both files. */
#include <inpoly.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *what, const char *detail) {
  fprintf(stderr, "driver: %s: %s\n", what, detail);
  exit(1);
}

static void *take(size_t bytes) {
  void *memory = malloc(bytes + 1); /* so that an empty file has memory */
  if (memory == NULL)
    fail("malloc", "no memory");
  return memory;
}

/* Returns the content of a file. */
static void *slurp(const char *path, size_t *size) {
  FILE *f = fopen(path, "rb");
  if (f == NULL || fseek(f, 0, SEEK_END) != 0)
    fail(path, "cannot be read");
  *size = (size_t)ftell(f);
  rewind(f);
  char *data = take(*size);
  if (fread(data, 1, *size, f) != *size)
    fail(path, "cannot be read");
  fclose(f);
  data[*size] = 0;
  return data;
}

static int ends(const char *text, const char *suffix) {
  size_t n = strlen(text), m = strlen(suffix);
  return n >= m && strcmp(text + n - m, suffix) == 0;
}

static FILE *out;

static void put(const void *data, size_t size, int64_t count) {
  if (fwrite(data, size, (size_t)count, out) != (size_t)count)
    fail("answers", "cannot be written");
}

/* The solid and the points of the last steps open and points. */
static inpoly_solid solid;
static inpoly_points points;

/* Builds a solid from files of vertices and faces. */
static inpoly_status new_solid(char **sources, int count, const inpoly_options *options) {
  inpoly_mesh *meshes = take(sizeof(inpoly_mesh) * (size_t)count);
  int n = 0;
  for (int i = 0; i + 1 < count; i += 2) {
    size_t size;
    inpoly_mesh m = {.size = sizeof m};
    m.vertices = slurp(sources[i], &size);
    m.vertex_type = ends(sources[i], ".f32") ? INPOLY_TYPE_FLOAT32 : INPOLY_TYPE_FLOAT64;
    m.vertex_count = (int64_t)(size / (m.vertex_type == INPOLY_TYPE_FLOAT32 ? 12 : 24));
    if (strcmp(sources[i + 1], "-") != 0) {
      m.faces = slurp(sources[i + 1], &size);
      m.face_type = ends(sources[i + 1], ".i32") ? INPOLY_TYPE_INT32 : INPOLY_TYPE_UINT32;
      m.face_count = (int64_t)(size / 12);
    }
    meshes[n++] = m;
  }
  inpoly_status status = inpoly_new(meshes, n, options, &solid);
  for (int i = 0; i < n; i++) {
    free((void *)meshes[i].vertices);
    free((void *)meshes[i].faces);
  }
  free(meshes);
  return status;
}

static void open_solid(char **args, int count) {
  if (count < 9)
    fail("open", "too few arguments");
  inpoly_options o = INPOLY_OPTIONS_INIT;
  o.method = args[1];
  o.rule = args[2];
  o.orient = args[3];
  o.tolerance = strtod(args[4], NULL);
  o.epsilon = strtod(args[5], NULL);
  o.workers = atoi(args[6]);
  o.split_bodies = atoi(args[7]);
  char **sources = args + 8;
  inpoly_status status;
  inpoly_free(solid);
  solid = 0;
  if (strcmp(args[0], "arrays") == 0) {
    status = new_solid(sources, count - 8, &o);
  } else if (strcmp(args[0], "memory") == 0) {
    size_t size;
    void *data = slurp(sources[0], &size);
    status = inpoly_read(sources[0], data, (int64_t)size, &o, &solid);
    free(data);
  } else if (count == 9) {
    status = inpoly_open(sources[0], &o, &solid);
  } else {
    status = inpoly_open_files((const char *const *)sources, count - 8, &o, &solid);
  }
  if (status != INPOLY_OK) {
    solid = 0;
    fprintf(stderr, "driver: %s\n", inpoly_message());
  }
  put(&status, sizeof status, 1);
}

static void load_points(const char *path) {
  size_t size;
  free((void *)points.data);
  points = (inpoly_points){.size = sizeof points, .data = slurp(path, &size)};
  points.type = ends(path, ".f32") ? INPOLY_TYPE_FLOAT32 : INPOLY_TYPE_FLOAT64;
  points.count = (int64_t)(size / (points.type == INPOLY_TYPE_FLOAT32 ? 12 : 24));
}

static void check(inpoly_status status) {
  if (status != INPOLY_OK)
    fail("status", inpoly_message());
}

/* Replaces the solids by the same solids at the poses of a file. */
static void move_solid(const char *path) {
  size_t size;
  inpoly_pose *poses = slurp(path, &size);
  inpoly_solid posed;
  check(inpoly_at(solid, poses, (int64_t)(size / sizeof *poses), &posed));
  free(poses);
  inpoly_free(solid);
  solid = posed;
}

static int32_t choice_of(const char *name) {
  return strcmp(name, "innermost") == 0 ? INPOLY_BODY_INNERMOST : strcmp(name, "count") == 0 ? INPOLY_BODY_COUNT : INPOLY_BODY_FIRST;
}

/* Writes the first hits of the segments from each point to the next, and from the last to the first. */
static void first_hits(void) {
  size_t n = (size_t)points.count, size = points.type == INPOLY_TYPE_FLOAT64 ? 24 : 12;
  char *moved = take(n * size);
  if (n > 0) {
    memcpy(moved, (const char *)points.data + size, (n - 1) * size);
    memcpy(moved + (n - 1) * size, points.data, size);
  }
  inpoly_points ends = points;
  ends.data = moved;
  inpoly_lines lines = {.size = sizeof lines, .starts = &points, .ends = &ends};
  double *t = take(sizeof(double) * 2 * n);
  int32_t *face = take(sizeof(int32_t) * 2 * n);
  int8_t *sign = take(2 * n);
  inpoly_hits hits = {.size = sizeof hits, .t = t, .bound = t + n, .face = face, .body = face + n, .sign = sign, .jump = sign + n};
  check(inpoly_first_hits(solid, &lines, &hits, NULL, NULL));
  put(t, sizeof(double), 2 * points.count);
  put(face, sizeof(int32_t), 2 * points.count);
  put(sign, 1, 2 * points.count);
  free(moved);
  free(t);
  free(face);
  free(sign);
}

/* Asks for the answers of a step. Points of float32 go through inpoly_locate. */
static void answer(const char *step, char **args) {
  int64_t n = points.count;
  const double *p = points.type == INPOLY_TYPE_FLOAT64 ? points.data : NULL;
  inpoly_answers all = INPOLY_ANSWERS_INIT;
  size_t count = (size_t)n;
  int8_t *side = take(count);
  double *numbers = take(sizeof(double) * 7 * count), *winding = numbers, *bound = numbers + n, *distance = bound + n,
         *distance_bound = distance + n, *nearest = distance_bound + n;
  int32_t *indexes = take(sizeof(int32_t) * 3 * count), *face = indexes, *nearest_body = indexes + n, *body = nearest_body + n;
  if (strcmp(step, "single") == 0) {
    int64_t k = atoll(args[0]);
    for (int64_t i = 0; i < k; i++)
      side[i] = (int8_t)(p != NULL ? inpoly_side(solid, p[3 * i], p[3 * i + 1], p[3 * i + 2])
                                   : inpoly_side(solid, ((const float *)points.data)[3 * i],
                                                 ((const float *)points.data)[3 * i + 1], ((const float *)points.data)[3 * i + 2]));
    put(side, 1, k);
  } else if (strcmp(step, "sides") == 0) {
    all.side = side;
    check(p != NULL ? inpoly_sides(solid, p, n, side) : inpoly_locate(solid, &points, &all, NULL, NULL));
    put(side, 1, n);
  } else if (strcmp(step, "windings") == 0) {
    all.winding = winding;
    all.winding_bound = bound;
    check(p != NULL ? inpoly_windings(solid, p, n, winding, bound) : inpoly_locate(solid, &points, &all, NULL, NULL));
    put(winding, sizeof(double), n);
    put(bound, sizeof(double), n);
  } else if (strcmp(step, "distances") == 0) {
    all.distance = distance;
    all.distance_bound = distance_bound;
    check(p != NULL ? inpoly_distances(solid, p, n, distance, distance_bound) : inpoly_locate(solid, &points, &all, NULL, NULL));
    put(distance, sizeof(double), n);
    put(distance_bound, sizeof(double), n);
  } else if (strcmp(step, "nearest") == 0) {
    all.nearest = nearest;
    all.face = face;
    all.nearest_body = nearest_body;
    check(p != NULL ? inpoly_nearest(solid, p, n, nearest, face, nearest_body) : inpoly_locate(solid, &points, &all, NULL, NULL));
    put(nearest, sizeof(double), 3 * n);
    put(face, sizeof(int32_t), n);
    put(nearest_body, sizeof(int32_t), n);
  } else if (strcmp(step, "hits") == 0) {
    first_hits();
  } else if (strcmp(step, "locate") == 0) {
    all = (inpoly_answers){.size = sizeof all, .side = side, .winding = winding, .winding_bound = bound,
                           .distance = distance, .distance_bound = distance_bound, .nearest = nearest, .face = face,
                           .nearest_body = nearest_body, .body = body, .body_choice = choice_of(args[0])};
    check(inpoly_locate(solid, &points, &all, NULL, NULL));
    put(side, 1, n);
    put(numbers, sizeof(double), 7 * n);
    put(indexes, sizeof(int32_t), 3 * n);
  } else {
    fail(step, "no such step");
  }
  free(side);
  free(numbers);
  free(indexes);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: driver JOB ANSWERS\n");
    return 2;
  }
  size_t size;
  char *text = slurp(argv[1], &size);
  out = fopen(argv[2], "wb");
  if (out == NULL)
    fail(argv[2], "cannot be written");
  for (char *line = text, *next; *line != 0; line = next) {
    next = line + strcspn(line, "\n");
    if (*next != 0)
      *next++ = 0;
    char *words[64];
    int count = 0;
    for (char *word = line, *end; word != NULL && count < 64; word = end) {
      end = strchr(word, '\t');
      if (end != NULL)
        *end++ = 0;
      words[count++] = word;
    }
    if (strcmp(words[0], "open") == 0)
      open_solid(words + 1, count - 1);
    else if (strcmp(words[0], "pose") == 0)
      for (int i = 1; i < count && solid != 0; i++)
        move_solid(words[i]);
    else if (strcmp(words[0], "points") == 0)
      load_points(words[1]);
    else if (solid != 0)
      answer(words[0], words + 1);
  }
  inpoly_free(solid);
  free((void *)points.data);
  free(text);
  if (fclose(out) != 0)
    fail(argv[2], "cannot be written");
  return 0;
}
