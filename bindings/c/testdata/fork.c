/* Fork before and after the library is loaded. The first argument is the path of the library. */
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* The functions that the test uses, loaded by hand. */
typedef struct {
  inpoly_status (*new_solid)(const inpoly_mesh *, int64_t, const inpoly_options *, inpoly_solid *);
  inpoly_status (*sides)(inpoly_solid, const double *, int64_t, int8_t *);
  int32_t (*side)(inpoly_solid, double, double, double);
  void (*free_solid)(inpoly_solid);
  const char *(*message)(void);
  const char *(*version)(void);
} functions;

static void load(const char *path, functions *f) {
  void *library = dlopen(path, RTLD_NOW);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(3);
  }
  *(void **)&f->new_solid = dlsym(library, "inpoly_new");
  *(void **)&f->sides = dlsym(library, "inpoly_sides");
  *(void **)&f->side = dlsym(library, "inpoly_side");
  *(void **)&f->free_solid = dlsym(library, "inpoly_free");
  *(void **)&f->message = dlsym(library, "inpoly_message");
  *(void **)&f->version = dlsym(library, "inpoly_version");
}

enum { N = 50000 };
static double points[3 * N];
static int8_t sides[N];

static inpoly_solid compute(const functions *f) {
  inpoly_mesh m = cube_mesh();
  inpoly_solid s = 0;
  CHECK(f->new_solid(&m, 1, NULL, &s) == INPOLY_OK);
  CHECK(f->sides(s, points, N, sides) == INPOLY_OK);
  int inside = 0;
  for (int i = 0; i < N; i++) {
    inside += sides[i] == INPOLY_SIDE_INSIDE;
  }
  CHECK(inside == N / 2 - 1);
  return s;
}

/* Waits for a child and checks that it succeeded within ten seconds. */
static void await(pid_t child, const char *what) {
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fprintf(stderr, "%s: the child ended with the wait status %d\n", what, status);
    failures++;
  }
}

int main(int argc, char **argv) {
  if (argc < 2) {
    return 2;
  }
  if (argc > 2) { /* run by exec in a child */
    return 0;
  }
  for (int i = 0; i < N; i++) {
    points[3 * i] = points[3 * i + 1] = points[3 * i + 2] = (double)i / N * 2;
  }
  functions f;
  pid_t before[3]; /* as a server does that forks its workers first */
  for (int i = 0; i < 3; i++) {
    if ((before[i] = fork()) == 0) {
      alarm(60);
      load(argv[1], &f);
      f.free_solid(compute(&f));
      _exit(failures != 0);
    }
  }
  for (int i = 0; i < 3; i++) {
    await(before[i], "fork before the library is loaded");
  }
  load(argv[1], &f);
  inpoly_solid s = compute(&f);
  pid_t after = fork();
  if (after == 0) {
    alarm(10);
    inpoly_mesh m = cube_mesh();
    inpoly_solid other = 0;
    CHECK(f.sides(s, points, N, sides) == INPOLY_FORKED);
    CHECK(strstr(f.message(), "fork") != NULL);
    CHECK(f.side(s, 0, 0, 0) == -INPOLY_FORKED);
    CHECK(f.new_solid(&m, 1, NULL, &other) == INPOLY_FORKED && other == 0);
    CHECK(f.version()[0] != 0); /* also if the parent has not asked for it */
    f.free_solid(s);
    _exit(failures != 0);
  }
  await(after, "fork after the library is loaded");
  pid_t program = fork();
  if (program == 0) {
    alarm(10);
    execl(argv[0], argv[0], argv[1], "exec", (char *)NULL);
    _exit(1);
  }
  await(program, "exec in a child");
  CHECK(f.side(s, 0.5, 0.5, 0.5) == INPOLY_SIDE_INSIDE); /* the parent is not affected */
  f.free_solid(s);
  return failures != 0;
}
