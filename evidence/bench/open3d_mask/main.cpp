// A library for LD_PRELOAD that lets the Open3D 0.16.1 of Debian 12 find hits of rays.
//
// Open3D casts rays with the mask 0, and expects an Embree without support of masks, which ignores
// it. The Embree of Debian supports masks, so the rays hit nothing, not even a sphere of Open3D. This
// library sets all bits of the mask. The wheel of Open3D has its own Embree and needs no help.
#include <dlfcn.h>
#include <embree3/rtcore.h>

extern "C" void rtcIntersect1M(RTCScene scene, RTCIntersectContext *context, RTCRayHit *rays, unsigned n, size_t stride) {
  using Function = void (*)(RTCScene, RTCIntersectContext *, RTCRayHit *, unsigned, size_t);
  static auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "rtcIntersect1M"));
  for (unsigned i = 0; i < n; i++)
    reinterpret_cast<RTCRayHit *>(reinterpret_cast<char *>(rays) + i * stride)->ray.mask = -1;
  real(scene, context, rays, n, stride);
}
