"""Solids at poses: composition, descriptions of rotations, refusals, and bounds against fractions."""

import copy
import os
import pickle
from fractions import Fraction as F
from typing import get_args

import numpy as np
import pytest
from conftest import DATA

import inpoly
from inpoly._types import Method
from inpoly.compat import trimesh as compat

V = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
T = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
QUARTER = (np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5))
QUATERNION = np.array([0.9, 0.1, 0.3, np.sqrt(1 - 0.81 - 0.01 - 0.09)])


@pytest.fixture(scope="module")
def solid():
    return inpoly.Solid(V, T)


def moved_back(q, t, p):
    """The exact position of p in the frame of a mesh at a pose."""
    w, x, y, z = map(F, q)
    norm = w * w + x * x + y * y + z * z
    r = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    d = [F(a) - F(b) for a, b in zip(p, t)]
    return [sum(r[i][k] * d[i] for i in range(3)) / norm for k in range(3)]


def squared(p):
    """The square of the distance from the surface of the unit cube, and the side."""
    if all(0 <= c <= 1 for c in p):
        depth = min(min(c, 1 - c) for c in p)
        return depth**2, inpoly.Side.INSIDE if depth > 0 else inpoly.Side.ON_SURFACE
    return sum(max(-c, 0, c - 1) ** 2 for c in p), inpoly.Side.OUTSIDE


def nearest_of_face(corners, p):
    """The point of an axis-aligned right triangle of the cube that is closest to p, for the bound of nearest."""
    a, b, c = (np.array([F(float(x)) for x in v], object) for v in corners)
    best = None
    p = np.array(p, object)
    for u, v in ((a, b), (b, c), (c, a)):
        e = v - u
        s = min(max((p - u).dot(e) / e.dot(e), F(0)), F(1))
        x = u + s * e
        if best is None or (x - p).dot(x - p) < (best - p).dot(best - p):
            best = x
    n = np.cross(b - a, c - a)
    x = p - n * ((p - a).dot(n) / n.dot(n))
    if all(np.cross(v - u, x - u).dot(n) >= 0 for u, v in ((a, b), (b, c), (c, a))):
        best = x
    return best


@pytest.mark.parametrize("method", get_args(Method))
def test_bounds(method):
    """Sides are exact, and the bounds contain the exact values; INPOLY_FULL=1 takes 100,000 points for each method."""
    n = 20_000 if os.environ.get("INPOLY_FULL") else 60
    vertices = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    cube = inpoly.Solid(vertices, [f for a, b, c, d in quads for f in ((a, b, c), (a, c, d))], method=method)
    random = np.random.default_rng(38)
    beyond = 0
    for far in (0.0, 1.0, 1e3, 1e6, 1e9):
        t = (far, -far, far / 3)
        posed = cube.at(QUATERNION, t)
        local = random.uniform(-2, 2, (n, 3))
        near = random.random(n) < 0.5
        local[near] = random.random((near.sum(), 3))
        local[near, random.integers(3, size=near.sum())] = random.integers(2, size=near.sum())
        matrix = np.array([[float(x) for x in moved_back(QUATERNION, (0, 0, 0), e)] for e in np.eye(3).tolist()])
        points = local @ matrix.T + t
        got = posed.locate(points, "side", "distance", "distance_bound", "winding", "winding_bound", "face", "nearest", "nearest_bound")
        assert np.array_equal(got["distance"], posed.distance(points)) and np.array_equal(got["side"], posed.sides(points))
        assert np.array_equal(got["side"] >= 2, posed.contains(points)) and (posed.body(points) == np.where(got["side"] >= 2, 0, -1)).all()
        for i, p in enumerate(points.tolist()):
            exact = moved_back(QUATERNION, t, p)
            square, side = squared(exact)
            d, bound = F(float(abs(got["distance"][i]))), F(float(got["distance_bound"][i]))
            assert got["side"][i] == side and (got["distance"][i] < 0) == (side == 3) and (d == 0) == (side == 2), (far, p)
            assert max(d - bound, 0) ** 2 <= square <= (d + bound) ** 2, (far, p, float(d), float(bound))
            alone = F(float(np.spacing(float(d))))
            beyond += not max(d - alone, 0) ** 2 <= square <= (d + alone) ** 2
            if side != 2:
                assert got["winding"][i] == (side == 3) and got["winding_bound"][i] == 0
            own = nearest_of_face(np.array(vertices)[cube.faces[got["face"][i]]], exact)
            off = np.array(moved_back(QUATERNION, t, got["nearest"][i].tolist()), object) - own
            assert off.dot(off) <= F(float(got["nearest_bound"][i])) ** 2, (far, p)
            assert (own - exact).dot(own - exact) <= (d + bound) ** 2
    assert beyond > n


def test_composition(solid):
    both = solid.at(translation=(10, 0, 0)).at(translation=(0, 5, 0))
    assert both.contains([(10.1, 5.1, 0.1), (0.1, 5.1, 0.1), (10.1, 0.1, 0.1)]).tolist() == [True, False, False]
    assert both.pose.rotation.tolist() == [1, 0, 0, 0] and both.pose.translation.tolist() == [10, 5, 0]
    assert solid.pose is None and repr(solid) + ", at a pose" == repr(both).replace("surface, at a pose>", "surface>, at a pose")
    turned = solid.at(translation=(10, 0, 0)).at(QUARTER)
    assert turned.pose.rotation.tolist() == list(QUARTER) and turned.pose.translation.tolist() == [0, 10, 0]
    assert turned.contains((-0.1, 10.1, 0.1)) and turned.at(solid.at(QUARTER).pose).contains((-10.1, -0.1, 0.1))
    whole = turned.at(QUARTER).at(QUARTER).at(QUARTER)
    assert np.array_equal(whole.pose.translation, (10, 0, 0)) and abs(whole.pose.rotation[0]) == 1
    for again in (pickle.loads(pickle.dumps(turned)), copy.copy(turned)):
        assert all(np.array_equal(a, b) for a, b in zip(again.pose, turned.pose)) and again.contains((-0.1, 10.1, 0.1))
    apart = inpoly.Assembly([(V, T), (V, T)]).at(translation=[(0, 0, 0), (50, 0, 0)])
    further = apart.at(translation=[(0, 1, 0), (0, 2, 0)])
    assert further.pose.translation.tolist() == [[0, 1, 0], [50, 2, 0]] and further.pose.rotation.shape == (2, 4)
    assert further.body([(0.1, 1.1, 0.1), (50.1, 2.1, 0.1), (50.1, 0.1, 0.1)]).tolist() == [0, 1, -1]
    same = inpoly.Assembly([(V, T), (V, T)]).at(further.pose)
    assert np.array_equal(same.pose.translation, further.pose.translation)


def test_bounding_box(solid):
    assert solid.at(QUARTER, (10, 0, 0)).bounds.tolist() == [[9, 0, 0], [10, 1, 1]]
    posed = solid.at(QUATERNION, (10, 20, 30))
    corners = solid.at(QUATERNION, (10, 20, 30)).nearest(np.array(V) + (10.0, 20.0, 30.0)).points
    assert (posed.bounds[0] <= corners).all() and (corners <= posed.bounds[1]).all()
    assert (posed.bounds[1] - posed.bounds[0] < 2).all() and solid.bounds.tolist() == [[0, 0, 0], [1, 1, 1]]


def test_nothing_ignores_the_pose(solid):
    """Every method and attribute honors the pose, describes the mesh alone, or refuses."""
    posed = solid.at(translation=(10, 0, 0))
    refused = {"mesh": (), "vertices": None}
    for name, arguments in refused.items():
        with pytest.raises(inpoly.ArgumentError, match="of solids at poses are not supported: .*without"):
            attribute = getattr(posed, name)
            attribute(*arguments)
    honor = {
        "at", "body", "bounds", "contains", "distance", "locate", "nearest", "pose", "sides", "winding",
        "explain", "first_hits", "any_hits", "all_hits", "intervals", "polyline_intervals", "section", "sections",
        "draw_sections", "measure", "refit",
    }  # fmt: skip
    of_the_mesh = {"close", "faces", "is_closed", "names", "report", "warnings"}
    assert {a for a in dir(posed) if not a.startswith("_")} == set(refused) | honor | of_the_mesh
    assert np.array_equal(posed.faces, solid.faces) and posed.is_closed and posed.names == solid.names


def test_queries_at_a_pose(solid):
    """Lines, planes, measures and explanations are those of the moved mesh."""
    quarter = solid.at(QUARTER, (10, 0, 0))  # x' = 10 − y, y' = x
    plain, lines = solid.first_hits([0.1, 0.2, -1], [0, 0, 1]), ([9.8, 0.1, -1], [0, 0, 1])
    hit = quarter.first_hits(*lines)
    assert (hit.t, hit.faces, hit.signs) == (plain.t, plain.faces, plain.signs) and quarter.any_hits(*lines)
    assert len(quarter.all_hits(*lines).t) == 2
    assert quarter.intervals([9.8, 0.1, -1], [9.8, 0.1, 2]).sides.tolist() == [1, 3, 1]
    assert quarter.polyline_intervals([[[9.8, 0.1, -1], [9.8, 0.1, 0.5]]]).sides.tolist() == [1, 3]
    assert quarter.section((0, 0, 0.5), (0, 0, 1)).area == solid.section((0, 0, 0.5), (0, 0, 1)).area == 0.125
    assert "<svg" in quarter.draw_sections((0, 0, 0.5), (0, 0, 1))
    turned = solid.at(QUATERNION, (1, 2, 3))
    m, p = solid.measure(), turned.measure()
    assert (m.volume, m.area) == (p.volume, p.area)
    w, x, y, z = QUATERNION
    v = np.array([x, y, z])
    c = m.centroid + 2 * np.cross(v, np.cross(v, m.centroid) + w * m.centroid) / (QUATERNION @ QUATERNION) + (1, 2, 3)
    assert (np.abs(p.centroid - c) < 1e-14).all() and (p.centroid_bound < 1e-14).all()
    assert np.allclose(np.linalg.eigvalsh(p.inertia), m.moments, atol=1e-15)
    why = turned.explain(p.centroid)[0]
    assert why["side"] == "in" and why["winding"] == 1 and why["nearest"]["distance"] == turned.distance(p.centroid)


def test_solids_of_posed_solids(solid):
    turned = solid.at(QUATERNION, (10, 0, 0))
    inside, old = tuple(float(x) for x in turned.measure().centroid), tuple(float(x) for x in solid.measure().centroid)
    again = inpoly.Solid(turned, rule="evenodd")
    assert again.contains([inside, old]).tolist() == [True, False]
    assert (again.pose.rotation == turned.pose.rotation).all() and (again.pose.translation == turned.pose.translation).all()
    assert again.at(translation=(0, 5, 0)).contains((inside[0], inside[1] + 5, inside[2]))
    for pair in (inpoly.Assembly({"a": solid, "b": turned}), inpoly.Assembly([(V, T), turned])):
        assert [pair.body(p) for p in (old, inside, (99, 0, 0))] == [0, 1, -1]
        assert (pair.pose.rotation == [(1, 0, 0, 0), turned.pose.rotation]).all()
        assert pickle.loads(pickle.dumps(pair)).body(inside) == 1
        with pytest.raises(inpoly.ArgumentError, match="different poses"):
            inpoly.Solid(pair)
    both = inpoly.Assembly([(V, T), (V, T)]).at(translation=(10, 0, 0))
    assert inpoly.Solid(both, warn=False).contains((10.1, 0.1, 0.1))
    with pytest.raises(inpoly.ArgumentError, match="without"):
        inpoly.Solid(turned.vertices, turned.faces)


def test_closing_posed_solids():
    """A solid that is made of a solid at a pose needs no other one, and keeps none open."""
    s = inpoly.Solid(V, T)
    p = s.at(translation=(10, 0, 0))
    s.close()
    inside = (10.1, 0.1, 0.1)
    made = inpoly.Assembly([p])
    assert made.contains(inside) and inpoly.Solid(p).contains(inside) and p.refit(V).contains(inside)
    assert pickle.loads(pickle.dumps(p)).contains(inside) and compat.contains(p, [inside], rule="evenodd").all()
    p.close()
    for call in (
        lambda: inpoly.Solid(p), lambda: inpoly.Assembly([p]), lambda: p.refit(V), lambda: compat.contains(p, [inside], rule="evenodd"),
    ):  # fmt: skip
        with pytest.raises(inpoly.ClosedError):
            call()
    assert made.contains(inside)
    turned = inpoly.Assembly([(V, T), (V, T)]).at([(1, 0, 0, 0), (-1, 0, 0, 0)], (10, 0, 0))
    assert inpoly.Solid(turned, warn=False).contains(inside)


def test_trimesh_of_posed_solids(solid):
    posed = solid.at(translation=(10, 0, 0))
    points = [[10.1, 0.1, 0.1], [0.1, 0.1, 0.1]]
    for options in ({}, {"rule": "evenodd"}, {"orient": "never"}):
        assert compat.contains(posed, points, **options).tolist() == [True, False]
        assert (compat.signed_distance(posed, points, **options) > 0).tolist() == [True, False]
        closest, distance, _ = compat.closest_point(posed, points, **options)
        assert np.allclose(closest[1], (10, 0.1, 0.1)) and np.allclose(distance[1], 9.9)
        assert compat.RayMeshIntersector(posed, **options).contains_points(points).tolist() == [True, False]
    assert compat.signed_distance(posed, [[10.1, 0.1, 0.1]], tolerance=0.2)[0] > 0


def test_rotations(solid):
    """All descriptions of one rotation give the same answers."""
    transform = pytest.importorskip("scipy.spatial.transform")
    random = np.random.default_rng(5)
    for _ in range(20):
        r = transform.Rotation.from_quat(random.normal(size=4))
        t = random.normal(size=3)
        m = np.eye(4)
        m[:3, :3], m[:3, 3] = r.as_matrix(), t
        points = r.apply(np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.6], [-0.1, 0.2, 0.3]])) + t
        x, y, z, w = r.as_quat()
        ways = [solid.at(r, t), solid.at(r.as_matrix(), t), solid.at(m), solid.at(m[None]), solid.at((w, x, y, z), t), solid.at(m.tolist())]
        if hasattr(transform, "RigidTransform"):
            ways.append(solid.at(transform.RigidTransform.from_components(t, r)))
        for way in ways:
            assert way.contains(points).tolist() == [True, False, False]
            assert np.allclose(np.abs(way.pose.rotation @ (w, x, y, z)), 1, atol=1e-15) and np.array_equal(way.pose.translation, t)
    several = transform.Rotation.from_quat(random.normal(size=(4, 4)))
    four = inpoly.Assembly([(V, T)] * 4)
    posed = four.at(several, np.arange(12).reshape(4, 3))
    assert np.array_equal(posed.pose.rotation, several.as_quat()[:, [3, 0, 1, 2]])
    with pytest.raises(ValueError, match="matrix or four quaternions"):
        four.at(np.eye(4))
    assert four.at(np.eye(4)[None]).pose.translation.shape == (4, 3)


def test_refused_rotations(solid):
    whole = np.eye(4)
    whole[0, 3] = 7
    pose = solid.at(QUARTER).pose
    for call, error, text in [
        (lambda: solid.at(), ValueError, "needs a rotation or a translation"),
        (lambda: solid.at(translate=(1, 0, 0)), TypeError, "translate"),
        (lambda: solid.at(2 * np.eye(3)), inpoly.ArgumentError, "cannot scale"),
        (lambda: solid.at(np.diag([1, 1, -1])), inpoly.ArgumentError, "reflection"),
        (lambda: solid.at([[1, 0.5, 0], [0, np.sqrt(0.75), 0], [0, 0, 1]]), inpoly.ArgumentError, "cannot shear"),
        (lambda: solid.at(np.diag([1, 1, 1, 2])), ValueError, "last row"),
        (lambda: solid.at(np.diag([3, 3, 3, 1])), inpoly.ArgumentError, "cannot scale"),
        (lambda: solid.at(whole, (1, 0, 0)), ValueError, "translation of its own"),
        (lambda: solid.at(pose, (1, 0, 0)), ValueError, "translation of its own"),
        (lambda: solid.at((2, 0, 0, 0)), inpoly.ArgumentError, "must be 1"),
        (lambda: solid.at((np.nan, 0, 0, 1)), inpoly.ArgumentError, "quaternion"),
        (lambda: solid.at(QUARTER).at(translation=(np.inf, 0, 0)), inpoly.ArgumentError, "not finite"),
    ]:
        with pytest.raises(error, match=text):
            call()


def test_exactly_moved(knot, points):
    """At quarter turns and whole shifts, the answers are those of the moved mesh, bit for bit."""
    vertices = np.round(knot.vertices * 64) / 64
    p = np.round(points * 64) / 64
    for path in ("tasks/hall.obj", None):
        mesh = inpoly.open(DATA / path).mesh() if path else inpoly.Mesh(vertices, knot.faces)
        solid = inpoly.Solid(*mesh, warn=False, orient="never")
        for q, turn in (((1, 0, 0, 0), np.eye(3)), (QUARTER, np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])), ((0.5, 0.5, 0.5, 0.5), np.eye(3)[[2, 0, 1]])):
            shift = np.array([1024.0, -512.0, 256.0]) if path is None else np.zeros(3)
            moved = inpoly.Solid(mesh.vertices @ turn.T + shift, mesh.faces, warn=False, orient="never")
            posed, there = solid.at(q, shift), p @ turn.T + shift
            assert np.array_equal(posed.bounds, moved.bounds)
            names = ("side", "distance", "distance_bound", "body", "face", "nearest_body")
            a, b = posed.locate(there, *names), moved.locate(there, *names)
            for name in names:
                assert np.array_equal(a[name], b[name], equal_nan=a[name].dtype.kind == "f"), (path, q, name)
            clear = a["side"] != 2
            (w, bound), (w2, bound2) = posed.winding(there), moved.winding(there)
            if solid.is_closed:
                assert np.array_equal(w[clear], w2[clear], equal_nan=True) and np.array_equal(bound[clear], bound2[clear])
            else:
                known = np.isfinite(w)
                assert (np.abs(w - w2)[known] <= (bound + bound2)[known]).all()
