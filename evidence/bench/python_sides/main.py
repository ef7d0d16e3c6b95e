"""Sides of points by Python libraries: trimesh, Open3D, VTK and PyVista.

The arguments, the output and the exit codes are those of the drivers that use sides.h.
"""

import json
import sys
import time

import numpy as np


class Refused(Exception):
    """The library refuses the mesh."""


def load_ply(path):
    """Read the binary PLY files that bench writes: vertices of three doubles, faces of three indices."""
    data = open(path, "rb").read()
    head, _, body = data.partition(b"end_header\n")
    count = {w[1]: int(w[2]) for w in (line.split() for line in head.splitlines()) if w[0] == b"element"}
    n = count[b"vertex"]
    vertices = np.frombuffer(body, "<f8", 3 * n).reshape(-1, 3).copy()
    face = np.dtype([("corners", "u1"), ("index", "<i4", 3)])
    faces = np.frombuffer(body, face, count[b"face"], 24 * n)["index"].copy()
    return vertices, faces


def sides_of_distance(inside):
    """Return the bytes for signed distances that are positive inside."""
    return np.where(inside > 0, 1, np.where(inside == 0, 2, 0)).astype(np.uint8)


def trimesh_version():
    import rtree  # without it, trimesh finds no nearest faces
    import trimesh

    assert rtree
    rays = "embreex" if trimesh.ray.has_embree else "rtree"
    return f"{trimesh.__version__}, rays by {rays}"


def trimesh_mesh(vertices, faces):
    import trimesh

    mesh = trimesh.Trimesh(vertices, faces, process=False)
    assert len(mesh.triangles_tree) == len(faces)  # builds the tree
    return mesh


def trimesh_contains(vertices, faces):
    mesh = trimesh_mesh(vertices, faces)
    return lambda points: mesh.contains(points).astype(np.uint8)


def trimesh_distance(vertices, faces):
    import trimesh

    mesh = trimesh_mesh(vertices, faces)
    return lambda points: sides_of_distance(trimesh.proximity.signed_distance(mesh, points))


def open3d_version():
    import open3d

    mesh = open3d.t.geometry.TriangleMesh.from_legacy(open3d.geometry.TriangleMesh.create_sphere())
    scene = open3d.t.geometry.RaycastingScene()
    scene.add_triangles(mesh)
    inside = scene.compute_occupancy(open3d.core.Tensor(np.array([[0.1, 0.2, 0.05]], np.float32)))
    assert inside.numpy()[0] == 1, "this build of Open3D finds no hits of rays; see open3d_mask"
    return open3d.__version__


def open3d_scene(vertices, faces):
    import open3d

    core = open3d.core
    scene = open3d.t.geometry.RaycastingScene()
    scene.add_triangles(
        core.Tensor(vertices.astype(np.float32)), core.Tensor(faces.astype(np.uint32))
    )
    tensor = lambda points: core.Tensor(points.astype(np.float32))
    scene.compute_occupancy(tensor(vertices[:1]))  # builds the tree
    return scene, tensor


def open3d_occupancy(vertices, faces):
    scene, tensor = open3d_scene(vertices, faces)
    return lambda points: scene.compute_occupancy(tensor(points)).numpy().astype(np.uint8)


def open3d_distance(vertices, faces):
    scene, tensor = open3d_scene(vertices, faces)
    return lambda points: sides_of_distance(-scene.compute_signed_distance(tensor(points)).numpy())


def vtk_version():
    import vtkmodules.vtkFiltersModeling
    from vtkmodules.vtkCommonCore import vtkVersion

    assert vtkmodules.vtkFiltersModeling
    return vtkVersion.GetVTKVersion()


def vtk_points(points):
    from vtkmodules.util.numpy_support import numpy_to_vtk
    from vtkmodules.vtkCommonCore import vtkPoints

    out = vtkPoints()
    out.SetData(numpy_to_vtk(points, deep=True))
    return out


def vtk_surface(vertices, faces):
    from vtkmodules.util.numpy_support import numpy_to_vtkIdTypeArray
    from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData

    cells = vtkCellArray()
    sized = np.column_stack([np.full(len(faces), 3), faces]).astype(np.int64).ravel()
    cells.ImportLegacyFormat(numpy_to_vtkIdTypeArray(sized, deep=True))
    surface = vtkPolyData()
    surface.SetPoints(vtk_points(vertices))
    surface.SetPolys(cells)
    return surface


def vtk_select(tolerance):
    def build(vertices, faces):
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkCommonDataModel import vtkPolyData
        from vtkmodules.vtkFiltersModeling import vtkSelectEnclosedPoints

        surface = vtk_surface(vertices, faces)

        def side(points):
            cloud = vtkPolyData()
            cloud.SetPoints(vtk_points(points))
            select = vtkSelectEnclosedPoints()
            if tolerance is not None:
                select.SetTolerance(tolerance)
            select.SetInputData(cloud)
            select.SetSurfaceData(surface)
            select.Update()
            return vtk_to_numpy(select.GetOutput().GetPointData().GetArray("SelectedPoints")).astype(np.uint8)

        return side

    return build


def vtk_distance(vertices, faces):
    from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkDoubleArray
    from vtkmodules.vtkFiltersCore import vtkImplicitPolyDataDistance

    distance = vtkImplicitPolyDataDistance()
    distance.SetInput(vtk_surface(vertices, faces))

    def side(points):
        out = vtkDoubleArray()
        distance.EvaluateFunction(numpy_to_vtk(points, deep=True), out)
        return sides_of_distance(-vtk_to_numpy(out))

    return side


def pyvista_version():
    import pyvista

    return pyvista.__version__


def pyvista_select(name, array):
    def build(vertices, faces):
        import pyvista

        sized = np.column_stack([np.full(len(faces), 3), faces]).ravel()
        surface = pyvista.PolyData(vertices, sized)

        def side(points):
            try:
                selected = getattr(pyvista.PolyData(points), name)(surface)
            except RuntimeError as error:  # the surface is not closed
                raise Refused(error) from error
            return np.asarray(selected[array]).astype(np.uint8)

        return side

    return build


MODES = {
    "trimesh-contains": (trimesh_version, trimesh_contains),
    "trimesh-distance": (trimesh_version, trimesh_distance),
    "open3d-occupancy": (open3d_version, open3d_occupancy),
    "open3d-distance": (open3d_version, open3d_distance),
    "vtk-select": (vtk_version, vtk_select(None)),
    "vtk-select-0": (vtk_version, vtk_select(0.0)),
    "vtk-select-0.001": (vtk_version, vtk_select(0.001)),
    "vtk-distance": (vtk_version, vtk_distance),
    "pyvista-enclosed": (pyvista_version, pyvista_select("select_enclosed_points", "SelectedPoints")),
    "pyvista-interior": (pyvista_version, pyvista_select("select_interior_points", "selected_points")),
}


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--version" and arguments[1] in MODES:
        print(MODES[arguments[1]][0]())
        return 0
    if len(arguments) != 6 or arguments[5] not in MODES:
        print("usage: main.py MESH.ply POINTS.f64 OUT THREADS LIMIT", "|".join(MODES), file=sys.stderr)
        return 2
    path, list_of_points, out, threads, limit, mode = arguments
    version, build = MODES[mode]
    version()  # imports the library
    vertices, faces = load_ply(path)
    points = np.fromfile(list_of_points, "<f8").reshape(-1, 3)
    start = time.process_time()
    try:
        side = build(vertices, faces)
        built = time.process_time() - start
        begin, start = time.monotonic(), time.process_time()
        answers, answered, block = [], 0, 64
        while answered < len(points) and (answered == 0 or time.monotonic() - begin < float(limit) / 2):
            answers.append(side(points[answered : answered + block]))
            answered = min(len(points), answered + block)
            block *= 2
    except Refused as error:
        print(error, file=sys.stderr)
        return 3
    query = time.process_time() - start
    sides = np.concatenate(answers).astype(np.uint8)
    sides.tofile(out)
    print(
        json.dumps(
            {
                "np": answered,
                "nt": len(faces),
                "threads": int(threads),
                "build": built,
                "query": query,
                "mqps": answered / query / 1e6,
                "inside": int((sides == 1).sum()),
                "boundary": int((sides == 2).sum()),
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
