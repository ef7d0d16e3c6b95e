#include "export.h"

#include <string.h>

static _Thread_local char message[4096];

const char *inpoly_message(void) { return message; }

void inpoly_set_message(const char *text, size_t length) {
  if (length >= sizeof message) {
    length = sizeof message - 1;
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) { /* inside a character */
      length--;
    }
  }
  memcpy(message, text, length);
  message[length] = 0;
}

int32_t inpoly_call_progress(inpoly_progress f, void *user, const char *stage, int64_t done, int64_t total) {
  return f(user, stage, done, total);
}

void inpoly_free_string(char *string) { free(string); }
