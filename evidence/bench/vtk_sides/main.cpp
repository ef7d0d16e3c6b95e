// Sides of points by VTK.
// usage: vtk_sides MESH.stl POINTS.f64 OUT THREADS LIMIT MODE
// MODE is select (vtkSelectEnclosedPoints with its tolerance), select0 (with tolerance 0) or
// distance (the sign of vtkImplicitPolyDataDistance). LIMIT is the limit of the queries in seconds.
// limited.h explains the times.
// Writes one byte for each answered point, and prints one line of JSON. common.h is the peers'.
#include "../limited.h"
#include <vtkCellArray.h>
#include <vtkGenericCell.h>
#include <vtkIdList.h>
#include <vtkImplicitPolyDataDistance.h>
#include <vtkIntersectionCounter.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkRandomPool.h>
#include <vtkSMPTools.h>
#include <vtkSelectEnclosedPoints.h>
#include <vtkSmartPointer.h>
#include <vtkStaticCellLocator.h>

static vtkSmartPointer<vtkPolyData> polyData(const Mesh &mesh) {
  vtkNew<vtkPoints> points;
  points->SetDataTypeToFloat();
  points->SetNumberOfPoints(mesh.nv);
  for (size_t i = 0; i < mesh.nv; i++)
    points->SetPoint(i, mesh.V[3 * i], mesh.V[3 * i + 1], mesh.V[3 * i + 2]);
  vtkNew<vtkCellArray> faces;
  faces->AllocateEstimate(mesh.nf, 3);
  for (size_t i = 0; i < mesh.nf; i++) {
    vtkIdType f[3] = {mesh.F[3 * i], mesh.F[3 * i + 1], mesh.F[3 * i + 2]};
    faces->InsertNextCell(3, f);
  }
  auto data = vtkSmartPointer<vtkPolyData>::New();
  data->SetPoints(points);
  data->SetPolys(faces);
  return data;
}

int main(int argc, char **argv) {
  std::string mode = argc == 7 ? argv[6] : "";
  if (mode != "select" && mode != "select0" && mode != "distance") {
    fprintf(stderr, "usage: vtk_sides MESH.stl POINTS.f64 OUT THREADS LIMIT select|select0|distance\n");
    return 2;
  }
  Res r;
  r.peer = "vtk_" + mode;
  r.mesh = argv[1];
  r.pts = argv[2];
  r.th = atoi(argv[4]);
  double limit = atof(argv[5]);
  vtkSMPTools::Initialize(r.th);
  double start = now();
  Soup soup = loadSTL(argv[1]);
  r.load = now() - start;
  start = now();
  Mesh mesh = weld(soup);
  r.weld = now() - start;
  r.nt = mesh.nf;
  std::vector<double> points = loadPts(argv[2]);
  size_t n = points.size() / 3;

  if (mode == "distance") {
    // The function keeps state between calls, so each thread has its own. The time is that of one.
    std::vector<vtkSmartPointer<vtkImplicitPolyDataDistance>> distances(r.th);
    auto make = [&](int t) {
      distances[t] = vtkSmartPointer<vtkImplicitPolyDataDistance>::New();
      distances[t]->SetInput(polyData(mesh));
    };
    builds(r, limit, [&] { make(0); });
    for (int t = 1; t < r.th; t++)
      make(t);
    ask(r, n, limit, [&](int t) {
      return [&, t](size_t i) -> uint8_t {
        double d = distances[t]->EvaluateFunction(&points[3 * i]);
        return d < 0 ? 1 : d == 0 ? 2 : 0;
      };
    });
  } else {
    vtkSmartPointer<vtkPolyData> surface;
    vtkSmartPointer<vtkStaticCellLocator> locator;
    vtkNew<vtkRandomPool> random;
    vtkNew<vtkSelectEnclosedPoints> defaults;
    double tolerance = mode == "select0" ? 0 : defaults->GetTolerance();
    double bounds[6], length = 0;
    builds(r, limit, [&] {
      surface = polyData(mesh);
      surface->BuildCells();
      surface->GetBounds(bounds);
      length = surface->GetLength();
      locator = vtkSmartPointer<vtkStaticCellLocator>::New();
      locator->SetDataSet(surface);
      locator->BuildLocator();
      random->SetSize(std::max<size_t>(n, 1500)); // as the filter does
      random->Modified();
      random->GeneratePool();
    });
    struct Scratch {
      vtkNew<vtkIdList> ids;
      vtkNew<vtkGenericCell> cell;
    };
    std::vector<Scratch> scratch(r.th);
    ask(r, n, limit, [&](int t) {
      return [&, t](size_t i) -> uint8_t {
        vtkIntersectionCounter counter(tolerance, length);
        return vtkSelectEnclosedPoints::IsInsideSurface(&points[3 * i], surface, bounds, length, tolerance, locator,
                                                        scratch[t].ids, scratch[t].cell, counter, random, i) != 0;
      };
    });
  }
  r.rss = rssKB();
  report(r, argv[3]);
}
