// Rays of Embree 3 in its robust mode. rays.h explains the arguments.
//
// The modes first and any trace single rays, first8 and first16 packets of rays, and coherent packets
// of 16 with the flag for coherent rays. The mode all counts all hits by a filter function.
#include "../embree.h"
#include "../rays.h"

static const float infinite = std::numeric_limits<float>::infinity();

template <int N, class Packet, class Call>
static void packets(Answers &out, const double *rays, size_t first, size_t last, RTCIntersectContextFlags flags, Call call) {
  for (size_t i = first; i < last; i += N) {
    Packet p;
    alignas(64) int valid[N];
    for (int k = 0; k < N; k++) {
      const double *r = rays + 6 * std::min(i + k, last - 1);
      valid[k] = i + k < last ? -1 : 0;
      p.ray.org_x[k] = r[0], p.ray.org_y[k] = r[1], p.ray.org_z[k] = r[2];
      p.ray.dir_x[k] = r[3], p.ray.dir_y[k] = r[4], p.ray.dir_z[k] = r[5];
      p.ray.tnear[k] = 0, p.ray.tfar[k] = infinite, p.ray.time[k] = 0;
      p.ray.mask[k] = -1, p.ray.flags[k] = 0;
      p.hit.geomID[k] = RTC_INVALID_GEOMETRY_ID;
    }
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = flags;
    call(valid, &context, &p);
    for (size_t k = 0; k < N && i + k < last; k++) {
      bool hit = p.hit.geomID[k] != RTC_INVALID_GEOMETRY_ID;
      out.t[i + k] = hit ? p.ray.tfar[k] : infinite;
      out.face[i + k] = hit ? int32_t(p.hit.primID[k]) : -1;
    }
  }
}

int main(int argc, char **argv) {
  std::vector<std::string> modes = {"first", "first8", "first16", "coherent", "any", "all"};
  return driveRays(argc, argv, embreeVersion, modes, [](const PlyMesh &m, const std::string &mode) -> Ask {
    RTCScene scene = newScene(m, mode == "all");
    return [=](Answers &out, const double *rays, size_t first, size_t last) {
      recommendedMode();
      if (mode == "first8") {
        packets<8, RTCRayHit8>(out, rays, first, last, RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT,
                               [&](int *valid, RTCIntersectContext *c, RTCRayHit8 *p) { rtcIntersect8(valid, scene, c, p); });
        return;
      }
      if (mode == "first16" || mode == "coherent") {
        auto flags = mode == "coherent" ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
        packets<16, RTCRayHit16>(out, rays, first, last, flags,
                                 [&](int *valid, RTCIntersectContext *c, RTCRayHit16 *p) { rtcIntersect16(valid, scene, c, p); });
        return;
      }
      bool one = mode == "first";
      for (size_t i = first; i < last; i++) {
        const double *p = rays + 6 * i;
        RTCRayHit r{};
        r.ray.org_x = p[0], r.ray.org_y = p[1], r.ray.org_z = p[2];
        r.ray.dir_x = p[3], r.ray.dir_y = p[4], r.ray.dir_z = p[5];
        r.ray.tfar = infinite;
        r.ray.mask = -1;
        r.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        Count count;
        rtcInitIntersectContext(&count.context);
        count.hits[0] = 0;
        if (one) {
          rtcIntersect1(scene, &count.context, &r);
          bool hit = r.hit.geomID != RTC_INVALID_GEOMETRY_ID;
          out.t[i] = hit ? r.ray.tfar : infinite;
          out.face[i] = hit ? int32_t(r.hit.primID) : -1;
        } else {
          rtcOccluded1(scene, &count.context, &r.ray);
          out.t[i] = infinite;
          out.face[i] = mode == "all" ? int32_t(count.hits[0]) : r.ray.tfar < 0 ? 0 : -1;
        }
      }
    };
  });
}
