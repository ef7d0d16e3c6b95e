/* The functions of inpoly.h. They call Go functions with similar names, unless the process was forked
 * after the library was loaded. A Go function would then wait for threads that do not exist. */
#include "export.h"

#include <stdatomic.h>
#include <string.h>

#include "_cgo_export.h"
#include "host.h"

int32_t inpolyCallProgress(inpoly_progress f, void *user, const char *stage, int64_t done, int64_t total) {
  inpolyEnterHost();
  const int32_t result = f(user, stage, done, total);
  inpolyEnter();
  return result;
}

static int forked; /* not 0 in a child process */

#ifndef _WIN32
#include <pthread.h>

static void set_forked(void) { forked = 1; }

__attribute__((constructor)) static void watch_fork(void) { pthread_atfork(NULL, NULL, set_forked); }
#endif

static inpoly_status refuse(void) {
  static const char text[] = "this process was forked after the library was loaded; load the library after the fork";
  inpolySetMessage(text, sizeof text - 1);
  return INPOLY_FORKED;
}

/* Returns the result of a call of Go, or refused in a forked child. */
#define CALL(type, refused, call) \
  do { \
    if (forked) { \
      return refused; \
    } \
    inpolyAttach(); \
    const inpoly_modes host = inpolyEnter(); \
    const type result = call; \
    inpolyLeave(host); \
    return result; \
  } while (0)

int32_t inpoly_abi_version(void) { return INPOLY_ABI_VERSION; }

static _Atomic(const char *) version; /* also tells leak detectors that the string is in use */

void inpolySetVersion(const char *text) { version = text; }

const char *inpoly_version(void) {
  if (version == NULL && !forked) {
    inpolyAttach();
    inpolyStarted(); /* the Go runtime is starting on another thread */
  }
  return version != NULL ? version : "";
}

const char *inpoly_status_name(inpoly_status status) {
  static const char *const names[] = {"INPOLY_OK",     "INPOLY_ARGUMENT", "INPOLY_HANDLE",    "INPOLY_OPTION",
                                      "INPOLY_FILE",   "INPOLY_FORMAT",   "INPOLY_MESH",      "INPOLY_TOO_LARGE",
                                      "INPOLY_CANCELED", "INPOLY_INTERNAL", "INPOLY_FORKED"};
  const int32_t count = (int32_t)(sizeof names / sizeof *names);
  return status > -count && status < count ? names[status < 0 ? -status : status] : "unknown status";
}

inpoly_status inpoly_open(const char *path, const inpoly_options *options, inpoly_solid *solid) {
  CALL(inpoly_status, refuse(), inpolyOpen((char *)path, (inpoly_options *)options, solid));
}

inpoly_status inpoly_open_files(const char *const *paths, int64_t count, const inpoly_options *options,
                                inpoly_solid *solid) {
  CALL(inpoly_status, refuse(), inpolyOpenFiles((char **)paths, count, (inpoly_options *)options, solid));
}

inpoly_status inpoly_read(const char *name, const void *data, int64_t size, const inpoly_options *options,
                          inpoly_solid *solid) {
  CALL(inpoly_status, refuse(), inpolyRead((char *)name, (void *)data, size, (inpoly_options *)options, solid));
}

inpoly_status inpoly_new(const inpoly_mesh *meshes, int64_t count, const inpoly_options *options,
                         inpoly_solid *solid) {
  CALL(inpoly_status, refuse(), inpolyNew((inpoly_mesh *)meshes, count, (inpoly_options *)options, solid));
}

void inpoly_free(inpoly_solid solid) {
  if (!forked) {
    inpolyAttach();
    const inpoly_modes host = inpolyEnter();
    inpolyFree(solid);
    inpolyLeave(host);
  }
}

int32_t inpoly_side(inpoly_solid solid, double x, double y, double z) {
  CALL(int32_t, -refuse(), inpolySide(solid, x, y, z));
}

int32_t inpoly_side_of(const inpoly_query *query) {
  CALL(int32_t, -refuse(), inpolySideOf((inpoly_query *)query));
}

inpoly_status inpoly_sides(inpoly_solid solid, const double *points, int64_t n, int8_t *sides) {
  CALL(inpoly_status, refuse(), inpolySides(solid, (double *)points, n, sides));
}

inpoly_status inpoly_windings(inpoly_solid solid, const double *points, int64_t n, double *winding,
                              double *bound) {
  CALL(inpoly_status, refuse(), inpolyWindings(solid, (double *)points, n, winding, bound));
}

inpoly_status inpoly_distances(inpoly_solid solid, const double *points, int64_t n, double *distance,
                               double *bound) {
  CALL(inpoly_status, refuse(), inpolyDistances(solid, (double *)points, n, distance, bound));
}

inpoly_status inpoly_nearest(inpoly_solid solid, const double *points, int64_t n, double *nearest,
                             int32_t *face, int32_t *body) {
  CALL(inpoly_status, refuse(), inpolyNearest(solid, (double *)points, n, nearest, face, body));
}

inpoly_status inpoly_locate(inpoly_solid solid, const inpoly_points *points, const inpoly_answers *answers,
                            inpoly_progress progress, void *user) {
  CALL(inpoly_status, refuse(), inpolyLocate(solid, (inpoly_points *)points, (inpoly_answers *)answers, progress,
       user));
}

inpoly_status inpoly_describe(inpoly_solid solid, int64_t index, inpoly_info *info) {
  CALL(inpoly_status, refuse(), inpolyDescribe(solid, index, info));
}

inpoly_status inpoly_mesh_copy(inpoly_solid solid, int64_t index, double *vertices, int32_t *faces) {
  CALL(inpoly_status, refuse(), inpolyMeshCopy(solid, index, vertices, faces));
}

inpoly_status inpoly_report(inpoly_solid solid, char **json, inpoly_progress progress, void *user) {
  CALL(inpoly_status, refuse(), inpolyReport(solid, json, progress, user));
}

inpoly_status inpoly_explain(inpoly_solid solid, double x, double y, double z, char **json) {
  CALL(inpoly_status, refuse(), inpolyExplain(solid, x, y, z, json));
}

inpoly_status inpoly_first_hits(inpoly_solid solid, const inpoly_lines *lines, const inpoly_hits *hits,
                                inpoly_progress progress, void *user) {
  CALL(inpoly_status, refuse(), inpolyFirstHits(solid, (inpoly_lines *)lines, (inpoly_hits *)hits, progress, user));
}

inpoly_status inpoly_any_hits(inpoly_solid solid, const inpoly_lines *lines, int8_t *met, inpoly_progress progress,
                              void *user) {
  CALL(inpoly_status, refuse(), inpolyAnyHits(solid, (inpoly_lines *)lines, met, progress, user));
}

inpoly_status inpoly_all_hits(inpoly_solid solid, const inpoly_lines *lines, inpoly_hit_list *list,
                              inpoly_progress progress, void *user) {
  CALL(inpoly_status, refuse(), inpolyAllHits(solid, (inpoly_lines *)lines, list, progress, user));
}

/* Sets the fields of a struct to 0, except the size, which is the first. A struct of an older version has
 * fewer fields than known bytes. */
static void clear_fields(void *list, size_t known) {
  const size_t size = *(const size_t *)list;
  const size_t end = size < known ? size : known;
  if (end > sizeof size) {
    memset((char *)list + sizeof size, 0, end - sizeof size);
  }
}

/* All arrays of a list are one block of memory, which begins with the offsets. */
void inpoly_free_hit_list(inpoly_hit_list *list) {
  if (list != NULL) {
    free(list->offsets);
    clear_fields(list, sizeof *list);
  }
}

inpoly_status inpoly_intervals(inpoly_solid solid, int64_t index, const inpoly_lines *segments, double step,
                               inpoly_interval_list *list, inpoly_progress progress, void *user) {
  CALL(inpoly_status, refuse(), inpolyIntervals(solid, index, (inpoly_lines *)segments, step, list, progress,
       user));
}

inpoly_status inpoly_polyline_intervals(inpoly_solid solid, int64_t index, const inpoly_points *points,
                                        const int64_t *offsets, int64_t count, double step,
                                        inpoly_interval_list *list, inpoly_progress progress, void *user) {
  CALL(inpoly_status, refuse(), inpolyPolylineIntervals(solid, index, (inpoly_points *)points,
       (int64_t *)offsets, count, step, list, progress, user));
}

void inpoly_free_interval_list(inpoly_interval_list *list) {
  if (list != NULL) {
    free(list->offsets);
    clear_fields(list, sizeof *list);
  }
}

inpoly_status inpoly_sections(inpoly_solid solid, int64_t index, const double *planes, int64_t count,
                              const char *format, const char *unit, char **text, inpoly_progress progress,
                              void *user) {
  CALL(inpoly_status, refuse(), inpolySections(solid, index, (double *)planes, count, (char *)format,
       (char *)unit, text, progress, user));
}

inpoly_status inpoly_measure(inpoly_solid solid, int64_t index, const char *by, double density, char **json,
                             inpoly_progress progress, void *user) {
  CALL(inpoly_status, refuse(), inpolyMeasure(solid, index, (char *)by, density, json, progress, user));
}

inpoly_status inpoly_pose_from_matrix(const double *m, const double *t, inpoly_pose *pose) {
  CALL(inpoly_status, refuse(), inpolyPoseFromMatrix((double *)m, (double *)t, pose));
}

inpoly_status inpoly_at(inpoly_solid solid, const inpoly_pose *poses, int64_t count, inpoly_solid *posed) {
  CALL(inpoly_status, refuse(), inpolyAt(solid, (inpoly_pose *)poses, count, posed));
}

inpoly_status inpoly_unposed(inpoly_solid solid, inpoly_solid *unposed) {
  CALL(inpoly_status, refuse(), inpolyUnposed(solid, unposed));
}

inpoly_status inpoly_refit(inpoly_solid solid, const double *vertices, int64_t count, inpoly_progress progress,
                           void *user, inpoly_solid *refitted) {
  CALL(inpoly_status, refuse(), inpolyRefit(solid, (double *)vertices, count, progress, user, refitted));
}

inpoly_status inpoly_poses(inpoly_solid solid, inpoly_pose *poses, int64_t count) {
  CALL(inpoly_status, refuse(), inpolyPoses(solid, poses, count));
}

void inpoly_free_string(char *string) { free(string); }
