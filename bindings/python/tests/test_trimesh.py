"""Replacements for trimesh, also beside trimesh itself if it is installed."""

import gc
import weakref

import numpy as np
import pytest

import inpoly
from inpoly.compat import trimesh as exact


class Mesh:
    """A mesh as trimesh has it."""

    def __init__(self, vertices, faces):
        self.vertices, self.faces = np.array(vertices, np.float64), np.array(faces, np.int64)


@pytest.fixture()
def mesh(knot):
    return Mesh(knot.vertices, knot.faces)


def test_answers(mesh, knot, points):
    assert np.array_equal(exact.contains(mesh, points), knot.contains(points))
    assert np.array_equal(exact.signed_distance(mesh, points), -knot.distance(points), equal_nan=True)
    closest, distance, face = exact.closest_point(mesh, points)
    near = knot.nearest(points)
    assert np.array_equal(closest, near.points, equal_nan=True)
    assert np.array_equal(distance, np.abs(near.distances), equal_nan=True)
    assert np.array_equal(face, near.faces) and face.dtype == np.int64
    assert np.array_equal(exact.contains(knot, points.tolist()), knot.contains(points))
    assert exact.contains(mesh, points, tolerance=1.0).sum() > exact.contains(mesh, points).sum()
    for function in (exact.contains, exact.signed_distance, exact.closest_point):
        with pytest.raises(ValueError, match="expected"):
            function(mesh, points[0])
        with pytest.raises(ValueError, match="expected"):
            function(mesh, points[:, :2])
        assert len(function(mesh, points[:0])) in (0, 3)


def test_unknown_side_has_a_distance(knot):
    """The distance does not depend on the side."""
    square = Mesh([[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [1, 1, -2]], [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]])
    p = [[1.0, 1.0, 0.0], [np.nan, 0, 0]]
    assert np.isnan(exact.signed_distance(square, p)).all()
    closest, distance, _ = exact.closest_point(square, p)
    assert distance[0] == pytest.approx(np.linalg.norm(closest[0] - p[0])) and np.isnan(distance[1])


def test_edited_mesh(mesh, points, monkeypatch):
    """A solid is kept for a mesh, until its content or the options change."""
    built = []
    solid = inpoly.Solid

    def count(*arguments, **options):
        built.append(options)
        return solid(*arguments, **options)

    monkeypatch.setattr(exact, "Solid", type("Counted", (), {"__new__": lambda cls, *a, **k: count(*a, **k)}))
    before = exact.contains(mesh, points)
    exact.signed_distance(mesh, points)
    assert len(built) == 1
    mesh.vertices[:, 0] += 5
    moved = exact.contains(mesh, points + [5, 0, 0])
    assert len(built) == 2 and (moved == before).mean() > 0.99
    exact.contains(mesh, points, rule="evenodd")
    assert len(built) == 3
    number, reference = id(mesh), weakref.ref(mesh)
    assert number in exact._cache
    mesh = None
    gc.collect()
    if reference() is None:  # no fixture keeps the mesh
        assert number not in exact._cache


def test_cache_ends_with_the_mesh(knot, points):
    mesh = Mesh(knot.vertices, knot.faces)
    exact.contains(mesh, points)
    number = id(mesh)
    assert number in exact._cache
    del mesh
    gc.collect()
    assert number not in exact._cache

    class Slots:
        __slots__ = ("faces", "vertices")

    bare = Slots()
    bare.vertices, bare.faces = knot.vertices, knot.faces
    assert np.array_equal(exact.contains(bare, points), knot.contains(points))


def test_intersector(mesh, knot, points):
    class Rays:
        def intersects_any(self):
            return "previous"

    mesh.ray = Rays()
    mesh.ray = exact.RayMeshIntersector(mesh)
    assert np.array_equal(mesh.ray.contains_points(points), knot.contains(points))
    assert mesh.ray.intersects_any() == "previous"
    with pytest.raises(AttributeError):
        mesh.ray.nothing
    mesh.ray = None
    with pytest.raises(AttributeError, match="no ray engine, which 'intersects_any' needs"):
        exact.RayMeshIntersector(mesh).intersects_any()


def test_names(points):
    assert dir(exact) == ["RayMeshIntersector", "closest_point", "contains", "signed_distance"]
    assert "annotations" not in dir(inpoly)
    with pytest.raises(TypeError, match="ndarray"):
        exact.contains(points, points)


def test_beside_trimesh(knot, points):
    pytest.importorskip("rtree")
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.Trimesh(knot.vertices, knot.faces, process=False)
    p = points[300:1300]
    far = np.abs(knot.distance(p)) > 1e-6
    assert (mesh.contains(p) == exact.contains(mesh, p))[far].mean() > 0.99
    assert np.allclose(trimesh.proximity.signed_distance(mesh, p), exact.signed_distance(mesh, p), atol=1e-6)
    closest, distance, _ = trimesh.proximity.closest_point(mesh, p)
    assert np.allclose(distance, exact.closest_point(mesh, p)[1], atol=1e-6)
    mesh.ray = exact.RayMeshIntersector(mesh)
    assert np.array_equal(mesh.contains(p), knot.contains(p))
