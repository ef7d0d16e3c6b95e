/* Functions that the Go files of this package call. */
#ifndef INPOLY_EXPORT_H
#define INPOLY_EXPORT_H

#include <stdlib.h>

#include "inpoly.h"

/* Sets the text that inpoly_message returns on this thread. It cuts a long text between characters. */
void inpolySetMessage(const char *text, size_t length);

/* Sets the text that inpoly_version returns, which must be static. */
void inpolySetVersion(const char *text);

/* Calls f. Go cannot call a pointer to a C function. */
int32_t inpolyCallProgress(inpoly_progress f, void *user, const char *stage, int64_t done, int64_t total);

#endif
