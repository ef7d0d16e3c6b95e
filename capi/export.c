/* The functions of inpoly.h. They call Go functions with similar names, unless the process was forked
 * after the library was loaded. A Go function would then wait for threads that do not exist. */
#include "export.h"

#include <stdatomic.h>

#include "_cgo_export.h"

int32_t inpolyCallProgress(inpoly_progress f, void *user, const char *stage, int64_t done, int64_t total) {
  return f(user, stage, done, total);
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

int32_t inpoly_abi_version(void) { return INPOLY_ABI_VERSION; }

static _Atomic(const char *) version; /* also tells leak detectors that the string is in use */

void inpolySetVersion(const char *text) { version = text; }

const char *inpoly_version(void) {
  if (version == NULL && !forked) {
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
  return forked ? refuse() : inpolyOpen((char *)path, (inpoly_options *)options, solid);
}

inpoly_status inpoly_open_files(const char *const *paths, int64_t count, const inpoly_options *options,
                                inpoly_solid *solid) {
  return forked ? refuse() : inpolyOpenFiles((char **)paths, count, (inpoly_options *)options, solid);
}

inpoly_status inpoly_read(const char *name, const void *data, int64_t size, const inpoly_options *options,
                          inpoly_solid *solid) {
  return forked ? refuse() : inpolyRead((char *)name, (void *)data, size, (inpoly_options *)options, solid);
}

inpoly_status inpoly_new(const inpoly_mesh *meshes, int64_t count, const inpoly_options *options,
                         inpoly_solid *solid) {
  return forked ? refuse() : inpolyNew((inpoly_mesh *)meshes, count, (inpoly_options *)options, solid);
}

void inpoly_free(inpoly_solid solid) {
  if (!forked) {
    inpolyFree(solid);
  }
}

int32_t inpoly_side(inpoly_solid solid, double x, double y, double z) {
  return forked ? -refuse() : inpolySide(solid, x, y, z);
}

inpoly_status inpoly_sides(inpoly_solid solid, const double *points, int64_t n, int8_t *sides) {
  return forked ? refuse() : inpolySides(solid, (double *)points, n, sides);
}

inpoly_status inpoly_windings(inpoly_solid solid, const double *points, int64_t n, double *winding,
                              double *bound) {
  return forked ? refuse() : inpolyWindings(solid, (double *)points, n, winding, bound);
}

inpoly_status inpoly_distances(inpoly_solid solid, const double *points, int64_t n, double *distance,
                               double *bound) {
  return forked ? refuse() : inpolyDistances(solid, (double *)points, n, distance, bound);
}

inpoly_status inpoly_nearest(inpoly_solid solid, const double *points, int64_t n, double *nearest,
                             int32_t *face, int32_t *body) {
  return forked ? refuse() : inpolyNearest(solid, (double *)points, n, nearest, face, body);
}

inpoly_status inpoly_locate(inpoly_solid solid, const inpoly_points *points, const inpoly_answers *answers,
                            inpoly_progress progress, void *user) {
  return forked ? refuse()
                : inpolyLocate(solid, (inpoly_points *)points, (inpoly_answers *)answers, progress, user);
}

inpoly_status inpoly_describe(inpoly_solid solid, int64_t index, inpoly_info *info) {
  return forked ? refuse() : inpolyDescribe(solid, index, info);
}

inpoly_status inpoly_mesh_copy(inpoly_solid solid, int64_t index, double *vertices, int32_t *faces) {
  return forked ? refuse() : inpolyMeshCopy(solid, index, vertices, faces);
}

inpoly_status inpoly_report(inpoly_solid solid, char **json, inpoly_progress progress, void *user) {
  return forked ? refuse() : inpolyReport(solid, json, progress, user);
}

inpoly_status inpoly_explain(inpoly_solid solid, double x, double y, double z, char **json) {
  return forked ? refuse() : inpolyExplain(solid, x, y, z, json);
}

inpoly_status inpoly_first_hits(inpoly_solid solid, const inpoly_lines *lines, const inpoly_hits *hits,
                                inpoly_progress progress, void *user) {
  return forked ? refuse() : inpolyFirstHits(solid, (inpoly_lines *)lines, (inpoly_hits *)hits, progress, user);
}

inpoly_status inpoly_any_hits(inpoly_solid solid, const inpoly_lines *lines, int8_t *met, inpoly_progress progress,
                              void *user) {
  return forked ? refuse() : inpolyAnyHits(solid, (inpoly_lines *)lines, met, progress, user);
}

inpoly_status inpoly_all_hits(inpoly_solid solid, const inpoly_lines *lines, inpoly_hit_list *list,
                              inpoly_progress progress, void *user) {
  return forked ? refuse() : inpolyAllHits(solid, (inpoly_lines *)lines, list, progress, user);
}

/* All arrays of a list are one block of memory, which begins with the offsets. */
void inpoly_free_hit_list(inpoly_hit_list *list) {
  if (list != NULL) {
    free(list->offsets);
    *list = (inpoly_hit_list){.size = list->size};
  }
}

inpoly_status inpoly_intervals(inpoly_solid solid, int64_t index, const inpoly_lines *segments, double step,
                               inpoly_interval_list *list, inpoly_progress progress, void *user) {
  return forked ? refuse() : inpolyIntervals(solid, index, (inpoly_lines *)segments, step, list, progress, user);
}

inpoly_status inpoly_polyline_intervals(inpoly_solid solid, int64_t index, const inpoly_points *points,
                                        const int64_t *offsets, int64_t count, double step,
                                        inpoly_interval_list *list, inpoly_progress progress, void *user) {
  return forked ? refuse()
                : inpolyPolylineIntervals(solid, index, (inpoly_points *)points, (int64_t *)offsets, count, step,
                                          list, progress, user);
}

void inpoly_free_interval_list(inpoly_interval_list *list) {
  if (list != NULL) {
    free(list->offsets);
    *list = (inpoly_interval_list){.size = list->size};
  }
}

inpoly_status inpoly_sections(inpoly_solid solid, int64_t index, const double *planes, int64_t count,
                              const char *format, const char *unit, char **text, inpoly_progress progress,
                              void *user) {
  return forked ? refuse()
                : inpolySections(solid, index, (double *)planes, count, (char *)format, (char *)unit, text, progress,
                                 user);
}

inpoly_status inpoly_measure(inpoly_solid solid, int64_t index, const char *by, double density, char **json,
                             inpoly_progress progress, void *user) {
  return forked ? refuse() : inpolyMeasure(solid, index, (char *)by, density, json, progress, user);
}

inpoly_status inpoly_pose_from_matrix(const double *m, const double *t, inpoly_pose *pose) {
  return forked ? refuse() : inpolyPoseFromMatrix((double *)m, (double *)t, pose);
}

inpoly_status inpoly_at(inpoly_solid solid, const inpoly_pose *poses, int64_t count, inpoly_solid *posed) {
  return forked ? refuse() : inpolyAt(solid, (inpoly_pose *)poses, count, posed);
}

inpoly_status inpoly_poses(inpoly_solid solid, inpoly_pose *poses, int64_t count) {
  return forked ? refuse() : inpolyPoses(solid, poses, count);
}

void inpoly_free_string(char *string) { free(string); }
