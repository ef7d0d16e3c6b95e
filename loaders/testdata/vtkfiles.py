"""Writes files with VTK's own writers, and prints what VTK's readers find in them.

Usage: python3 vtkfiles.py FOLDER. Each line of the output has the name of a file, the number of points, the
box, the number of triangles of the outer surface, and the volume inside it.
"""
import itertools
import sys

import numpy
import vtk
from vtk.util.numpy_support import vtk_to_numpy

folder = sys.argv[1]


def surface(data):
    """Returns the triangles of the outer surface, with flat faces, as an array of corners."""
    extract = vtk.vtkDataSetSurfaceFilter()
    extract.SetInputData(data)
    extract.SetNonlinearSubdivisionLevel(0)
    triangles = vtk.vtkTriangleFilter()
    triangles.SetInputConnection(extract.GetOutputPort())
    triangles.PassLinesOff()
    triangles.PassVertsOff()
    triangles.Update()
    out = triangles.GetOutput()
    points = vtk_to_numpy(out.GetPoints().GetData()).astype(float)
    return points[vtk_to_numpy(out.GetPolys().GetConnectivityArray()).reshape(-1, 3)]


def report(path, reader, whole=None):
    """Prints what the reader finds. If the file has several pieces, the surface is that of the whole."""
    reader.SetFileName(folder + "/" + path)
    reader.Update()
    got = reader.GetOutput()
    corners = surface(whole or got)
    volume = numpy.einsum("ij,ij->", corners[:, 0], numpy.cross(corners[:, 1], corners[:, 2])) / 6
    print(path, got.GetNumberOfPoints(), *got.GetBounds(), len(corners), volume)


def write_legacy(name, data):
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
            report(path, vtk.vtkPolyDataReader() if poly else vtk.vtkUnstructuredGridReader())


MODES = ("ascii", "inline", "raw", "base64")
COMPRESSORS = ("none", "zlib", "lz4", "lzma")


def xml_writer(poly, path, mode, compressor, wide, big, block):
    w = vtk.vtkXMLPolyDataWriter() if poly else vtk.vtkXMLUnstructuredGridWriter()
    w.SetFileName(folder + "/" + path)
    w.SetDataMode({"ascii": 0, "inline": 1, "raw": 2, "base64": 2}[mode])
    w.SetEncodeAppendedData(mode == "base64")
    w.SetCompressorType(COMPRESSORS.index(compressor))
    w.SetHeaderType(64 if wide else 32)
    w.SetByteOrder(0 if big else 1)
    w.SetBlockSize(block)
    return w


def variants(everything):
    """Returns encodings: all, or some that cover each choice."""
    if everything:
        return [("ascii", "none", False, False)] + list(
            itertools.product(MODES[1:], COMPRESSORS[:3], (False, True), (False, True)))
    return [("ascii", "zlib", True, False), ("inline", "zlib", False, True), ("raw", "lz4", True, False), ("base64", "none", False, False)]


def write_xml(name, data, everything=False):
    poly = data.IsA("vtkPolyData")
    for k, (mode, compressor, wide, big) in enumerate(variants(everything)):
        path = "%s-%s-%s-%d-%s.%s" % (name, mode, compressor, 64 if wide else 32, "big" if big else "little", "vtp" if poly else "vtu")
        w = xml_writer(poly, path, mode, compressor, wide, big, 256 if k % 2 else 32768)
        w.SetInputData(data)
        w.Write()
        report(path, vtk.vtkXMLPolyDataReader() if poly else vtk.vtkXMLUnstructuredGridReader())


def write_pieces(name, data, pieces, ghosts):
    """Writes a file of several pieces with layers of ghost cells."""
    poly = data.IsA("vtkPolyData")
    part = vtk.vtkExtractPolyDataPiece() if poly else vtk.vtkExtractUnstructuredGridPiece()
    part.SetInputData(data)
    for mode, compressor in (("ascii", "none"), ("raw", "zlib"), ("inline", "lz4")):
        path = "%s-%d-pieces-%d-layers-%s.%s" % (name, pieces, ghosts, mode, "vtp" if poly else "vtu")
        w = xml_writer(poly, path, mode, compressor, False, False, 32768)
        w.SetInputConnection(part.GetOutputPort())
        w.SetNumberOfPieces(pieces)
        w.SetGhostLevel(ghosts)
        w.Write()
        report(path, vtk.vtkXMLPolyDataReader() if poly else vtk.vtkXMLUnstructuredGridReader(), data)


def write(name, data, everything=False):
    write_legacy(name, data)
    write_xml(name, data, everything)


def cells_of(kind):
    cells = vtk.vtkCellTypeSource()
    cells.SetCellType(kind)
    cells.SetBlocksDimensions(2, 3, 2)
    cells.Update()
    return cells.GetOutput()


def polyhedra_of(data):
    """Returns the cells as polyhedra. Every third cell stays as it is."""
    grid = vtk.vtkUnstructuredGrid()
    grid.SetPoints(data.GetPoints())
    for i in range(data.GetNumberOfCells()):
        cell = data.GetCell(i)
        if i % 3 == 2:
            grid.InsertNextCell(cell.GetCellType(), cell.GetPointIds())
            continue
        ids = vtk.vtkIdList()
        ids.InsertNextId(cell.GetNumberOfFaces())
        for k in range(cell.GetNumberOfFaces()):
            face = cell.GetFace(k)
            ids.InsertNextId(face.GetNumberOfPoints())
            for j in range(face.GetNumberOfPoints()):
                ids.InsertNextId(face.GetPointId(j))
        grid.InsertNextCell(vtk.VTK_POLYHEDRON, ids)
    return grid


sphere = vtk.vtkSphereSource()
sphere.SetThetaResolution(17)
sphere.SetPhiResolution(11)
sphere.Update()
write("sphere", sphere.GetOutput(), everything=True)
write_pieces("sphere", sphere.GetOutput(), 3, 0)
write_pieces("sphere", sphere.GetOutput(), 4, 1)

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

image = vtk.vtkImageData()
image.SetDimensions(3, 4, 5)
image.SetSpacing(1, 0.5, 2)
voxels = vtk.vtkAppendFilter()
voxels.SetInputData(image)
voxels.Update()
write("voxels", voxels.GetOutput())

tetrahedra = vtk.vtkDataSetTriangleFilter()
tetrahedra.SetInputData(image)
tetrahedra.Update()
write("tetrahedra", tetrahedra.GetOutput())
write_pieces("tetrahedra", tetrahedra.GetOutput(), 4, 1)

for kind, name in ((12, "hexahedra"), (13, "wedges"), (14, "pyramids"), (10, "tetrahedra2"),
                   (24, "quadratic10"), (25, "quadratic")):
    write(name, cells_of(kind))
write("polyhedra", polyhedra_of(cells_of(13)), everything=True)
write_pieces("hexahedra", cells_of(12), 3, 1)
write_pieces("hexahedra", cells_of(12), 5, 2)

for poly, data in ((True, sphere.GetOutput()), (False, cells_of(12))):
    path = "steps." + ("vtp" if poly else "vtu")
    w = xml_writer(poly, path, "raw", "zlib", False, False, 32768)
    w.SetInputData(data)
    w.SetNumberOfTimeSteps(2)
    w.Start()
    w.WriteNextTime(0)
    moved = vtk.vtkTransformFilter()
    transform = vtk.vtkTransform()
    transform.Scale(2, 2, 2)
    moved.SetTransform(transform)
    moved.SetInputData(data)
    moved.Update()
    w.SetInputData(moved.GetOutput())
    w.WriteNextTime(1)
    w.Stop()
    report(path, vtk.vtkXMLPolyDataReader() if poly else vtk.vtkXMLUnstructuredGridReader())

# No reader of this project decodes LZMA.
w = xml_writer(True, "lzma.vtp", "raw", "lzma", False, False, 32768)
w.SetInputData(sphere.GetOutput())
w.Write()

# Text in front of the points of legacy files
field = vtk.vtkFieldData()
names = vtk.vtkStringArray()
names.SetName("names")
for s in ("two words", "", "lines\nand %", "x" * 100, "y" * 20000):
    names.InsertNextValue(s)
bits = vtk.vtkBitArray()
bits.SetName("bits")
variants_ = vtk.vtkVariantArray()
variants_.SetName("variants")
for i in range(11):
    bits.InsertNextValue(i % 2)
    variants_.InsertNextValue(vtk.vtkVariant(i))
for a in (names, bits, variants_):
    field.AddArray(a)
sphere.GetOutput().SetFieldData(field)
write_legacy("fields", sphere.GetOutput())
