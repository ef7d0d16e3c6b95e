// Sides of points by rays of Embree. sides.h explains the arguments.
//
// Embree is a ray tracer and has no function for sides. The modes are the common uses: parity counts
// all hits of a ray in a direction that is parallel to no axis, parity-z does so along the z axis, and
// first looks at the orientation of the first face that the ray hits. parity-16 traces packets of 16
// rays.
#include "../embree.h"
#include <functional>
#include <limits>

using Side = std::function<void(uint8_t *, const double *, size_t, size_t, int)>;

// packet traces at most 16 rays.
static void packet(uint8_t *out, const double *p, size_t first, size_t last, RTCScene scene, const std::vector<float> &d) {
  alignas(64) RTCRay16 r;
  alignas(64) int valid[16];
  for (size_t k = 0; k < 16; k++) {
    size_t i = std::min(first + k, last - 1);
    valid[k] = first + k < last ? -1 : 0;
    r.org_x[k] = p[3 * i], r.org_y[k] = p[3 * i + 1], r.org_z[k] = p[3 * i + 2];
    r.dir_x[k] = d[0], r.dir_y[k] = d[1], r.dir_z[k] = d[2];
    r.tnear[k] = 0, r.tfar[k] = std::numeric_limits<float>::infinity();
    r.time[k] = 0, r.mask[k] = -1, r.id[k] = k, r.flags[k] = 0;
  }
  Count count{};
  initialize(&count.context);
  occluded16(valid, scene, &count.context, &r);
  for (size_t i = first; i < last; i++)
    out[i] = count.hits[i - first] & 1;
}

int main(int argc, char **argv) {
  std::vector<std::string> modes = {"parity", "parity-z", "first", "parity-16"};
  return drive(argc, argv, embreeVersion, modes, [](const PlyMesh &m, const std::string &mode) -> Side {
    recommendedMode();
    bool first = mode == "first";
    RTCScene scene = newScene(m, !first);
    std::vector<float> d = {0.40824f, 0.31415f, 0.85713f};
    if (mode == "parity-z")
      d = {0, 0, 1};
    if (mode == "parity-16")
      return [=](uint8_t *out, const double *p, size_t from, size_t last, int threads) {
        parallel(threads, from, last, [&](int, size_t a, size_t b) {
          recommendedMode();
          for (size_t i = a; i < b; i += 16)
            packet(out, p, i, std::min(b, i + 16), scene, d);
        });
      };
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
          initialize(&count.context);
          count.hits[0] = 0;
          if (first) {
            intersect(scene, &count.context, &r);
            out[i] = r.hit.geomID != RTC_INVALID_GEOMETRY_ID &&
                     r.hit.Ng_x * d[0] + r.hit.Ng_y * d[1] + r.hit.Ng_z * d[2] > 0;
          } else {
            occluded(scene, &count.context, &r.ray);
            out[i] = count.hits[0] & 1;
          }
        }
      });
    };
  });
}
