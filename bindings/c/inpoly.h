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
 * Signals: no function may be called in a signal handler. The library handles SIGSEGV, SIGBUS and SIGFPE. All
 * other signals, also SIGURG and SIGPIPE, keep their handlers, and threads keep their masks for signals that the
 * processor does not raise. Handlers that are installed after the library was loaded need the flag
 * SA_ONSTACK. docs/c.md has the details and the exceptions.
 *
 * Floating point: calls do not depend on the rounding mode of the thread, and do not change it.
 *
 * Structs: start with the _INIT macro, or set the field size to the sizeof and all other fields to 0.
 * Structs of every older version of this header are accepted. The library neither reads nor writes the
 * fields that they lack, and uses the defaults. A struct of a newer version is accepted if the fields that
 * the library does not know are 0. Other sizes are INPOLY_ARGUMENT.
 *
 * The structs and the constants are generated from bindings/api.json.
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
 * with an older header continue to work.
 *
 *   1  files, meshes, points, answers, reports
 *   2  the fields nearest_bound, barycentric, normal and feature of inpoly_answers; lines, hits, intervals,
 *      sections, measures and poses
 *   3  the fields unsampled_count and unsampled of inpoly_interval_list; inpoly_poses
 *   4  the fields parts and weld of inpoly_options; inpoly_refit, inpoly_unposed and
 *      inpoly_side_of
 */
#define INPOLY_ABI_VERSION 4

/* Returns the INPOLY_ABI_VERSION of the library. */
INPOLY_API int32_t inpoly_abi_version(void);

/* Returns the version of the library, such as "v0.9.0". The string is static, also in a forked child. */
INPOLY_API const char *inpoly_version(void);

typedef int32_t inpoly_status;
enum {
  INPOLY_OK = 0,
  INPOLY_ARGUMENT = 1,  /* an argument is NULL, misaligned, negative or too large; the message names it */
  INPOLY_HANDLE = 2,    /* the solid was freed, or never opened */
  INPOLY_OPTION = 3,    /* an option is out of range, or has an unknown name */
  INPOLY_FILE = 4,      /* the operating system cannot open or read the file */
  INPOLY_FORMAT = 5,    /* the file is not a mesh file, or has bad data; the message has the place */
  INPOLY_MESH = 6,      /* the arrays are not a mesh: an index or a coordinate is out of range */
  INPOLY_TOO_LARGE = 7, /* the mesh exceeds a limit, such as max_memory or 715 million faces */
  INPOLY_CANCELED = 8,  /* the function progress has returned a number other than 0 */
  INPOLY_INTERNAL = 9,  /* a defect of inpoly; please report it */
  INPOLY_FORKED = 10    /* this child process was forked after the library was loaded */
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
 * "locate", "lines", "section", "measure" or "diagnose", and valid during the call. A
 * return value other than 0 cancels the call, which then returns INPOLY_CANCELED. The function can call
 * the library. It must return: no C++ exception and no longjmp may leave it. */
typedef int32_t (*inpoly_progress)(void *user, const char *stage, int64_t done, int64_t total);

/* Options for opening. Names can have any case, and "" is the default. A NULL pointer to
 * options, and INPOLY_OPTIONS_INIT, mean the defaults. */
typedef struct inpoly_options {
  size_t size;              /* sizeof(inpoly_options) */
  const char *method;       /* method for finding sides, which are the same with all methods: "auto", "raycross",
                               "columns", "cells", "direct", "fmm"; NULL: "auto" */
  const char *rule;         /* which winding numbers W are inside: "nonzero" (W > 1/2 or W < −1/2), "positive"
                               (W > 1/2), "negative" (W < −1/2), "evenodd" (W is odd); NULL: "nonzero" */
  const char *orient;       /* which faces are turned over if they disagree with adjacent faces: "auto" (only parts with
                               flipped faces), "never" (nothing), "always" (also parts that face inward as a whole);
                               NULL: "auto" */
  double tolerance;         /* points within this exact distance of the surface are on the surface; 0: only points
                               exactly on it */
  double epsilon;           /* largest bound of a winding number; sides are always exact; 0: no limit */
  int64_t expected_points;  /* approximate number of points that follow, which helps the method auto; 0: unknown */
  int64_t max_memory;       /* limit of the memory for loading a file, in bytes; 0: a multiple of the size of the
                               file */
  uint64_t seed;            /* changes random rays, but no answer */
  int32_t workers;          /* number of threads for building and for each batch of points; 0: one for each processor */
  int32_t split_bodies;     /* not 0: each body of a file becomes a solid of its own: OBJ groups and objects, STL
                               solids, glTF nodes, 3MF build items, and parts of slicers */
  inpoly_progress progress; /* can be NULL */
  void *user;               /* argument of progress */
  const char *parts;        /* which parts of the 3MF file of a slicer are read: "typed" (without modifiers and
                               supports, and a file with negative parts is refused), "all" (all parts as solid); NULL:
                               "typed" */
  double weld;              /* vertices of unmatched edges within this distance become one vertex before everything
                               else; all answers are for the welded mesh; 0: only equal ones */
} inpoly_options;

#define INPOLY_OPTIONS_INIT \
  { sizeof(inpoly_options), NULL, NULL, NULL, 0.0, 0.0, 0, 0, 0, 0, 0, NULL, NULL, NULL, 0.0 }

/* Opens a mesh file: STL, OBJ, PLY, OFF, glTF, GLB, 3MF, MSH (Gmsh), VTK or CityJSON, also compressed as
 * .gz or .zst. On Windows, the path is UTF-8; on other systems, it can have any bytes. options can be NULL. On success,
 * *solid must be freed with inpoly_free. */
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
  size_t size;             /* sizeof(inpoly_mesh) */
  const char *name;        /* name of the solid; can be NULL */
  const void *vertices;    /* x, y, z of each vertex */
  int64_t vertex_count;
  int64_t vertex_stride;   /* bytes from one vertex to the next; 0: three coordinates, packed */
  inpoly_type vertex_type; /* INPOLY_TYPE_FLOAT64 or INPOLY_TYPE_FLOAT32 */
  inpoly_type face_type;   /* a type of integers */
  const void *faces;       /* three indexes of vertices for each face, counterclockwise from outside; NULL: vertices 0 1
                              2 are a face, 3 4 5 are a face, and so on */
  int64_t face_count;      /* 0 if faces is NULL; 0 with other faces: the mesh has no faces */
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
  INPOLY_SIDE_OUTSIDE = 1,    /* the point is not in the solid */
  INPOLY_SIDE_ON_SURFACE = 2, /* the point is exactly on a triangle, or within the tolerance */
  INPOLY_SIDE_INSIDE = 3      /* the point is in the solid */
};

/* Returns the position of one point relative to the union of the solids, or −INPOLY_HANDLE or
 * another negative status. */
INPOLY_API int32_t inpoly_side(inpoly_solid solid, double x, double y, double z);

/* A point, and the solids that it is located in. */
typedef struct inpoly_query {
  inpoly_solid solid;
  double x;
  double y;
  double z;
} inpoly_query;

/* Like inpoly_side, for languages in which each argument of a call takes time. */
INPOLY_API int32_t inpoly_side_of(const inpoly_query *query);

/* Writes the positions of n points: points has 3n elements and sides n elements. It uses all cores. */
INPOLY_API inpoly_status inpoly_sides(inpoly_solid solid, const double *points, int64_t n, int8_t *sides);

/* Writes the winding numbers of n points, and certified bounds of their errors unless bound is NULL. */
INPOLY_API inpoly_status inpoly_windings(inpoly_solid solid, const double *points, int64_t n, double *winding,
                                         double *bound);

/* Writes the signed distances of n points to the surface, negative inside, and bounds of their errors
 * unless bound is NULL. |distance| is the exact distance, rounded up; at a pose, the bound includes the
 * rounding of positions, and the exact distance can be above or below. NaN: the side is
 * unknown, or there are no faces. On an open mesh, |W| = 1/2 makes the side unknown; inpoly_nearest then
 * still gives the closest point, and so the unsigned distance. */
INPOLY_API inpoly_status inpoly_distances(inpoly_solid solid, const double *points, int64_t n, double *distance,
                                          double *bound);

/* Writes the closest points on the surface (3n elements, rounded), the nearest faces and their solids.
 * inpoly_locate also writes their bounds, features and normals. Each of the three can be NULL. A face is numbered as in its file or array. Without an answer: NaN, −1. */
INPOLY_API inpoly_status inpoly_nearest(inpoly_solid solid, const double *points, int64_t n, double *nearest,
                                        int32_t *face, int32_t *body);

/* Points in memory. */
typedef struct inpoly_points {
  size_t size;      /* sizeof(inpoly_points) */
  const void *data; /* x, y, z of each point */
  int64_t count;
  int64_t stride;   /* bytes from one point to the next, as for vertices; 0: packed */
  inpoly_type type; /* INPOLY_TYPE_FLOAT64 or INPOLY_TYPE_FLOAT32 */
  int32_t reserved; /* 0 */
} inpoly_points;

#define INPOLY_POINTS_INIT \
  { sizeof(inpoly_points), NULL, 0, 0, INPOLY_TYPE_FLOAT64, 0 }

/* Which solid inpoly_answers.body names, if several contain a point. */
enum {
  INPOLY_BODY_FIRST = 0,     /* the one with the smallest number */
  INPOLY_BODY_INNERMOST = 1, /* the one with the smallest volume */
  INPOLY_BODY_COUNT = 2      /* the number of solids that contain the point */
};

/* The part of the nearest face that contains the closest point in its interior. */
enum {
  INPOLY_FEATURE_VERTEX = 1,
  INPOLY_FEATURE_EDGE = 2,
  INPOLY_FEATURE_FACE = 3
};

/* Where inpoly_locate writes the answers. NULL pointers: the answer is not computed. */
typedef struct inpoly_answers {
  size_t size;            /* sizeof(inpoly_answers) */
  int8_t *side;           /* side relative to the union of the solids */
  double *winding;        /* winding number */
  double *winding_bound;  /* bound of the error of winding */
  double *distance;       /* signed distance to the surface, negative inside */
  double *distance_bound; /* bound of the error of distance */
  double *nearest;        /* 3 for each point: closest point on the surface, rounded */
  int32_t *face;          /* number of the nearest face in the file or the array of its solid; −1: none */
  int32_t *nearest_body;  /* number of the solid that has this face; −1: none */
  int32_t *body;          /* number of a solid that contains the point; −1: none; −2: uncertain */
  int32_t body_choice;    /* INPOLY_BODY_FIRST, INPOLY_BODY_INNERMOST or INPOLY_BODY_COUNT */
  int32_t reserved;       /* 0 */
  double *nearest_bound;  /* bound of the distance of nearest from the exact closest point of the face */
  double *barycentric;    /* 3 for each point: coordinates of nearest relative to the corners of the face */
  double *normal;         /* 3 for each point: unit normal of the face, or pseudonormal of the edge or the vertex; 0 if
                             the normals of its faces cancel exactly, or the faces have no area */
  int8_t *feature;        /* part of the face that has the closest point in its interior: 1 a vertex, 2 an edge, 3 the
                             face; 0: none */
} inpoly_answers;

#define INPOLY_ANSWERS_INIT \
  { sizeof(inpoly_answers), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL }

/* Computes several answers for points of any layout. progress can be NULL. After a cancel,
 * answers that are not computed are INPOLY_SIDE_UNKNOWN, the winding number NaN with the bound +Inf, the
 * distance NaN with the bound NaN, the closest point NaN with the bound +Inf, −1 or (body) −2. Distances advance in small steps. Other answers
 * advance in steps of 2^20 points, or 2^18 if the points are not packed doubles. */
INPOLY_API inpoly_status inpoly_locate(inpoly_solid solid, const inpoly_points *points,
                                       const inpoly_answers *answers, inpoly_progress progress, void *user);

/* Size of one of the solids. Fields that the library does not know are set to 0. inpoly_report has the
 * names and the volumes. */
typedef struct inpoly_info {
  size_t size;       /* sizeof(inpoly_info), set by the caller */
  int64_t solids;    /* number of solids */
  int64_t vertices;  /* welded vertices of this solid */
  int64_t faces;
  double box_min[3]; /* bounding box; box_min > box_max if there are no faces. At a pose, a box around it */
  double box_max[3];
  int32_t closed;    /* 1: the boundary is empty, so winding numbers are integers */
  int32_t reserved;
} inpoly_info;

#define INPOLY_INFO_INIT \
  { sizeof(inpoly_info), 0, 0, 0, {0, 0, 0}, {0, 0, 0}, 0, 0 }

/* Describes solid number index, from 0. */
INPOLY_API inpoly_status inpoly_describe(inpoly_solid solid, int64_t index, inpoly_info *info);

/* Copies the welded mesh of solid number index: 3 coordinates for each vertex and 3 indexes for each
 * face, in the numbers that inpoly_describe returns. One of the two can be NULL. Fails with INPOLY_ARGUMENT
 * for the vertices of solids at poses, which are not doubles in general. If the option
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

/* Lines: rays, or segments. Exactly one of directions and ends is not NULL, and it has as many elements as
 * starts. A ray has the points start + t·direction for t >= 0, and a segment the points
 * start + t·(end − start) for 0 <= t <= 1. Neither sum is rounded. A line is not valid if a coordinate is not
 * finite or exceeds 2^1000 in magnitude, or if the direction is 0. It does not affect the answers for the
 * other lines. */
typedef struct inpoly_lines {
  size_t size;                     /* sizeof(inpoly_lines) */
  const inpoly_points *starts;
  const inpoly_points *directions; /* of rays */
  const inpoly_points *ends;       /* of segments */
} inpoly_lines;

#define INPOLY_LINES_INIT \
  { sizeof(inpoly_lines), NULL, NULL, NULL }

/* Where inpoly_first_hits writes, with one element for each line. NULL pointers: not wanted. */
typedef struct inpoly_hits {
  size_t size;   /* sizeof(inpoly_hits) */
  double *t;     /* parameter of the hit, rounded; +Inf if the line meets no face, NaN if it is not valid */
  double *bound; /* bound of the error of t; +Inf if the line is not valid */
  int32_t *face; /* number in the file or array of the solid; −1 if the line meets no face or is not valid */
  int32_t *body; /* number of the solid; −1 if the line meets no face or is not valid */
  int8_t *sign;  /* +1: the line passes through the plane of the face along its normal; −1: against it; 0: the line lies
                    in the plane, or the face has no area */
  int8_t *jump;  /* change of the winding number where the line, displaced infinitesimally, crosses the face */
} inpoly_hits;

#define INPOLY_HITS_INIT \
  { sizeof(inpoly_hits), NULL, NULL, NULL, NULL, NULL, NULL }

/* Finds the first face that each line meets, exactly. A face that the line only touches counts. Of several
 * faces with the same parameter, it is the first one. progress can be NULL.
 * After an error, the contents of the arrays are not specified. */
INPOLY_API inpoly_status inpoly_first_hits(inpoly_solid solid, const inpoly_lines *lines, const inpoly_hits *hits,
                                           inpoly_progress progress, void *user);

/* Writes 1 for each line that meets a face, and 0 for the others, also for a line that is not valid. */
INPOLY_API inpoly_status inpoly_any_hits(inpoly_solid solid, const inpoly_lines *lines, int8_t *met,
                                         inpoly_progress progress, void *user);

/* All hits of several lines, in memory of the library. Those of line i have the indexes offsets[i] to
 * offsets[i+1] − 1, in the exact order of their parameters. A line that is not valid has one hit, with t = NaN
 * and the face −1. */
typedef struct inpoly_hit_list {
  size_t size;      /* sizeof(inpoly_hit_list), set by the caller */
  int64_t lines;
  int64_t count;    /* number of hits of all lines */
  int64_t *offsets; /* lines + 1 elements */
  double *t;        /* the other arrays have count elements, as in inpoly_hits */
  double *bound;
  int32_t *face;
  int32_t *body;
  int8_t *sign;
  int8_t *jump;
} inpoly_hit_list;

#define INPOLY_HIT_LIST_INIT \
  { sizeof(inpoly_hit_list), 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL }

/* Finds all faces that the lines meet. On success, free the list with inpoly_free_hit_list. */
INPOLY_API inpoly_status inpoly_all_hits(inpoly_solid solid, const inpoly_lines *lines, inpoly_hit_list *list,
                                         inpoly_progress progress, void *user);

/* Frees the arrays of a list and sets its other fields to 0. Does nothing for NULL. */
INPOLY_API void inpoly_free_hit_list(inpoly_hit_list *list);

/* The parts of several segments or polylines that have one side, in memory of the library. Those of line i
 * have the indexes offsets[i] to offsets[i+1] − 1, from its start to its end. A line with a point that is not
 * valid has one interval: its side is INPOLY_SIDE_UNKNOWN, its length is NaN, and the bound of its length is
 * +Inf. */
typedef struct inpoly_interval_list {
  size_t size;           /* sizeof(inpoly_interval_list), set by the caller */
  int64_t lines;
  int64_t count;         /* number of intervals of all lines */
  int64_t *offsets;      /* lines + 1 elements */
  double *from;          /* the other arrays have count elements; from and to are parameters from 0 to 1 */
  double *from_bound;
  double *to;
  double *to_bound;
  double *length;        /* in the unit of the mesh */
  double *length_bound;
  int32_t *from_segment; /* segments of the polyline where the interval starts and ends; 0 for a segment */
  int32_t *to_segment;
  int8_t *side;          /* INPOLY_SIDE_UNKNOWN: uncertain, as can happen on an open mesh */
  int64_t unsampled_count;
  int64_t *unsampled;    /* unsampled_count elements: the lines, from 0, with a part that is uncertain because samples
                            would be too many; a larger step can decide such a part */
} inpoly_interval_list;

#define INPOLY_INTERVAL_LIST_INIT \
  { sizeof(inpoly_interval_list), 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL }

/* Divides segments into intervals inside, outside and on the surface of solid number index. They are exact if
 * the mesh is closed. On an open mesh, the sides between two hits near the mesh are sampled: step is the largest
 * distance of the samples, and 0 means 1/256 of the diagonal of the mesh. Far from the mesh, where the winding
 * number is certainly below 1/2, all points are outside. With step 0, a part that needs more than 2^16 samples is
 * uncertain beyond them. If a segment would have more than 4,194,304 samples at another step, the call fails with
 * INPOLY_ARGUMENT. On success, free the list with
 * inpoly_free_interval_list. progress can be NULL. */
INPOLY_API inpoly_status inpoly_intervals(inpoly_solid solid, int64_t index, const inpoly_lines *segments,
                                          double step, inpoly_interval_list *list, inpoly_progress progress,
                                          void *user);

/* Does for polylines what inpoly_intervals does for segments. Polyline i has the points offsets[i] to
 * offsets[i+1] − 1. offsets has count + 1 elements, from 0 to the number of points. */
INPOLY_API inpoly_status inpoly_polyline_intervals(inpoly_solid solid, int64_t index, const inpoly_points *points,
                                                   const int64_t *offsets, int64_t count, double step,
                                                   inpoly_interval_list *list, inpoly_progress progress,
                                                   void *user);

/* Frees the arrays of a list and sets its other fields to 0. Does nothing for NULL. */
INPOLY_API void inpoly_free_interval_list(inpoly_interval_list *list);

/* Cuts solid number index with planes: 6 numbers for each plane, a point of it and its normal. format is
 * "json" (contours, polygons with holes, areas with bounds), "geojson" or "svg". unit is NULL, or the unit of
 * the mesh for a picture to scale, such as "mm". Free *text with inpoly_free_string. progress can be
 * NULL. */
INPOLY_API inpoly_status inpoly_sections(inpoly_solid solid, int64_t index, const double *planes, int64_t count,
                                         const char *format, const char *unit, char **text,
                                         inpoly_progress progress, void *user);

/* Writes the area, volume, mass, centroid, inertia tensor, principal moments and axes of solid number index
 * with their bounds, as a JSON array. by is "whole" (one element), "body" or "component". Numbers
 * that are not determined, and their bounds, are null. Free *json with inpoly_free_string. The
 * centroid, the tensor and the axes are those at the pose of the solid. */
INPOLY_API inpoly_status inpoly_measure(inpoly_solid solid, int64_t index, const char *by, double density,
                                        char **json, inpoly_progress progress, void *user);

/* A rotation by a quaternion w, x, y, z, then a translation. Other programs can have the order x, y, z, w.
 * The quaternion must have the length 1 to six digits. All queries divide it by its exact length. */
typedef struct inpoly_pose {
  double rotation[4];
  double translation[3];
} inpoly_pose;

/* Stores the pose x -> m·x + t, for a rotation m of 9 numbers, row by row. Columns that are orthonormal to six
 * digits are accepted; scale, shear and reflection are refused. The rotation of the pose differs from m by at
 * most 2.1·|mᵀm − I| + 2⁻⁴⁸ in the spectral norm. */
INPOLY_API inpoly_status inpoly_pose_from_matrix(const double *m, const double *t, inpoly_pose *pose);

/* Opens the solids at poses: one pose for each solid, or one for all. The new solid shares the meshes and
 * the indexes of the old one, and takes about two kilobytes for each pose. If the old solid has poses, the
 * new ones move it from there: the poses are composed exactly, and rounded once. inpoly_poses returns the
 * result. Sides and signs of distances are exact for the meshes that these poses move, and all bounds include
 * the rounding of positions. Faces are within these bounds of the nearest ones. Both must be freed. */
INPOLY_API inpoly_status inpoly_at(inpoly_solid solid, const inpoly_pose *poses, int64_t count,
                                   inpoly_solid *posed);

/* Writes the pose of each solid. count is the number of solids. Fails with INPOLY_ARGUMENT if they have no
 * poses. */
INPOLY_API inpoly_status inpoly_poses(inpoly_solid solid, inpoly_pose *poses, int64_t count);

/* Opens the same solids without poses. The new solid shares their meshes and indexes. Both must be freed. */
INPOLY_API inpoly_status inpoly_unposed(inpoly_solid solid, inpoly_solid *unposed);

/* Opens the solids with other vertices and the same faces. vertices has x, y, z of the count vertices of all solids,
 * in the order of inpoly_mesh_copy. The answers are those of new solids with these meshes. A closed solid with the
 * method cells keeps the parts of its index that do not change, so this takes a small part of the time of inpoly_new if
 * few vertices move. Vertices that become equal are welded again, and the vertices then have other numbers. If the
 * solids have poses, the new ones have them too; the vertices are those without poses. Both must be freed. */
INPOLY_API inpoly_status inpoly_refit(inpoly_solid solid, const double *vertices, int64_t count,
                                      inpoly_progress progress, void *user, inpoly_solid *refitted);

/* Frees a string. Does nothing for NULL. */
INPOLY_API void inpoly_free_string(char *string);

#ifdef __cplusplus
}
#endif

#endif
