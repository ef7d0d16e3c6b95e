// What the drivers of Embree share: the scene in its robust mode, and the count of all hits. With
// EMBREE4, they use Embree 4 instead of Embree 3.
#pragma once
#include "sides.h"
#ifdef EMBREE4
#include <embree4/rtcore.h>
using QueryContext = RTCRayQueryContext;
#else
#include <embree3/rtcore.h>
using QueryContext = RTCIntersectContext;
#endif
#include <pmmintrin.h>
#include <xmmintrin.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static const char *embreeVersion = TEXT(RTC_VERSION_MAJOR) "." TEXT(RTC_VERSION_MINOR) "." TEXT(RTC_VERSION_PATCH);

struct Count {
  QueryContext context; // must be first: Embree gets a pointer to it
  unsigned hits[16];    // of the rays of a packet, by their id
};

// countHit counts hits and lets the rays go on.
static void countHit(const RTCFilterFunctionNArguments *a) {
  for (unsigned i = 0; i < a->N; i++)
    if (a->valid[i]) {
      reinterpret_cast<Count *>(a->context)->hits[RTCRayN_id(a->ray, a->N, i)]++;
      a->valid[i] = 0;
    }
}

#ifdef EMBREE4
static void initialize(QueryContext *context) { rtcInitRayQueryContext(context); }
static void intersect(RTCScene scene, QueryContext *context, RTCRayHit *ray) {
  RTCIntersectArguments arguments;
  rtcInitIntersectArguments(&arguments);
  arguments.context = context;
  rtcIntersect1(scene, ray, &arguments);
}
static RTCOccludedArguments occludedArguments(QueryContext *context) {
  RTCOccludedArguments arguments;
  rtcInitOccludedArguments(&arguments);
  arguments.context = context;
  return arguments;
}
static void occluded(RTCScene scene, QueryContext *context, RTCRay *ray) {
  auto arguments = occludedArguments(context);
  rtcOccluded1(scene, ray, &arguments);
}
static void occluded16(const int *valid, RTCScene scene, QueryContext *context, RTCRay16 *rays) {
  auto arguments = occludedArguments(context);
  rtcOccluded16(valid, scene, rays, &arguments);
}
#else
static void initialize(QueryContext *context) { rtcInitIntersectContext(context); }
static void intersect(RTCScene scene, QueryContext *context, RTCRayHit *ray) { rtcIntersect1(scene, context, ray); }
static void occluded(RTCScene scene, QueryContext *context, RTCRay *ray) { rtcOccluded1(scene, context, ray); }
static void occluded16(const int *valid, RTCScene scene, QueryContext *context, RTCRay16 *rays) {
  rtcOccluded16(valid, scene, context, rays);
}
#endif

static void recommendedMode() { // in each thread, as the manual of Embree recommends
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  _MM_SET_DENORMALS_ZERO_MODE(_MM_DENORMALS_ZERO_ON);
}

// newScene builds the scene of a mesh. With countAll, occlusion queries call countHit for all hits.
static RTCScene newScene(const PlyMesh &m, bool countAll) {
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
  if (countAll)
    rtcSetGeometryOccludedFilterFunction(g, countHit);
  rtcCommitGeometry(g);
  rtcAttachGeometry(scene, g);
  rtcReleaseGeometry(g);
  rtcCommitScene(scene);
  return scene;
}
