// Sides of points by the solid classifier of OpenCASCADE (BRepClass3d_SolidClassifier).
// usage: occt_sides MESH.stl POINTS.f64 OUT THREADS LIMIT
// Each triangle becomes a planar face. The faces are sewn into shells, and the shells become solids.
// A point is inside if it is inside one of the solids. LIMIT is the limit of the queries in seconds.
// limited.h explains the times.
// Writes one byte for each answered point, and prints one line of JSON. common.h is the peers'.
#include "../limited.h"
#include <BRepBuilderAPI_MakeFace.hxx>
#include <BRepBuilderAPI_MakePolygon.hxx>
#include <BRepBuilderAPI_MakeSolid.hxx>
#include <BRepBuilderAPI_Sewing.hxx>
#include <BRepClass3d_SolidClassifier.hxx>
#include <BRepLib.hxx>
#include <Precision.hxx>
#include <Standard_Failure.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Shell.hxx>
#include <TopoDS_Solid.hxx>
#include <gp_Pnt.hxx>
#include <memory>

// solidsOf sews the triangles. It leaves out triangles of zero area, which have no plane.
static std::vector<TopoDS_Solid> solidsOf(const Mesh &mesh) {
  BRepBuilderAPI_Sewing sewing(Precision::Confusion());
  for (size_t i = 0; i < mesh.nf; i++) {
    gp_Pnt p[3];
    for (int k = 0; k < 3; k++) {
      const float *v = &mesh.V[3 * (size_t)mesh.F[3 * i + k]];
      p[k] = gp_Pnt(v[0], v[1], v[2]);
    }
    BRepBuilderAPI_MakePolygon polygon(p[0], p[1], p[2], true);
    if (!polygon.IsDone())
      continue;
    BRepBuilderAPI_MakeFace face(polygon.Wire(), true);
    if (face.IsDone())
      sewing.Add(face.Face());
  }
  sewing.Perform();
  std::vector<TopoDS_Solid> solids;
  for (TopExp_Explorer shells(sewing.SewedShape(), TopAbs_SHELL); shells.More(); shells.Next()) {
    BRepBuilderAPI_MakeSolid make(TopoDS::Shell(shells.Current()));
    if (!make.IsDone())
      continue;
    TopoDS_Solid solid = make.Solid();
    BRepLib::OrientClosedSolid(solid);
    solids.push_back(solid);
  }
  return solids;
}

int main(int argc, char **argv) {
  if (argc != 6) {
    fprintf(stderr, "usage: occt_sides MESH.stl POINTS.f64 OUT THREADS LIMIT\n");
    return 2;
  }
  Res r;
  r.peer = "occt_sides";
  r.mesh = argv[1];
  r.pts = argv[2];
  r.th = atoi(argv[4]);
  double limit = atof(argv[5]);
  double start = now();
  Soup soup = loadSTL(argv[1]);
  r.load = now() - start;
  start = now();
  Mesh mesh = weld(soup);
  r.weld = now() - start;
  r.nt = mesh.nf;
  std::vector<double> points = loadPts(argv[2]);

  try {
    // A classifier keeps state between calls, so each thread has its own for each solid. The time is
    // that of the classifiers of one thread.
    typedef std::vector<std::unique_ptr<BRepClass3d_SolidClassifier>> Classifiers;
    std::vector<Classifiers> classifiers(r.th);
    std::vector<TopoDS_Solid> solids;
    auto make = [&](int t) {
      classifiers[t].clear();
      for (auto &solid : solids)
        classifiers[t].emplace_back(new BRepClass3d_SolidClassifier(solid));
    };
    builds(r, limit, [&] {
      solids = solidsOf(mesh);
      if (solids.empty())
        throw Standard_Failure("sewing made no shell");
      make(0);
    });
    for (int t = 1; t < r.th; t++)
      make(t);
    ask(r, points.size() / 3, limit, [&](int t) {
      return [&, t](size_t i) -> uint8_t {
        uint8_t side = 0;
        for (auto &classifier : classifiers[t]) {
          classifier->Perform(gp_Pnt(points[3 * i], points[3 * i + 1], points[3 * i + 2]), Precision::Confusion());
          if (classifier->State() == TopAbs_ON)
            return 2;
          if (classifier->State() == TopAbs_IN)
            side = 1;
        }
        return side;
      };
    });
  } catch (const Standard_Failure &failure) {
    fprintf(stderr, "OpenCASCADE: %s\n", failure.GetMessageString());
    return 1;
  }
  r.rss = rssKB();
  report(r, argv[3]);
}
