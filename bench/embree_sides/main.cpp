// Sides of points by rays of Embree 3. sides.h explains the arguments.
//
// Embree is a ray tracer and has no function for sides. The modes are the common uses: parity counts
// all hits of a ray in a direction that is parallel to no axis, parity-z does so along the z axis, and
// first looks at the orientation of the first face that the ray hits.
#include "../embree.h"
#include <limits>

int main(int argc, char **argv) {
  return drive(argc, argv, embreeVersion, {"parity", "parity-z", "first"}, [](const PlyMesh &m, const std::string &mode) {
    recommendedMode();
    bool first = mode == "first";
    RTCScene scene = newScene(m, !first);
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
