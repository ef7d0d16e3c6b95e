/* Keeps the signals and the floating-point modes of the host as they are. docs/c.md says what holds. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include "host.h"

#include <stddef.h>

#include "_cgo_export.h"

/* The control bits of the floating-point unit, and their values in Go: round to nearest, keep subnormal
 * numbers, no traps. Exact answers rely on them. The status flags of MXCSR are not control bits. */
#if defined(__x86_64__)
#define CONTROL_BITS 0xFFC0u
#define GO_MODES 0x1F80u
static inline inpoly_modes get_modes(void) {
  uint32_t v;
  __asm__ volatile("stmxcsr %0" : "=m"(v));
  return v;
}
static inline void set_modes(inpoly_modes modes) {
  const uint32_t v = (uint32_t)modes;
  __asm__ volatile("ldmxcsr %0" : : "m"(v));
}
#elif defined(__aarch64__)
#define CONTROL_BITS (~(inpoly_modes)0)
#define GO_MODES 0u
static inline inpoly_modes get_modes(void) {
  inpoly_modes v;
  __asm__ volatile("mrs %0, fpcr" : "=r"(v));
  return v;
}
static inline void set_modes(inpoly_modes modes) { __asm__ volatile("msr fpcr, %0" : : "r"(modes)); }
#else
#define CONTROL_BITS 0u
#define GO_MODES 0u
static inline inpoly_modes get_modes(void) { return 0; }
static inline void set_modes(inpoly_modes modes) { (void)modes; }
#endif

static _Thread_local inpoly_modes host_modes;

static inline void change_modes(inpoly_modes from, inpoly_modes to) {
  if (((from ^ to) & CONTROL_BITS) != 0) { /* a write is slower than a read */
    set_modes(to);
  }
}

inpoly_modes inpolyEnter(void) {
  host_modes = get_modes();
  change_modes(host_modes, GO_MODES);
  return host_modes;
}

void inpolyLeave(inpoly_modes host) { change_modes(GO_MODES, host); }

void inpolyEnterHost(void) { change_modes(GO_MODES, host_modes); }

#ifdef _WIN32

void inpolyAttach(void) {}
void inpolyRestore(void) {}

#else

#include <pthread.h>
#include <signal.h>

static _Thread_local int attached;

/* Signals that the processor raises. Go turns them into panics, which become INPOLY_INTERNAL. */
static void remove_synchronous(sigset_t *set) {
  static const int synchronous[] = {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV};
  for (size_t i = 0; i < sizeof synchronous / sizeof *synchronous; i++) {
    sigdelset(set, synchronous[i]);
  }
}

/* The first call of a thread makes the Go runtime unblock some signals, also asynchronous ones, until the
 * thread ends. So it is a call that does nothing, and the mask is set again after it. */
void inpolyAttach(void) {
  if (attached) {
    return;
  }
  attached = 1;
  sigset_t mask;
  if (pthread_sigmask(SIG_SETMASK, NULL, &mask) != 0) {
    return;
  }
  inpolyStarted();
  remove_synchronous(&mask);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

#ifdef __ELF__

#include <link.h>
#include <sys/resource.h>

/* The Go runtime starts in a constructor without a priority, on the thread that loads the library. It takes
 * over SIGURG and SIGPIPE, and its threads have the mask and the modes of this thread. So the constructor
 * before_go, which has a priority and runs earlier, blocks all signals. after_go, which the linker places
 * behind the constructor of Go, restores everything. */
static const int taken[] = {SIGURG, SIGPIPE};
enum { TAKEN = sizeof taken / sizeof *taken };
static struct sigaction actions[TAKEN];
static sigset_t mask_before;
static int is_blocked;
static inpoly_modes modes_before;
static struct rlimit files_before;

/* Reports whether the first object, which is the program, contains the address at data. */
static int is_inside(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size;
  const uintptr_t at = (uintptr_t)data;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const uintptr_t start = (uintptr_t)object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
    if (object->dlpi_phdr[i].p_type == PT_LOAD && at - start < object->dlpi_phdr[i].p_memsz) {
      return 1;
    }
  }
  return -1; /* do not look at other objects */
}

__attribute__((constructor(101))) static void before_go(void) {
  for (int i = 0; i < TAKEN; i++) {
    sigaction(taken[i], NULL, &actions[i]);
  }
  getrlimit(RLIMIT_NOFILE, &files_before);
  modes_before = get_modes();
  change_modes(modes_before, GO_MODES);
  /* In a program with the static library, constructors of the program can run before after_go. They
   * must not see blocked signals. */
  if (dl_iterate_phdr(is_inside, (void *)&is_blocked) != 1) {
    sigset_t all;
    sigfillset(&all);
    is_blocked = pthread_sigmask(SIG_SETMASK, &all, &mask_before) == 0;
  }
}

/* Restores the handlers that the Go runtime has replaced. It has one handler for all signals. */
static void restore_actions(void) {
  struct sigaction fault, urgent, now;
  sigaction(SIGSEGV, NULL, &fault);
  sigaction(SIGURG, NULL, &urgent);
  if (urgent.sa_handler != fault.sa_handler) {
    return; /* of the host */
  }
  for (int i = 0; i < TAKEN; i++) {
    sigaction(taken[i], NULL, &now);
    if (now.sa_handler == fault.sa_handler && now.sa_handler != actions[i].sa_handler) {
      if (actions[i].sa_handler != SIG_DFL && actions[i].sa_handler != SIG_IGN) {
        actions[i].sa_flags |= SA_ONSTACK; /* the stack of a goroutine is too small for a handler */
      }
      sigaction(taken[i], &actions[i], NULL);
    }
  }
}

__attribute__((constructor)) static void after_go(void) {
  restore_actions();
  if (is_blocked) {
    pthread_sigmask(SIG_SETMASK, &mask_before, NULL);
  }
  change_modes(GO_MODES, modes_before);
}

void inpolyRestore(void) {
  restore_actions(); /* a linker can place after_go of the static library before the constructor of Go */
  struct rlimit now;
  if (files_before.rlim_max != 0 && getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_max == files_before.rlim_max &&
      now.rlim_max - now.rlim_cur <= 1) { /* Go raises it to the hard limit, or to one less */
    setrlimit(RLIMIT_NOFILE, &files_before);
  }
}

#else

void inpolyRestore(void) {}

#endif
#endif
