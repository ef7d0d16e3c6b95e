/* What the library keeps of its host: masks and handlers of signals, and the modes of floating-point
 * arithmetic. */
#ifndef INPOLY_HOST_H
#define INPOLY_HOST_H

#include <stdint.h>

/* Attaches the thread to the Go runtime at its first call. Signals that were blocked stay blocked, except
 * those that the processor raises. */
void inpolyAttach(void);

/* Restores what the initialization of Go has changed: handlers of signals, and the limit of open files, which
 * package os raises to the hard limit. A change that the host has made since then stays. */
void inpolyRestore(void);

/* The modes of floating-point arithmetic of a thread: rounding, subnormal numbers and traps. */
typedef uint64_t inpoly_modes;

/* Sets the modes that Go needs, and returns those of the host. */
inpoly_modes inpolyEnter(void);

/* Sets the modes of the host. */
void inpolyLeave(inpoly_modes host);

/* Sets the modes of the host that called the library last on this thread, for a callback. */
void inpolyEnterHost(void);

#endif
