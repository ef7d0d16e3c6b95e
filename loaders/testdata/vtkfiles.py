"""Writes files with VTK's own writers, and prints what VTK's readers find in them.

Usage: python3 vtkfiles.py FOLDER. Each line of the output has the name of a file, the number of points, the
box, and the volume of the surface.
"""
import sys
import vtk

folder = sys.argv[1]


def surface(data):
    """Returns the triangles of the outer surface."""
    extract = vtk.vtkDataSetSurfaceFilter()
    extract.SetInputData(data)
    triangles = vtk.vtkTriangleFilter()
    triangles.SetInputConnection(extract.GetOutputPort())
    triangles.PassLinesOff()
    triangles.PassVertsOff()
    triangles.Update()
    return triangles.GetOutput()


def write(name, data):
    poly = data.IsA("vtkPolyData")
    for version in (42, 51):
        for binary in (False, True):
            w = vtk.vtkPolyDataWriter() if poly else vtk.vtkUnstructuredGridWriter()
            w.SetInputData(data)
            w.SetFileVersion(version)
            w.SetFileTypeToBinary() if binary else w.SetFileTypeToASCII()
            path = "%s-%d-%s.vtk" % (name, version, "binary" if binary else "ascii")
            w.SetFileName(folder + "/" + path)
            w.Write()
            r = vtk.vtkPolyDataReader() if poly else vtk.vtkUnstructuredGridReader()
            r.SetFileName(folder + "/" + path)
            r.Update()
            got = r.GetOutput()
            mass = vtk.vtkMassProperties()
            mass.SetInputData(surface(got))
            print(path, got.GetNumberOfPoints(), *got.GetBounds(), mass.GetVolume())


sphere = vtk.vtkSphereSource()
sphere.SetThetaResolution(17)
sphere.SetPhiResolution(11)
sphere.Update()
write("sphere", sphere.GetOutput())

stripper = vtk.vtkStripper()
stripper.SetInputConnection(sphere.GetOutputPort())
stripper.Update()
write("strips", stripper.GetOutput())

cube = vtk.vtkCubeSource()
cube.SetXLength(3)
clean = vtk.vtkCleanPolyData()
clean.SetInputConnection(cube.GetOutputPort())
clean.Update()
write("quads", clean.GetOutput())

delaunay = vtk.vtkDelaunay3D()
delaunay.SetInputConnection(sphere.GetOutputPort())
delaunay.Update()
write("tetrahedra", delaunay.GetOutput())

for kind, name in ((11, "voxels"), (12, "hexahedra"), (13, "wedges"), (14, "pyramids"), (10, "tetrahedra2"),
                   (25, "quadratic"), (42, "polyhedra")):
    cells = vtk.vtkCellTypeSource()
    cells.SetCellType(kind)
    cells.SetBlocksDimensions(2, 3, 2)
    cells.Update()
    if cells.GetOutput().GetNumberOfCells() > 0:
        write(name, cells.GetOutput())
