// Nearest point and face by point queries of Embree, in single precision.
// usage: embree_distance MESH.stl POINTS.f64 OUT THREADS
// Writes for each point its distance (float64) and face (int32), and prints one
// line of JSON. Builds and queries are medians of three. common.h is the peers'.
#include "common.h"
#include <cmath>
#include <embree3/rtcore.h>
#include <limits>
#include <pmmintrin.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <xmmintrin.h>

struct V {
  float x, y, z;
};
static inline V operator-(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline V along(V a, float t, V d) { return {a.x + t * d.x, a.y + t * d.y, a.z + t * d.z}; }
static inline float dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline V cross(V a, V b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
static inline float norm2(V a) { return dot(a, a); }

// onSegment is the squared distance from p to the segment from a along e.
static inline float onSegment(V p, V a, V e) {
  V q = p - a;
  float t = std::min(1.0f, std::max(0.0f, dot(q, e) / norm2(e)));
  return norm2(along(q, -t, e));
}

// onTriangle is the squared distance from p to the triangle: that to its plane if p
// is above the inside, else that to the nearest edge.
static inline float onTriangle(V p, V a, V b, V c) {
  V ab = b - a, bc = c - b, ca = a - c, normal = cross(bc, ca);
  V pa = p - a, pb = p - b, pc = p - c;
  bool outA = dot(cross(normal, ab), pa) < 0, outB = dot(cross(normal, bc), pb) < 0, outC = dot(cross(normal, ca), pc) < 0;
  if (!(outA | outB | outC)) {
    float h = dot(normal, pa), n2 = norm2(normal);
    if (n2 > 0)
      return h * h / n2;
  }
  return std::min(onSegment(p, a, ab), std::min(onSegment(p, b, bc), onSegment(p, c, ca)));
}

struct Search {
  const float *vertices;
  const unsigned *indices;
  float best2;
  unsigned face;
};

static bool visit(RTCPointQueryFunctionArguments *args) {
  Search *s = (Search *)args->userPtr;
  const unsigned *f = s->indices + 3 * args->primID;
  auto corner = [&](int k) {
    const float *v = s->vertices + 3 * f[k];
    return V{v[0], v[1], v[2]};
  };
  float d2 = onTriangle({args->query->x, args->query->y, args->query->z}, corner(0), corner(1), corner(2));
  if (d2 < s->best2) {
    s->best2 = d2;
    s->face = args->primID;
    args->query->radius = std::sqrt(d2);
    return true;
  }
  return false;
}

int main(int argc, char **argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: embree_distance MESH.stl POINTS.f64 OUT THREADS\n");
    return 2;
  }
  int threads = atoi(argv[4]);
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
  Mesh mesh = weld(loadSTL(argv[1]));
  std::vector<double> points = loadPts(argv[2]);
  size_t n = points.size() / 3;
  std::vector<double> distance(n);
  std::vector<int32_t> face(n);
  std::vector<double> builds, queries;
  char config[64];
  snprintf(config, sizeof config, "threads=%d,set_affinity=0", threads);
  RTCDevice device = rtcNewDevice(config);
  RTCScene scene = nullptr;
  const float *vertices = nullptr;
  const unsigned *indices = nullptr;
  for (int rep = 0; rep < 3; rep++) {
    if (scene)
      rtcReleaseScene(scene);
    double start = now();
    scene = rtcNewScene(device);
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
    rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_MEDIUM);
    RTCGeometry g = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float *v = (float *)rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, mesh.nv);
    memcpy(v, mesh.V.data(), 12 * mesh.nv);
    unsigned *f = (unsigned *)rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, mesh.nf);
    memcpy(f, mesh.F.data(), 12 * mesh.nf);
    rtcCommitGeometry(g);
    rtcAttachGeometry(scene, g);
    rtcReleaseGeometry(g);
    rtcCommitScene(scene);
    builds.push_back(now() - start);
    vertices = v;
    indices = f;
  }
  for (int rep = 0; rep < 3; rep++) {
    double start = now();
    tbb::parallel_for(tbb::blocked_range<size_t>(0, n, 1024), [&](const tbb::blocked_range<size_t> &range) {
      _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
      _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
      for (size_t i = range.begin(); i < range.end(); i++) {
        float infinity = std::numeric_limits<float>::infinity();
        Search search{vertices, indices, infinity, RTC_INVALID_GEOMETRY_ID};
        RTCPointQueryContext context;
        rtcInitPointQueryContext(&context);
        RTCPointQuery query{(float)points[3 * i], (float)points[3 * i + 1], (float)points[3 * i + 2], 0, infinity};
        rtcPointQuery(scene, &query, &context, visit, &search);
        distance[i] = std::sqrt(search.best2);
        face[i] = search.face;
      }
    });
    queries.push_back(now() - start);
    if (queries[0] > 25)
      break;
  }
  RTCError error = rtcGetDeviceError(device);
  if (error) {
    fprintf(stderr, "embree error %d\n", error);
    return 1;
  }
  FILE *out = fopen(argv[3], "wb");
  if (!out || fwrite(distance.data(), 8, n, out) != n || fwrite(face.data(), 4, n, out) != n || fclose(out)) {
    perror(argv[3]);
    return 1;
  }
  printf("{\"peer\":\"embree_distance\",\"nt\":%zu,\"np\":%zu,\"threads\":%d,\"build\":%.4f,\"mqps\":%.4f}\n", mesh.nf, n,
         threads, med(builds), n / med(queries) / 1e6);
}
