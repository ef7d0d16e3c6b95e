/*
 * inpoly: which points are inside a triangle mesh, and how far from its surface. Exact sides for any
 * mesh, also open, nested, overlapping, inverted or self-crossing.
 *
 *   inpoly_solid solid;
 *   if (inpoly_open("part.stl", NULL, &solid) != INPOLY_OK) {
 *     fprintf(stderr, "%s\n", inpoly_message());
 *     return 1;
 *   }
 *   inpoly_sides(solid, points, n, sides);   // double points[3 * n]; int8_t sides[n]
 *   inpoly_free(solid);
 *
 * Threads: all functions can be called from any thread at the same time. A solid is immutable. A
 * solid can be freed while other threads use it: their calls end with correct answers, and later
 * calls return INPOLY_HANDLE. Arrays for answers must not overlap the points or each other.
 *
 * Errors: a function that returns inpoly_status writes no result if it fails, unless its comment says
 * otherwise. inpoly_message then describes the error. No argument makes the library crash if the
 * memory that it points to is valid. An invalid address ends the process with a trace of Go and SIGABRT.
 *
 * Fork: in a child process that was forked after the library was loaded, inpoly_free does nothing, and
 * other calls return INPOLY_FORKED. Let each child load the library itself, with dlopen; the parent must not
 * have loaded or linked it.
 *
 * Signals: no function may be called in a signal handler.
 *
 * Structs: start with the _INIT macro, or set the field size to the sizeof and all other fields to 0. A
 * struct of a newer version is accepted if the fields that the library does not know are 0.
 */
#ifndef INPOLY_H
#define INPOLY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* On Windows, define INPOLY_DLL if the program links inpoly.dll. */
#ifndef INPOLY_API
#if defined(_WIN32) && defined(INPOLY_DLL)
#define INPOLY_API __declspec(dllimport)
#else
#define INPOLY_API
#endif
#endif

/* Version of this interface. It grows if functions or fields are added. Programs that were compiled
 * with an older header continue to work. */
#define INPOLY_ABI_VERSION 1

/* Returns the INPOLY_ABI_VERSION of the library. */
INPOLY_API int32_t inpoly_abi_version(void);

/* Returns the version of the library, such as "v0.9.0". The string is static, also in a forked child. */
INPOLY_API const char *inpoly_version(void);

typedef int32_t inpoly_status;
enum {
  INPOLY_OK = 0,
  INPOLY_ARGUMENT = 1,  /* an argument is NULL, misaligned, negative or too large */
  INPOLY_HANDLE = 2,    /* the solid was freed, or never opened */
  INPOLY_OPTION = 3,    /* an option is out of range or has an unknown name */
  INPOLY_FILE = 4,      /* the operating system cannot open or read the file */
  INPOLY_FORMAT = 5,    /* the file is not a mesh, or has bad data; the message has the place */
  INPOLY_MESH = 6,      /* the arrays are not a mesh: an index or a coordinate is out of range */
  INPOLY_TOO_LARGE = 7, /* the mesh exceeds a limit of size or of memory */
  INPOLY_CANCELED = 8,  /* the function progress has returned a number other than 0 */
  INPOLY_INTERNAL = 9,  /* a defect of inpoly; please report it */
  INPOLY_FORKED = 10    /* the process was forked after the library was loaded; see above */
};

/* Returns the name of a status, such as "INPOLY_FILE", also with a minus sign. The string is static. */
INPOLY_API const char *inpoly_status_name(inpoly_status status);

/* Returns the message of the last failed call of this thread, in UTF-8, or "" if no call has failed.
 * It is valid until the next call that fails on this thread, and longer than any inpoly_free. Messages
 * longer than about 2,000 bytes are cut. */
INPOLY_API const char *inpoly_message(void);

/* A solid: one closed or open mesh, or several of them. 0 is never a valid solid. */
typedef uint64_t inpoly_solid;

/* Reports progress. The calling thread calls it about 20 times a second, so also calls without known
 * progress have a chance to cancel. total is 0 if it is unknown. stage is "load", "weld", "orient", "build",
 * "locate" or "diagnose", and valid during the call. A
 * return value other than 0 cancels the call, which then returns INPOLY_CANCELED. The function can call
 * the library. It must return: no C++ exception and no longjmp may leave it. */
typedef int32_t (*inpoly_progress)(void *user, const char *stage, int64_t done, int64_t total);

/* Options for opening. Names can have any case, and "" is the default. A NULL pointer to
 * options, and INPOLY_OPTIONS_INIT, mean the defaults. */
typedef struct inpoly_options {
  size_t size;             /* sizeof(inpoly_options) */
  const char *method;      /* "auto", "raycross", "columns", "cells", "direct", "fmm"; NULL: "auto" */
  const char *rule;        /* "nonzero", "positive", "negative", "evenodd"; NULL: "nonzero" */
  const char *orient;      /* "auto", "never", "always"; NULL: "auto" */
  double tolerance;        /* points within this distance of the surface are on the surface; 0: exact */
  double epsilon;          /* largest bound of a winding number; 0: no limit */
  int64_t expected_points; /* approximate number of points that follow; 0: unknown */
  int64_t max_memory;      /* limit for loading a file in bytes; 0: a multiple of the file */
  uint64_t seed;           /* changes random rays, but no answer */
  int32_t workers;         /* number of threads; 0: one for each processor */
  int32_t split_bodies;    /* not 0: each body of a file becomes a solid of its own */
  inpoly_progress progress; /* can be NULL */
  void *user;               /* argument of progress */
} inpoly_options;

#define INPOLY_OPTIONS_INIT \
  { sizeof(inpoly_options), NULL, NULL, NULL, 0.0, 0.0, 0, 0, 0, 0, 0, NULL, NULL }

/* Opens a mesh file: STL, OBJ, PLY, OFF, glTF, GLB or 3MF, also compressed as .gz or .zst. On Windows, the
 * path is UTF-8; on other systems, it can have any bytes. options can be NULL. On success, *solid must
 * be freed with inpoly_free. */
INPOLY_API inpoly_status inpoly_open(const char *path, const inpoly_options *options, inpoly_solid *solid);

/* Opens several mesh files as several solids. */
INPOLY_API inpoly_status inpoly_open_files(const char *const *paths, int64_t count,
                                           const inpoly_options *options, inpoly_solid *solid);

/* Reads a mesh file from memory. The suffix of name decides the format if the content does not. The
 * mesh cannot refer to other files. The library keeps no pointer to data. */
INPOLY_API inpoly_status inpoly_read(const char *name, const void *data, int64_t size,
                                     const inpoly_options *options, inpoly_solid *solid);

/* Types of the elements of arrays. */
typedef int32_t inpoly_type;
enum {
  INPOLY_TYPE_FLOAT64 = 0,
  INPOLY_TYPE_FLOAT32 = 1,
  INPOLY_TYPE_INT32 = 2,
  INPOLY_TYPE_UINT32 = 3,
  INPOLY_TYPE_INT64 = 4,
  INPOLY_TYPE_UINT64 = 5,
  INPOLY_TYPE_UINT16 = 6
};

/* A mesh in memory. All meshes of an array must have the size of the first, which is the distance of
 * two elements. Strides are multiples of the size of a coordinate, at least three. Vertices
 * at equal coordinates are welded. The library keeps no pointer to it. */
typedef struct inpoly_mesh {
  size_t size;               /* sizeof(inpoly_mesh) */
  const char *name;          /* name of the solid; can be NULL */
  const void *vertices;      /* x, y, z of each vertex */
  int64_t vertex_count;
  int64_t vertex_stride;     /* bytes from one vertex to the next; 0: three coordinates, packed */
  inpoly_type vertex_type;   /* INPOLY_TYPE_FLOAT64 or INPOLY_TYPE_FLOAT32 */
  inpoly_type face_type;     /* a type of integers */
  const void *faces;         /* three indexes of vertices for each face, counterclockwise from outside;
                                NULL: vertices 0 1 2 are a face, 3 4 5 are a face, and so on */
  int64_t face_count;        /* 0 if faces is NULL; 0 with other faces: the mesh has no faces */
} inpoly_mesh;

#define INPOLY_MESH_INIT \
  { sizeof(inpoly_mesh), NULL, NULL, 0, 0, INPOLY_TYPE_FLOAT64, INPOLY_TYPE_INT32, NULL, 0 }

/* Builds one solid from each mesh. */
INPOLY_API inpoly_status inpoly_new(const inpoly_mesh *meshes, int64_t count, const inpoly_options *options,
                                    inpoly_solid *solid);

/* Frees a solid. Does nothing for 0 and for a solid that was freed before. */
INPOLY_API void inpoly_free(inpoly_solid solid);

/* Position of a point. */
enum {
  INPOLY_SIDE_UNKNOWN = 0,    /* the point is not finite, or W is too close to the threshold of the rule */
  INPOLY_SIDE_OUTSIDE = 1,
  INPOLY_SIDE_ON_SURFACE = 2, /* exactly on a triangle, or within the tolerance */
  INPOLY_SIDE_INSIDE = 3
};

/* Returns the position of one point relative to the union of the solids, or −INPOLY_HANDLE or
 * another negative status. */
INPOLY_API int32_t inpoly_side(inpoly_solid solid, double x, double y, double z);

/* Writes the positions of n points: points has 3n elements and sides n elements. It uses all cores. */
INPOLY_API inpoly_status inpoly_sides(inpoly_solid solid, const double *points, int64_t n, int8_t *sides);

/* Writes the winding numbers of n points, and certified bounds of their errors unless bound is NULL. */
INPOLY_API inpoly_status inpoly_windings(inpoly_solid solid, const double *points, int64_t n, double *winding,
                                         double *bound);

/* Writes the signed distances of n points to the surface, negative inside, and bounds of their errors
 * unless bound is NULL. |distance| is the exact distance, rounded up. NaN: the side is
 * unknown, or there are no faces. On an open mesh, |W| = 1/2 makes the side unknown; inpoly_nearest then
 * still gives the closest point, and so the unsigned distance. */
INPOLY_API inpoly_status inpoly_distances(inpoly_solid solid, const double *points, int64_t n, double *distance,
                                          double *bound);

/* Writes the closest points on the surface (3n elements, rounded), the nearest faces and their solids.
 * Each of the three can be NULL. A face is numbered as in its file or array. Without an answer: NaN, −1. */
INPOLY_API inpoly_status inpoly_nearest(inpoly_solid solid, const double *points, int64_t n, double *nearest,
                                        int32_t *face, int32_t *body);

/* Points in memory. */
typedef struct inpoly_points {
  size_t size;        /* sizeof(inpoly_points) */
  const void *data;   /* x, y, z of each point */
  int64_t count;
  int64_t stride;     /* bytes from one point to the next, as for vertices; 0: packed */
  inpoly_type type;   /* INPOLY_TYPE_FLOAT64 or INPOLY_TYPE_FLOAT32 */
  int32_t reserved;   /* 0 */
} inpoly_points;

#define INPOLY_POINTS_INIT \
  { sizeof(inpoly_points), NULL, 0, 0, INPOLY_TYPE_FLOAT64, 0 }

/* Which solid inpoly_answers.body names, if several contain a point. */
enum {
  INPOLY_BODY_FIRST = 0,
  INPOLY_BODY_INNERMOST = 1, /* the one with the smallest volume */
  INPOLY_BODY_COUNT = 2      /* body is the number of solids that contain the point */
};

/* Where inpoly_locate writes the answers. NULL pointers: the answer is not computed. */
typedef struct inpoly_answers {
  size_t size;            /* sizeof(inpoly_answers) */
  int8_t *side;
  double *winding;
  double *winding_bound;
  double *distance;
  double *distance_bound;
  double *nearest;        /* 3 for each point */
  int32_t *face;
  int32_t *nearest_body;
  int32_t *body;          /* −1: no solid; −2: uncertain */
  int32_t body_choice;    /* INPOLY_BODY_FIRST, INPOLY_BODY_INNERMOST or INPOLY_BODY_COUNT */
  int32_t reserved;       /* 0 */
} inpoly_answers;

#define INPOLY_ANSWERS_INIT \
  { sizeof(inpoly_answers), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0 }

/* Computes several answers for points of any layout. progress can be NULL. After a cancel,
 * answers that are not computed are INPOLY_SIDE_UNKNOWN, the winding number NaN with the bound +Inf, the
 * distance NaN with the bound NaN, −1 or (body) −2. Distances advance in small steps. Other answers
 * advance in steps of 2^20 points, or 2^18 if the points are not packed doubles. */
INPOLY_API inpoly_status inpoly_locate(inpoly_solid solid, const inpoly_points *points,
                                       const inpoly_answers *answers, inpoly_progress progress, void *user);

/* Size of one of the solids. Fields that the library does not know are set to 0. inpoly_report has the
 * names and the volumes. */
typedef struct inpoly_info {
  size_t size;          /* sizeof(inpoly_info), set by the caller */
  int64_t solids;       /* number of solids */
  int64_t vertices;     /* welded vertices of this solid */
  int64_t faces;
  double box_min[3];    /* bounding box; box_min > box_max if there are no faces */
  double box_max[3];
  int32_t closed;       /* 1: the boundary is empty, so winding numbers are integers */
  int32_t reserved;
} inpoly_info;

#define INPOLY_INFO_INIT \
  { sizeof(inpoly_info), 0, 0, 0, {0, 0, 0}, {0, 0, 0}, 0, 0 }

/* Describes solid number index, from 0. */
INPOLY_API inpoly_status inpoly_describe(inpoly_solid solid, int64_t index, inpoly_info *info);

/* Copies the welded mesh of solid number index: 3 coordinates for each vertex and 3 indexes for each
 * face, in the numbers that inpoly_describe returns. One of the two can be NULL. If the option
 * split_bodies has divided a file, face numbers of inpoly_nearest are those of the file, not of this
 * copy. */
INPOLY_API inpoly_status inpoly_mesh_copy(inpoly_solid solid, int64_t index, double *vertices, int32_t *faces);

/* Writes the report of the defects of the meshes, the methods and the times, as JSON in UTF-8. Bytes of
 * names that are not UTF-8 become U+FFFD. Free
 * *json with inpoly_free_string. progress can be NULL. */
INPOLY_API inpoly_status inpoly_report(inpoly_solid solid, char **json, inpoly_progress progress, void *user);

/* Explains in JSON why a point has its side relative to each solid. Free *json with
 * inpoly_free_string. */
INPOLY_API inpoly_status inpoly_explain(inpoly_solid solid, double x, double y, double z, char **json);

/* Frees a string. Does nothing for NULL. */
INPOLY_API void inpoly_free_string(char *string);

#ifdef __cplusplus
}
#endif

#endif
