/* The message of the last error of each thread. */
#include "export.h"

#include <stdlib.h>
#include <string.h>

#define MESSAGE_SIZE 4096

/* Returns the buffer of this thread for messages, or NULL if there is no memory. */
static char *message_buffer(void);

#ifdef _WIN32

static char *message_buffer(void) {
  static _Thread_local char buffer[MESSAGE_SIZE];
  return buffer;
}

#else

#include <pthread.h>

/* Not _Thread_local: the Go runtime makes the thread-local variables of a shared library static, and
 * dlopen fails if they need more than a few hundred bytes. */
static pthread_key_t buffer_key;
static int buffer_key_status;
static pthread_once_t buffer_key_once = PTHREAD_ONCE_INIT;

static void create_buffer_key(void) { buffer_key_status = pthread_key_create(&buffer_key, free); }

static char *message_buffer(void) {
  pthread_once(&buffer_key_once, create_buffer_key);
  if (buffer_key_status != 0) {
    return NULL;
  }
  char *buffer = pthread_getspecific(buffer_key);
  if (buffer == NULL && (buffer = calloc(1, MESSAGE_SIZE)) != NULL && pthread_setspecific(buffer_key, buffer) != 0) {
    free(buffer);
    return NULL;
  }
  return buffer;
}

#endif

const char *inpoly_message(void) {
  const char *message = message_buffer();
  return message != NULL ? message : "out of memory";
}

void inpolySetMessage(const char *text, size_t length) {
  char *message = message_buffer();
  if (message == NULL) {
    return;
  }
  if (length >= MESSAGE_SIZE) {
    length = MESSAGE_SIZE - 1;
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) { /* inside a character */
      length--;
    }
  }
  memcpy(message, text, length);
  message[length] = 0;
}
