"""Writes files with VTK's own writers, and prints what VTK's readers find in them.

Usage: python3 vtkfiles.py FOLDER. Each line of the output has the name of a file, the number of points, the
box, the number of triangles of the outer surface, and the volume inside it.
"""
import contextlib
import io
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


# For each class of data, the names of its classes of legacy files and XML files, and the suffix of the latter
KINDS = {
    "vtkPolyData": ("PolyData", "PolyData", "vtp"),
    "vtkUnstructuredGrid": ("UnstructuredGrid", "UnstructuredGrid", "vtu"),
    "vtkStructuredGrid": ("StructuredGrid", "StructuredGrid", "vts"),
    "vtkRectilinearGrid": ("RectilinearGrid", "RectilinearGrid", "vtr"),
    "vtkImageData": ("StructuredPoints", "ImageData", "vti"),
}


def kind_of(data):
    return KINDS[data.GetClassName()]


def make(name):
    return getattr(vtk, name)()


def write_legacy(name, data):
    kind = kind_of(data)[0]
    for version in (42, 51):
        for binary in (False, True):
            w = make("vtk" + kind + "Writer")
            w.SetInputData(data)
            w.SetFileVersion(version)
            w.SetFileTypeToBinary() if binary else w.SetFileTypeToASCII()
            path = "%s-%d-%s.vtk" % (name, version, "binary" if binary else "ascii")
            w.SetFileName(folder + "/" + path)
            w.Write()
            report(path, make("vtk" + kind + "Reader"))


MODES = ("ascii", "inline", "raw", "base64")
COMPRESSORS = ("none", "zlib", "lz4", "lzma")


def xml_writer(kind, path, mode, compressor, wide, big, block):
    w = make("vtkXML" + kind + "Writer")
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
    _, kind, suffix = kind_of(data)
    for k, (mode, compressor, wide, big) in enumerate(variants(everything)):
        path = "%s-%s-%s-%d-%s.%s" % (name, mode, compressor, 64 if wide else 32, "big" if big else "little", suffix)
        w = xml_writer(kind, path, mode, compressor, wide, big, 256 if k % 2 else 32768)
        w.SetInputData(data)
        w.Write()
        report(path, make("vtkXML" + kind + "Reader"))


def write_pieces(name, data, pieces, ghosts):
    """Writes a file of several pieces with layers of ghost cells."""
    _, kind, suffix = kind_of(data)
    part = vtk.vtkExtractPolyDataPiece() if suffix == "vtp" else vtk.vtkExtractUnstructuredGridPiece()
    part.SetInputData(data)
    for mode, compressor in (("ascii", "none"), ("raw", "zlib"), ("inline", "lz4")):
        path = "%s-%d-pieces-%d-layers-%s.%s" % (name, pieces, ghosts, mode, suffix)
        w = xml_writer(kind, path, mode, compressor, False, False, 32768)
        w.SetInputConnection(part.GetOutputPort())
        w.SetNumberOfPieces(pieces)
        w.SetGhostLevel(ghosts)
        w.Write()
        report(path, make("vtkXML" + kind + "Reader"), data)


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

for data in (sphere.GetOutput(), cells_of(12)):
    _, kind, suffix = kind_of(data)
    path = "steps." + suffix
    w = xml_writer(kind, path, "raw", "zlib", False, False, 32768)
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
    report(path, make("vtkXML" + kind + "Reader"))

# No reader of this project decodes LZMA.
w = xml_writer("PolyData", "lzma.vtp", "raw", "lzma", False, False, 32768)
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


# Structured grids. Their surface is that of the same visible cells in an unstructured grid.
def cells_alone(data):
    visible = vtk.vtkIdList()
    for i in range(data.GetNumberOfCells()):
        if data.IsCellVisible(i):
            visible.InsertNextId(i)
    append = vtk.vtkAppendFilter()
    append.SetInputData(data)
    append.MergePointsOn()
    append.SetOutputPointsPrecision(vtk.vtkAlgorithm.DOUBLE_PRECISION)
    extract = vtk.vtkExtractCells()
    extract.SetInputConnection(append.GetOutputPort())
    extract.SetCellList(visible)
    extract.Update()
    out = extract.GetOutput()
    for attributes in (out.GetCellData(), out.GetPointData()):
        attributes.Initialize()
    return out


def report_structured(path, reader, whole, unknown=False):
    """Prints what the reader finds. The surface of cells in a left-handed order is turned outward. If the number
    of points in the file is unknown, because pieces share points, it prints -1."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        report(path, reader, whole)
    text = out.getvalue().split()
    if unknown:
        text[1] = "-1"
    if whole.GetCell(0).GetCellDimension() == 3:
        text[-1] = text[-1].lstrip("-")
    print(*text)


def image_of(dimensions, spacing=(1, 0.5, 2), origin=(3, -1, 0.25), direction=None):
    image = vtk.vtkImageData()
    image.SetDimensions(*dimensions)
    image.SetSpacing(*spacing)
    image.SetOrigin(*origin)
    if direction:
        image.SetDirectionMatrix(direction)
    return image


def rectilinear_of(*axes):
    grid = vtk.vtkRectilinearGrid()
    grid.SetDimensions(*(len(a) for a in axes))
    for a, put in zip(axes, (grid.SetXCoordinates, grid.SetYCoordinates, grid.SetZCoordinates)):
        array = vtk.vtkDoubleArray()
        for x in a:
            array.InsertNextValue(x)
        put(array)
    return grid


def curved_of(dimensions, turn):
    """Returns a grid around an axis. With turn = 1, it meets itself."""
    grid = vtk.vtkStructuredGrid()
    grid.SetDimensions(*dimensions)
    points = vtk.vtkPoints()
    points.SetDataTypeToDouble()
    for k in range(dimensions[2]):
        for j in range(dimensions[1]):
            for i in range(dimensions[0]):
                angle = 2 * numpy.pi * (i / (dimensions[0] - 1) * turn % 1)
                points.InsertNextPoint((2 + j) * numpy.cos(angle), (2 + j) * numpy.sin(angle), k)
    grid.SetPoints(points)
    return grid


def blanked(data, cells=(), points=()):
    for attributes, count, hidden, flag in ((data.GetCellData(), data.GetNumberOfCells(), cells, 32), (data.GetPointData(), data.GetNumberOfPoints(), points, 2)):
        flags = vtk.vtkUnsignedCharArray()
        flags.SetName("vtkGhostType")
        for i in range(count):
            flags.InsertNextValue(flag if i in hidden else 0)
        if hidden:
            attributes.AddArray(flags)
    return data


def write_structured_xml(name, data, encodings, pieces=1, source=None):
    """Writes files. A source writes pieces that share the points between them. Without a source, each piece has
    all cells."""
    whole = cells_alone(data)
    _, kind, suffix = kind_of(data)
    for k, (mode, compressor, wide, big) in enumerate(encodings):
        path = "%s-%s-%s-%d-%s.%s" % (name, mode, compressor, 64 if wide else 32, "big" if big else "little", suffix)
        w = xml_writer(kind, path, mode, compressor, wide, big, 256 if k % 2 else 32768)
        w.SetInputConnection(source) if source else w.SetInputData(data)
        w.SetNumberOfPieces(pieces)
        w.Write()
        report_structured(path, make("vtkXML" + kind + "Reader"), whole, pieces > 1)


for name, data in (
    ("image", image_of((3, 4, 5))), ("slice", image_of((3, 4, 1))), ("mirrored", image_of((3, 4, 2), spacing=(-1, 1, 1))),
    ("rectilinear", rectilinear_of((0, 1, 3), (-1, 0.5), (2, 2.5, 4, 5))), ("plane", rectilinear_of((1,), (0, 1, 4), (0, 2, 3))),
    ("arc", curved_of((9, 3, 4), 0.5)), ("ring", curved_of((9, 3, 4), 1)), ("disk", curved_of((9, 3, 1), 1)), ("tube", curved_of((9, 1, 3), 1)),
):
    whole = cells_alone(data)
    kind = kind_of(data)[0]
    for version in (42, 51):
        for binary in (False, True):
            w = make("vtk" + kind + "Writer")
            w.SetInputData(data)
            w.SetFileVersion(version)
            w.SetFileTypeToBinary() if binary else w.SetFileTypeToASCII()
            w.SetWriteExtent(binary)
            path = "%s-%d-%s.vtk" % (name, version, "binary" if binary else "ascii")
            w.SetFileName(folder + "/" + path)
            w.Write()
            report_structured(path, make("vtk" + kind + "Reader"), whole)
    write_structured_xml(name, data, variants(name in ("ring", "rectilinear")))
    write_structured_xml(name + "-pieces", data, variants(False)[:2], 3)

write_structured_xml("rotated", image_of((3, 4, 5), direction=(0, 0, 1, 1, 0, 0, 0, 1, 0)), variants(False))
write_structured_xml("turned", image_of((3, 4, 5), direction=(0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1)), variants(False))
write_structured_xml("blanked-image", blanked(image_of((4, 4, 4)), cells=(0, 13)), variants(False))
write_structured_xml("blanked-ring", blanked(curved_of((9, 3, 4), 1), cells=(3,), points=(0, 50)), variants(False))
write_structured_xml("blanked-disk", blanked(curved_of((9, 4, 1), 0.5), points=(13,)), variants(False))

wavelet = vtk.vtkRTAnalyticSource()
wavelet.SetWholeExtent(-2, 3, 0, 4, 1, 6)
wavelet.Update()
image = vtk.vtkImageData()
image.DeepCopy(wavelet.GetOutput())
for pieces in (2, 5, 8):
    write_structured_xml("wavelet-%d" % pieces, image, variants(False), pieces, wavelet.GetOutputPort())
