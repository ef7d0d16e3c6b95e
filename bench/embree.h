// What the drivers of Embree 3 share: the scene in its robust mode, and the count of all hits.
#pragma once
#include "sides.h"
#include <embree3/rtcore.h>
#include <pmmintrin.h>
#include <xmmintrin.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static const char *embreeVersion = TEXT(RTC_VERSION_MAJOR) "." TEXT(RTC_VERSION_MINOR) "." TEXT(RTC_VERSION_PATCH);

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
