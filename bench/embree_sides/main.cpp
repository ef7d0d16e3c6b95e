// Sides of points by rays of Embree 3. sides.h explains the arguments.
//
// Embree is a ray tracer and has no function for sides. The modes are the common uses: parity counts
// all hits of a ray in a direction that is parallel to no axis, parity-z does so along the z axis, and
// first looks at the orientation of the first face that the ray hits.
#include "../sides.h"
#include <embree3/rtcore.h>
#include <limits>
#include <memory>
#include <pmmintrin.h>
#include <xmmintrin.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

struct Count {
  RTCIntersectContext context; // must be first: Embree gets a pointer to it
  unsigned hits;
};

// countHit counts a hit and lets the ray go on.
static void countHit(const RTCFilterFunctionNArguments *a) {
  if (a->valid[0]) {
    reinterpret_cast<Count *>(a->context)->hits++;
    a->valid[0] = 0;
  }
}

static void recommendedMode() { // in each thread, as the manual of Embree recommends
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
}

int main(int argc, char **argv) {
  const char *version = TEXT(RTC_VERSION_MAJOR) "." TEXT(RTC_VERSION_MINOR) "." TEXT(RTC_VERSION_PATCH);
  return drive(argc, argv, version, {"parity", "parity-z", "first"}, [](const PlyMesh &m, const std::string &mode) {
    recommendedMode();
    RTCDevice device = rtcNewDevice(nullptr);
    RTCScene scene = rtcNewScene(device);
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
    RTCGeometry g = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    auto *v = static_cast<float *>(
        rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 12, m.vertices.size() / 3));
    std::copy(m.vertices.begin(), m.vertices.end(), v);
    auto *f = static_cast<unsigned *>(
        rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 12, m.faces.size() / 3));
    std::copy(m.faces.begin(), m.faces.end(), f);
    bool first = mode == "first";
    if (!first)
      rtcSetGeometryOccludedFilterFunction(g, countHit);
    rtcCommitGeometry(g);
    rtcAttachGeometry(scene, g);
    rtcReleaseGeometry(g);
    rtcCommitScene(scene);
    std::vector<float> d = {0.40824f, 0.31415f, 0.85713f};
    if (mode == "parity-z")
      d = {0, 0, 1};
    return [=](uint8_t *out, const double *p, size_t from, size_t last, int threads) {
      parallel(threads, from, last, [&](int, size_t a, size_t b) {
        recommendedMode();
        for (size_t i = a; i < b; i++) {
          RTCRayHit r{};
          r.ray.org_x = p[3 * i], r.ray.org_y = p[3 * i + 1], r.ray.org_z = p[3 * i + 2];
          r.ray.dir_x = d[0], r.ray.dir_y = d[1], r.ray.dir_z = d[2];
          r.ray.tfar = std::numeric_limits<float>::infinity();
          r.ray.mask = -1;
          r.hit.geomID = RTC_INVALID_GEOMETRY_ID;
          Count count;
          rtcInitIntersectContext(&count.context);
          count.hits = 0;
          if (first) {
            rtcIntersect1(scene, &count.context, &r);
            out[i] = r.hit.geomID != RTC_INVALID_GEOMETRY_ID &&
                     r.hit.Ng_x * d[0] + r.hit.Ng_y * d[1] + r.hit.Ng_z * d[2] > 0;
          } else {
            rtcOccluded1(scene, &count.context, &r.ray);
            out[i] = count.hits & 1;
          }
        }
      });
    };
  });
}
