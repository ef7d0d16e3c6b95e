/* What the library changes in the process that loads it. The first argument names a test. With STATIC, the
 * program contains the library. Otherwise, the second argument is its path. */
#include <dirent.h>
#include <dlfcn.h>
#include <fenv.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static struct {
  inpoly_status (*new_solid)(const inpoly_mesh *, int64_t, const inpoly_options *, inpoly_solid *);
  inpoly_status (*open)(const char *, const inpoly_options *, inpoly_solid *);
  inpoly_status (*locate)(inpoly_solid, const inpoly_points *, const inpoly_answers *, inpoly_progress, void *);
  int32_t (*side)(inpoly_solid, double, double, double);
  inpoly_status (*sides)(inpoly_solid, const double *, int64_t, int8_t *);
  const char *(*version)(void);
} f;

#ifdef STATIC
static void load(const char *path) {
  (void)path;
  f.new_solid = inpoly_new;
  f.open = inpoly_open;
  f.locate = inpoly_locate;
  f.side = inpoly_side;
  f.sides = inpoly_sides;
  f.version = inpoly_version;
  CHECK(inpoly_version()[0] != 0); /* waits for the initialization of Go, which began before main */
}
#else
static void load(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(3);
  }
  *(void **)&f.new_solid = dlsym(library, "inpoly_new");
  *(void **)&f.open = dlsym(library, "inpoly_open");
  *(void **)&f.locate = dlsym(library, "inpoly_locate");
  *(void **)&f.side = dlsym(library, "inpoly_side");
  *(void **)&f.sides = dlsym(library, "inpoly_sides");
  *(void **)&f.version = dlsym(library, "inpoly_version");
}
#endif

static inpoly_solid new_cube(void) {
  inpoly_mesh m = cube_mesh();
  inpoly_solid s = 0;
  CHECK(f.new_solid(&m, 1, NULL, &s) == INPOLY_OK);
  return s;
}

enum { N = 1 << 16, SIGNALS = 64 };
static double points[3 * N];

/* Random points in [-0.5, 1.5)³. */
static void fill_points(void) {
  uint64_t random = 88172645463325252u;
  for (int i = 0; i < 3 * N; i++) {
    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    points[i] = (double)(random >> 11) / (double)((uint64_t)1 << 53) * 2 - 0.5;
  }
}

/* Threads that use the library until stop is set. */
static atomic_int stop, calls;
static inpoly_solid shared;

static void *use(void *unused) {
  static _Thread_local int8_t sides[N];
  for (int n = 1; !atomic_load(&stop); n = n * 5 % N + 1) {
    CHECK(f.sides(shared, points, n, sides) == INPOLY_OK);
    CHECK(f.side(shared, 0.5, 0.5, 0.5) == INPOLY_SIDE_INSIDE);
    atomic_fetch_add(&calls, 1);
  }
  return unused;
}

enum { USERS = 3 };
static pthread_t users[USERS];

static void start_users(void) {
  shared = new_cube();
  for (int i = 0; i < USERS; i++) {
    CHECK(pthread_create(&users[i], NULL, use, NULL) == 0);
  }
}

static void stop_users(void) {
  atomic_store(&stop, 1);
  for (int i = 0; i < USERS; i++) {
    pthread_join(users[i], NULL);
  }
  CHECK(atomic_load(&calls) > USERS);
}

static sigset_t current_mask(void) {
  sigset_t mask;
  CHECK(pthread_sigmask(SIG_SETMASK, NULL, &mask) == 0);
  return mask;
}

static int is_synchronous(int sig) {
  return sig == SIGILL || sig == SIGTRAP || sig == SIGBUS || sig == SIGFPE || sig == SIGSEGV;
}

/* The mask is the one before, apart from signals that the processor raises. */
static void check_mask(const sigset_t *before, const char *when, int with_synchronous) {
  const sigset_t now = current_mask();
  for (int i = 1; i <= SIGNALS; i++) {
    const int want = sigismember(before, i) && !(with_synchronous && is_synchronous(i));
    if (sigismember(&now, i) != want) {
      fprintf(stderr, "%s: signal %d is %sblocked\n", when, i, want ? "not " : "");
      failures++;
    }
  }
}

static atomic_int callbacks;

static int32_t check_mask_in_call(void *user, const char *stage, int64_t done, int64_t total) {
  (void)stage, (void)done, (void)total;
  check_mask(user, "in a callback", 1);
  atomic_fetch_add(&callbacks, 1);
  return 0;
}

enum { MANY = 1 << 20 };
static double many_points[3 * MANY], many[MANY];

/* Makes calls until one lasts long enough for a callback. */
static void call_with_progress(inpoly_progress progress, void *user) {
  inpoly_points p = INPOLY_POINTS_INIT;
  inpoly_answers a = INPOLY_ANSWERS_INIT;
  p.data = many_points;
  p.count = MANY;
  a.distance = many;
  for (int i = 0; i < MANY; i++) {
    memcpy(many_points + 3 * i, points + 3 * (i % N), 3 * sizeof *points);
  }
  atomic_store(&callbacks, 0);
  for (int i = 0; i < 100 && atomic_load(&callbacks) == 0; i++) {
    CHECK(f.locate(shared, &p, &a, progress, user) == INPOLY_OK);
  }
  CHECK(atomic_load(&callbacks) > 0);
}

/* Masks: each thread of the host keeps its own, also those whose first call is in a thread that blocks all
 * signals. Threads of the library block all signals but a few. */
static void *all_blocked(void *unused) {
  sigset_t all;
  sigfillset(&all);
  CHECK(pthread_sigmask(SIG_SETMASK, &all, NULL) == 0);
  all = current_mask();
  for (int i = 0; i < 3; i++) {
    CHECK(f.side(shared, 0.5, 0.5, 0.5) == INPOLY_SIDE_INSIDE);
    check_mask(&all, "after a call with all signals blocked", 1);
  }
  call_with_progress(check_mask_in_call, &all);
  return unused;
}

#ifndef STATIC
static uint64_t blocked_signals(const char *task) {
  char path[64], line[256];
  unsigned long long mask = 0;
  snprintf(path, sizeof path, "/proc/self/task/%.20s/status", task);
  FILE *file = fopen(path, "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    sscanf(line, "SigBlk: %llx", &mask);
  }
  if (file != NULL) {
    fclose(file);
  }
  return mask;
}

static void check_threads(void) {
  /* Go does not block these: see docs/c.md. glibc uses 32 and 33. */
  uint64_t open = 0;
  const int unblocked[] = {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGKILL, SIGSEGV, SIGSTKFLT, SIGCHLD, SIGSTOP, SIGPROF, 32, 33, 34};
  for (size_t i = 0; i < sizeof unblocked / sizeof *unblocked; i++) {
    open |= (uint64_t)1 << (unblocked[i] - 1);
  }
  DIR *folder = opendir("/proc/self/task");
  CHECK(folder != NULL);
  int threads = 0;
  for (struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;) {
    if (e->d_name[0] == '.' || atoi(e->d_name) == getpid()) {
      continue;
    }
    threads++;
    if ((blocked_signals(e->d_name) | open) != UINT64_MAX) {
      fprintf(stderr, "a thread of the library blocks only %llx\n", (unsigned long long)blocked_signals(e->d_name));
      failures++;
    }
  }
  CHECK(threads > 2);
  closedir(folder);
}
#endif

static void test_masks(const char *path) {
  sigset_t before = current_mask();
  load(path);
  check_mask(&before, "after loading", 0);
  shared = new_cube();
  check_mask(&before, "after a call", 0);
#ifndef STATIC
  check_threads();
#endif
  pthread_t t;
  CHECK(pthread_create(&t, NULL, all_blocked, NULL) == 0);
  pthread_join(t, NULL);
  check_mask(&before, "at the end", 0);
}

/* Handlers: those of the host stay. They run on threads of the host only. */
static atomic_int handled, elsewhere;
static _Thread_local int is_host;

static void handle(int sig) {
  (void)sig;
  atomic_fetch_add(is_host ? &handled : &elsewhere, 1);
}

static void check_action(int sig, void (*handler)(int), int flags, const char *when) {
  struct sigaction now;
  CHECK(sigaction(sig, NULL, &now) == 0);
  const int known = SA_NOCLDSTOP | SA_NOCLDWAIT | SA_SIGINFO | SA_ONSTACK | SA_RESTART | SA_NODEFER;
  if (now.sa_handler != handler || ((unsigned)now.sa_flags & (unsigned)known) != (unsigned)flags) {
    fprintf(stderr, "%s: signal %d has another handler, or the flags %x\n", when, sig, (unsigned)now.sa_flags);
    failures++;
  }
}

/* Reports whether a forked child is ended by SIGPIPE. */
static int dies_of_sigpipe(void) {
  int ends[2], status = 0;
  CHECK(pipe(ends) == 0);
  close(ends[0]);
  const pid_t child = fork();
  if (child == 0) {
    const ssize_t n = write(ends[1], "x", 1);
    _exit(n < 0 ? 1 : 2);
  }
  close(ends[1]);
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE;
}

static void test_handlers(const char *path) {
  is_host = 1;
#ifdef STATIC
  load(path);
  const int on_stack = 0; /* the library was loaded before this function installs handlers */
  check_action(SIGURG, SIG_DFL, 0, "in main");
  check_action(SIGPIPE, SIG_DFL, 0, "in main");
#else
  const int on_stack = SA_ONSTACK; /* Go sets it in all handlers */
#endif
  const struct sigaction a = {.sa_handler = handle, .sa_flags = SA_RESTART | (SA_ONSTACK & ~on_stack)};
  CHECK(sigaction(SIGURG, &a, NULL) == 0 && sigaction(SIGUSR1, &a, NULL) == 0);
  const struct sigaction ignore = {.sa_handler = SIG_IGN};
  CHECK(sigaction(SIGUSR2, &ignore, NULL) == 0);
  load(path);
  for (int i = 0; i < 2; i++) {
    check_action(SIGURG, handle, SA_RESTART | SA_ONSTACK, i == 0 ? "after loading" : "after calls");
    check_action(SIGUSR1, handle, SA_RESTART | SA_ONSTACK, i == 0 ? "after loading" : "after calls");
    check_action(SIGUSR2, SIG_IGN, 0, i == 0 ? "after loading" : "after calls");
    check_action(SIGPIPE, SIG_DFL, 0, i == 0 ? "after loading" : "after calls");
    check_action(SIGCHLD, SIG_DFL, 0, i == 0 ? "after loading" : "after calls");
    check_action(SIGPROF, SIG_DFL, 0, i == 0 ? "after loading" : "after calls");
    CHECK(dies_of_sigpipe());
    if (i == 0) {
      sigset_t urgent, before;
      sigemptyset(&urgent);
      sigaddset(&urgent, SIGURG);
      sigaddset(&urgent, SIGUSR1);
      pthread_sigmask(SIG_BLOCK, &urgent, &before); /* only the main thread handles signals */
      start_users();
      pthread_sigmask(SIG_SETMASK, &before, NULL);
      int8_t sides[100];
      for (int k = 0; k < 20000; k++) {
        kill(getpid(), k % 2 == 0 ? SIGURG : SIGUSR1);
        if (k % 16 == 0) {
          CHECK(f.sides(shared, points, 100, sides) == INPOLY_OK);
        }
      }
      stop_users();
#ifdef STATIC
      CHECK(atomic_load(&handled) > 0); /* threads of the library handle signals too */
#else
      CHECK(atomic_load(&handled) == 20000 && atomic_load(&elsewhere) == 0);
#endif
    }
  }
}

/* A latch, as PostgreSQL has it: SIGURG is blocked and read from a signalfd. No wakeup may be lost while
 * threads use the library. */
static atomic_int wanted;

static void *wake(void *unused) {
  for (int sent = 0; !atomic_load(&stop);) {
    if (sent != atomic_load(&wanted)) {
      sent++;
      kill(getpid(), SIGURG);
    }
  }
  return unused;
}

static void test_latch(const char *path) {
  const char *rounds_text = getenv("INPOLY_ROUNDS");
  const int rounds = rounds_text != NULL ? atoi(rounds_text) : 20000;
  sigset_t urgent;
  sigemptyset(&urgent);
  sigaddset(&urgent, SIGURG);
#ifndef BLOCK_LATE
  CHECK(pthread_sigmask(SIG_BLOCK, &urgent, NULL) == 0);
#endif
  load(path);
  CHECK(f.version()[0] != 0);
#ifdef BLOCK_LATE
  CHECK(pthread_sigmask(SIG_BLOCK, &urgent, NULL) == 0);
#endif
  const int fd = signalfd(-1, &urgent, SFD_NONBLOCK);
  CHECK(fd >= 0);
  start_users();
  pthread_t waker;
  CHECK(pthread_create(&waker, NULL, wake, NULL) == 0);
  int lost = 0;
  int8_t sides[100];
  for (int i = 0; i < rounds && lost < 5; i++) {
    atomic_fetch_add(&wanted, 1);
    if (i % 4 == 0) {
      CHECK(f.sides(shared, points, 100, sides) == INPOLY_OK);
    }
    struct pollfd p = {fd, POLLIN, 0};
    struct signalfd_siginfo info;
    if (poll(&p, 1, 3000) != 1 || read(fd, &info, sizeof info) != sizeof info) {
      lost++;
    }
  }
  stop_users();
  pthread_join(waker, NULL);
  if (lost > 0) {
    fprintf(stderr, "%d wakeups were lost\n", lost);
    failures++;
  }
}

/* The limit of open files stays. A program that calls select relies on it. */
static void test_limits(const char *path) {
#ifdef STATIC
  load(path);
#endif
  struct rlimit before, after;
  CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
  before.rlim_cur = before.rlim_max < 1025 ? before.rlim_max / 2 : 1024;
  CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
  load(path);
  CHECK(f.version()[0] != 0);
  new_cube();
  CHECK(getrlimit(RLIMIT_NOFILE, &after) == 0);
  CHECK(after.rlim_cur == before.rlim_cur && after.rlim_max == before.rlim_max);
}

#if defined(__x86_64__)
static unsigned modes(void) { return __builtin_ia32_stmxcsr() & 0xFFC0U; }
static void set_modes(unsigned m) { __builtin_ia32_ldmxcsr(m); }
#else
static unsigned modes(void) { return (unsigned)fegetround(); }
static void set_modes(unsigned m) { fesetround((int)m); }
#endif

static int32_t check_modes(void *user, const char *stage, int64_t done, int64_t total) {
  (void)stage, (void)done, (void)total;
  CHECK(modes() == *(unsigned *)user);
  atomic_fetch_add(&callbacks, 1);
  return 0;
}

/* Prints a number that depends on all bits of the answers. They do not depend on the modes of the host. */
static void test_modes(const char *path, const char *kind, const char *mesh) {
  unsigned host = modes();
  if (strcmp(kind, "up") == 0) {
    fesetround(FE_UPWARD);
    host = modes();
  }
#if defined(__x86_64__)
  if (strcmp(kind, "flush") == 0) {
    host |= 0x8040U; /* subnormal numbers are 0, as after gcc -ffast-math */
  }
#endif
  set_modes(host);
  load(path);
  CHECK(modes() == host);
  CHECK(f.open(mesh, NULL, &shared) == INPOLY_OK);
  static double scaled[3 * N], winding[N], bound[N], distance[N], distance_bound[N], nearest[3 * N];
  static int8_t sides[N];
  for (int i = 0; i < 3 * N; i++) {
    scaled[i] = points[i] * 64 - 32; /* exact in all modes */
  }
  inpoly_points p = INPOLY_POINTS_INIT;
  inpoly_answers a = INPOLY_ANSWERS_INIT;
  p.data = scaled;
  p.count = N;
  a.side = sides;
  a.winding = winding;
  a.winding_bound = bound;
  a.distance = distance;
  a.distance_bound = distance_bound;
  a.nearest = nearest;
  CHECK(f.locate(shared, &p, &a, NULL, NULL) == INPOLY_OK);
  CHECK(modes() == host);
  call_with_progress(check_modes, &host);
  CHECK(modes() == host);
  uint64_t hash = 14695981039346656037u;
  const struct {
    const void *data;
    size_t size;
  } all[] = {{sides, sizeof sides},       {winding, sizeof winding},   {bound, sizeof bound},
             {distance, sizeof distance}, {nearest, sizeof nearest},   {distance_bound, sizeof distance_bound}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    for (size_t k = 0; k < all[i].size; k++) {
      hash = (hash ^ ((const unsigned char *)all[i].data)[k]) * 1099511628211u;
    }
  }
  for (int i = 0; i < N; i += 97) {
    CHECK(f.side(shared, scaled[3 * i], scaled[3 * i + 1], scaled[3 * i + 2]) == sides[i]);
    CHECK(modes() == host);
  }
  fesetround(FE_TONEAREST);
  printf("answers %016llx\n", (unsigned long long)hash);
}

int main(int argc, char **argv) {
  const char *test = argc > 1 ? argv[1] : "", *path = argc > 2 ? argv[2] : "";
  fill_points();
  if (strcmp(test, "masks") == 0) {
    test_masks(path);
  } else if (strcmp(test, "handlers") == 0) {
    test_handlers(path);
  } else if (strcmp(test, "latch") == 0) {
    test_latch(path);
  } else if (strcmp(test, "limits") == 0) {
    test_limits(path);
  } else if (strcmp(test, "modes") == 0 && argc > 4) {
    test_modes(path, argv[3], argv[4]);
  } else {
    return 2;
  }
  return finish(test);
}
