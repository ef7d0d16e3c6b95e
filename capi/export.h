/* Declarations for the Go files of this package. cgo omits "const" in the prototypes of exported
 * functions, which would then contradict inpoly.h. A name for the const type keeps it. */
#ifndef INPOLY_EXPORT_H
#define INPOLY_EXPORT_H

#include <stdlib.h>

#include "inpoly.h"

typedef const char *const_string;
typedef const void *const_pointer;
typedef const double const_double;
typedef const const_string const_path;
typedef const inpoly_options const_options;
typedef const inpoly_mesh const_mesh;
typedef const inpoly_points const_points;
typedef const inpoly_answers const_answers;

/* Sets the text that inpoly_message returns on this thread. It cuts a long text between characters. */
void inpoly_set_message(const char *text, size_t length);

/* Calls f. Go cannot call a pointer to a C function. */
int32_t inpoly_call_progress(inpoly_progress f, void *user, const char *stage, int64_t done, int64_t total);

#endif
