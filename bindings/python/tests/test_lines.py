"""Rays, segments, sections, measures, poses and the details of closest points."""

import copy
import json
import pickle
import threading

import numpy as np
import pytest
from conftest import DATA

import inpoly

V = np.array([[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]], float)
F = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


@pytest.fixture(scope="module")
def solid():
    return inpoly.Solid(V, F)


@pytest.fixture(scope="module")
def lines():
    r = np.random.default_rng(5)
    return r.uniform(-36, 36, (800, 3)), r.uniform(-36, 36, (800, 3))


def same(a, b):
    return all(np.array_equal(x, y, equal_nan=np.asarray(x).dtype.kind == "f") for x, y in zip(a, b))


def test_first_hits_are_the_first_of_all(knot, lines):
    a, b = lines
    for kind in ({"directions": b}, {"ends": b}):
        first, every, met = knot.first_hits(a, **kind), knot.all_hits(a, **kind), knot.any_hits(a, **kind)
        count = np.diff(every.offsets)
        assert count.sum() == len(every.t) == len(every.faces) > 50 and np.array_equal(met, count > 0)
        assert np.array_equal(first.faces[met], every.faces[every.offsets[:-1][met]])
        assert np.array_equal(first.t[met], every.t[every.offsets[:-1][met]]) and np.isinf(first.t[~met]).all()
        assert (first.faces[~met] == -1).all() and (first.bodies[~met] == -1).all() and (first.bodies[met] == 0).all()
        if "directions" in kind:  # the jumps lead from W at the start to 0
            lines_ = np.repeat(np.arange(len(a)), count)
            total = np.bincount(lines_, weights=every.jumps, minlength=len(a))
            assert np.array_equal(-total, knot.winding(a).winding)


def misaligned(p):
    out = np.empty(p.nbytes + 1, np.uint8)[1:].view(np.float64).reshape(p.shape)
    out[:] = p
    return out


class Vectors(np.ndarray):
    """A subclass of arrays."""


LAYOUTS = {
    "Fortran": np.asfortranarray, "big-endian": lambda p: p.astype(">f8"), "objects": lambda p: p.astype(object),
    "misaligned": misaligned, "matrix": lambda p: p.view(np.matrix), "subclass": lambda p: p.view(Vectors), "masked": np.ma.array,
    "reversed rows": lambda p: p[::-1].copy()[::-1], "reversed columns": lambda p: p[:, ::-1].copy()[:, ::-1],
    "tuples": lambda p: tuple(map(tuple, p.tolist())), "list of arrays": list, "every second row": lambda p: np.repeat(p, 2, 0)[::2],
    "one row, repeated": lambda p: np.broadcast_to(p[:1], p.shape),
}  # fmt: skip


@pytest.mark.parametrize("name", LAYOUTS)
def test_more_layouts_of_lines(knot, lines, name):
    """Lines can be all arrays that points can be. Arrays of the caller are not changed."""
    change = LAYOUTS[name]
    a, b = change(lines[0][:99].copy()), change(lines[1][:99].copy())
    plain = [np.array(x, np.float64) for x in (a, b)]
    assert same(knot.all_hits(a, b), knot.all_hits(*plain)) and same(knot.first_hits(a, ends=b), knot.first_hits(plain[0], ends=plain[1]))
    assert np.array_equal(knot.any_hits(a, b), knot.any_hits(*plain)) and same(knot.intervals(a, b), knot.intervals(*plain))
    assert same(knot.polyline_intervals([a, b]), knot.polyline_intervals(plain))
    assert [s.area for s in knot.sections(a[:3], b[:3])] == [s.area for s in knot.sections(plain[0][:3], plain[1][:3])]
    assert np.array_equal(np.array(a, np.float64), plain[0])


@pytest.mark.parametrize("dtype", ["f4", ">f4", "f2", "i1", ">i4", "i8", "u2", "u8"])
def test_types_of_lines(knot, lines, dtype):
    a, b = (np.abs(x[:99]).astype(dtype) if "u" in dtype else x[:99].astype(dtype) for x in lines)
    plain = [x.astype(np.float64) for x in (a, b)]
    assert same(knot.all_hits(a, b), knot.all_hits(*plain)) and same(knot.intervals(a, b), knot.intervals(*plain))


def test_layouts_of_lines(knot, lines):
    a, b = (x.astype(np.float32) for x in lines)
    want = knot.all_hits(a.astype(float), b.astype(float))
    wide = np.zeros((len(a), 5))
    wide[:, 1:4] = a
    for first in (a, a.tolist(), np.asfortranarray(a), wide[:, 1:4], a[::-1][::-1]):
        assert same(want, knot.all_hits(first, b))
    assert same(knot.first_hits(a[0], b), knot.first_hits(np.repeat(a[:1], len(b), 0), b))
    assert same(knot.first_hits(a, b[0]), knot.first_hits(a, np.repeat(b[:1], len(b), 0)))
    assert same(knot.first_hits(np.empty((0, 3)), (0, 0, 1)), [[]] * 6)
    one = knot.first_hits(a[3], b[3])
    assert type(one.t) is float and type(one.faces) is int and type(knot.any_hits(a[3], b[3])) is bool
    assert one == tuple(x[3] for x in knot.first_hits(a, b))


def test_intervals(knot, lines):
    a, b = lines
    parts = knot.intervals(a, b)
    n = np.diff(parts.offsets)
    line = np.repeat(np.arange(len(a)), n)
    assert n.min() >= 1 and (parts.starts[parts.offsets[:-1]] == 0).all() and (parts.ends[parts.offsets[1:] - 1] == 1).all()
    middle = a[line] + ((parts.starts + parts.ends) / 2)[:, None] * (b - a)[line]
    clear = parts.lengths > 1e-6
    assert clear.sum() > 1000 and np.array_equal(parts.sides[clear], knot.sides(middle[clear]))
    total = np.bincount(line, weights=parts.lengths)
    assert np.allclose(total, np.linalg.norm(b - a, axis=1), rtol=1e-12)
    assert (parts.length_bounds < 1e-10).all() and (parts.last_segments == 0).all()
    lines_ = knot.polyline_intervals([np.stack(x) for x in zip(a, b)])
    assert np.array_equal(lines_.offsets, parts.offsets) and np.array_equal(lines_.sides, parts.sides)
    bent = knot.polyline_intervals([a[:5], a[5:6], np.empty((0, 3)), a[6:9].tolist()])
    assert len(bent.offsets) == 5 and bent.offsets[3] == bent.offsets[2] and bent.last_segments.max() == 3
    assert knot.polyline_intervals([]).offsets.tolist() == [0]
    assert parts.unsampled.dtype == np.int64 and len(parts.unsampled) == 0


def test_intervals_of_long_segments():
    with pytest.warns(inpoly.MeshWarning):
        open_ = inpoly.Solid(V, F[:3])
    half = np.array([1e1, 1e5, 1e12, 1e17])
    a, b = np.full((4, 3), 1.8), np.full((4, 3), 1.8)
    a[:, 2], b[:, 2] = -half, half
    for parts in (open_.intervals(a, b), open_.polyline_intervals(list(np.stack([a, b], axis=1)))):
        inside = parts.sides == inpoly.Side.INSIDE
        for i in range(3):
            mine = slice(parts.offsets[i], parts.offsets[i + 1])
            assert abs(parts.lengths[mine][inside[mine]].sum() - 5.4) < 0.1
        assert parts.unsampled.tolist() == [3] and not inside[parts.offsets[3] :].any()
    assert open_.intervals(a, b, step=1e3).unsampled.tolist() == []


BAD = (np.nan, np.inf, -np.inf, 1e305)


@pytest.mark.parametrize("open_", [False, True])
def test_a_bad_line_answers_for_itself(knot, lines, open_):
    """Every third line has a bad coordinate or a bad direction. The other lines keep their answers."""
    solid = inpoly.Solid(knot.vertices, knot.faces[3:], warn=False) if open_ else knot
    a, b = lines[0].copy(), lines[1].copy()
    before = {name: solid.first_hits(a, **{name: b}) for name in ("directions", "ends")}
    parts_before = solid.intervals(a, b)
    bad = np.arange(len(a)) % 3 == 0
    for k, i in enumerate(np.flatnonzero(bad)):
        (a, b)[k % 2][i, k % 3] = BAD[k % 4]
    for name in ("directions", "ends"):
        first, every, met = (f(a, **{name: b}) for f in (solid.first_hits, solid.all_hits, solid.any_hits))
        assert all(np.array_equal(x[~bad], y[~bad]) for x, y in zip(first, before[name]))
        assert np.array_equal(met[~bad], before[name].faces[~bad] >= 0) and not met[bad].any()
        assert np.isnan(first.t[bad]).all() and np.isinf(first.bounds[bad]).all()
        for x in (first.faces, first.bodies):
            assert (x[bad] == -1).all()
        assert not first.signs[bad].any() and not first.jumps[bad].any()
        counts = np.diff(every.offsets)
        where = np.repeat(bad, counts)
        assert (counts[bad] == 1).all() and np.isnan(every.t[where]).all() and (every.faces[where] == -1).all()
        assert not np.isnan(every.t[~where]).any() and (every.faces[~where] >= 0).all()
    parts = solid.intervals(a, b)
    polylines = solid.polyline_intervals([np.array([p, q, p]) for p, q in zip(a, b)])
    for v, last in ((parts, 0), (polylines, 1)):
        counts = np.diff(v.offsets)
        where = np.repeat(bad, counts)
        assert (counts[bad] == 1).all() and (v.sides[where] == inpoly.Side.UNKNOWN).all()
        assert np.isnan(v.lengths[where]).all() and np.isinf(v.length_bounds[where]).all()
        assert (v.starts[where] == 0).all() and (v.ends[where] == 1).all() and (v.last_segments[where] == last).all()
        assert np.isfinite(v.lengths[~where]).all()
    kept = np.repeat(~bad, np.diff(parts_before.offsets))
    assert np.array_equal(parts.lengths[np.repeat(~bad, np.diff(parts.offsets))], parts_before.lengths[kept])


def test_bad_lines_of_all_kinds(solid):
    hit = solid.first_hits((0, 0, 0), (0, 0, 0))
    assert np.isnan(hit.t) and hit.faces == -1 and type(hit.t) is float
    assert solid.any_hits((0, 0, np.nan), (0, 0, 1)) is False
    masked = np.ma.masked_invalid([[1, 1, -1], [1, np.nan, -1]])
    assert np.array_equal(np.isnan(solid.first_hits(masked, (0, 0, 1)).t), [False, True])
    assert np.array_equal(np.isnan(solid.first_hits([[1, 1, -1], [1, None, -1]], (0, 0, 1)).t), [False, True])
    one = np.array([[1, 1, -1], [np.inf, 1, -1]], np.float32)
    assert np.array_equal(np.isnan(solid.first_hits(one, (0, 0, 1)).t), [False, True])
    with pytest.raises(ValueError, match="2\\*\\*53"):  # no float64 is this integer
        solid.first_hits([[1, 1, 10**30]], (0, 0, 1))


def test_the_error_of_a_batch_names_the_limit(knot):
    solid = inpoly.Solid(knot.vertices, knot.faces[3:], warn=False)
    with pytest.raises(inpoly.ArgumentError, match="line 1: .*more than 4194304 samples at the step 1e-09"):
        solid.intervals([[0, 0, 0]] * 2, [[0, 0, np.nan], [0, 0, 9]], step=1e-9)
    with pytest.raises(inpoly.ArgumentError, match="the step is -1, but must be finite and at least 0"):
        solid.intervals((0, 0, 0), (0, 0, 9), step=-1)


def test_several_solids(lines):
    both = inpoly.Assembly([(V, F), (V + 20.0, F)])
    hits = both.all_hits((1, 2, -3), ends=(21, 22, 37))
    assert hits.bodies.tolist() == [0] * (hits.bodies == 0).sum() + [1] * (hits.bodies == 1).sum()
    assert both.first_hits((21, 22, 15), (0, 0, 1)).bodies == 1
    assert both.intervals((21, 22, 15), (21, 22, 40), index=1).lengths[1] == 6
    assert both.section((0, 0, 23), (0, 0, 1), index=1).area == 18
    assert both.measure(index=1).centroid == pytest.approx([22.25] * 3)


def test_sections(solid, knot):
    s = solid.section((0, 0, 3), (0, 0, 2))
    assert s.closed and s.area == 18 and s.area_bound < 1e-12 and s.bound < 1e-12
    assert s.origin.tolist() == [0, 0, 3] and s.normal.tolist() == [0, 0, 2]
    assert len(s.polygons) == len(s.contours) == 1 and s.contours[0].closed and not s.polygons[0].holes
    assert sorted(s.polygons[0].outer.tolist()) == [[0, 0, 3], [0, 6, 3], [6, 0, 3]]
    z = np.linspace(-9, 9, 7)
    planes = np.column_stack([0 * z, 0 * z, z])
    assert [x.area for x in knot.sections(planes, (0, 0, 1))] == [knot.section(p, (0, 0, 1)).area for p in planes]
    assert knot.draw_sections(planes, (0, 0, 1), unit="mm").startswith("<")
    assert len(json.loads(knot.draw_sections(planes, (0, 0, 1), format="geojson"))["features"]) == 7
    with pytest.warns(inpoly.MeshWarning):
        tent = inpoly.Solid(V, F[1:])
    open_ = tent.section((0, 0, 3), (0, 0, 1))
    assert not open_.closed and np.isnan(open_.area) and np.isinf(open_.area_bound) and len(open_.contours) == 1
    assert tent.measure().reason and np.isnan(tent.measure().volume) and np.isinf(tent.measure().volume_bound)


def test_measure(solid):
    m = solid.measure(density=2)
    assert m.closed and m.faces == 4 and m.reason == ""
    assert abs(m.volume - 121.5) <= m.volume_bound < 1e-10 and abs(m.mass - 243) <= m.mass_bound < 1e-10
    assert (abs(m.centroid - 2.25) <= m.centroid_bound).all()
    assert np.allclose(m.inertia, m.inertia.T) and np.allclose(np.linalg.eigvalsh(m.inertia), m.moments)
    assert m.axes.shape == (3, 3) and np.isinf(m.axes_bound).any()  # two moments are equal
    assert [p.volume for p in solid.measure("component")] == [m.volume] and len(solid.measure("body")) == 1


def test_nearest_details(knot, points):
    n = knot.nearest(points)
    ok = n.faces >= 0
    assert not ok.all() and set(n.features[ok]) <= {1, 2, 3} and (n.features[~ok] == 0).all()
    assert np.allclose(np.linalg.norm(n.normals[ok], axis=1), 1, atol=1e-4) and np.isnan(n.normals[~ok]).all()
    corners = knot.vertices[knot.faces[n.faces[ok]]]
    there = np.einsum("ij,ijk->ik", n.barycentric[ok], corners)
    assert (np.linalg.norm(there - n.points[ok], axis=1) <= 2 * n.bounds[ok] + 1e-13).all() and np.isinf(n.bounds[~ok]).all()
    inner = ok & (n.features == 3) & (abs(n.distances) > 1e-9)
    outward = np.einsum("ij,ij->i", points[inner] - n.points[inner], n.normals[inner])
    assert inner.sum() > 100 and (np.sign(outward) == np.sign(n.distances[inner])).all()
    one = knot.nearest(points[7])
    assert one.normals.shape == (3,) and type(one.features) is int


def test_poses(knot, points):
    c, s = np.cos(0.5), np.sin(0.5)
    matrix = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    whole = np.eye(4)
    whole[:3, :3], whole[:3, 3] = matrix, (10, 20, 30)
    q = (np.cos(0.25), 0, 0, np.sin(0.25))
    want = knot.sides(points)
    moved = points @ matrix.T + (10, 20, 30)
    clear = abs(knot.distance(points)) > 1e-6
    for posed in (knot.at(matrix, (10, 20, 30)), knot.at(whole), knot.at(q, (10, 20, 30)), knot.at(q).at(translation=(10, 20, 30))):
        assert type(posed) is inpoly.Solid and np.array_equal(posed.sides(moved)[clear], want[clear])
        assert np.allclose(posed.distance(moved)[clear], knot.distance(points)[clear])
        for again in (pickle.loads(pickle.dumps(posed)), copy.copy(posed)):
            assert np.array_equal(again.sides(moved), posed.sides(moved))
        assert posed.measure().volume == knot.measure().volume
    temporary = inpoly.Solid(V, F)
    posed = temporary.at(translation=(100, 0, 0))
    temporary.close()
    assert posed.contains((101, 1, 1)) and not posed.contains((1, 1, 1))
    both = inpoly.Assembly([(V, F), (V, F)])
    apart = both.at(translation=[(0, 0, 0), (50, 0, 0)])
    assert apart.body([(1, 1, 1), (51, 1, 1), (25, 1, 1)]).tolist() == [0, 1, -1]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda s: s.first_hits((0, 0, 0)), TypeError, "either directions"),
        (lambda s: s.first_hits((0, 0, 0), (1, 0, 0), ends=(1, 0, 0)), TypeError, "either directions"),
        (lambda s: s.all_hits(np.zeros((2, 3)), np.ones((3, 3))), ValueError, "2 starts and 3 directions"),
        (lambda s: s.all_hits(np.zeros((2, 2)), np.ones((2, 3))), ValueError, "^starts: .*shape"),
        (lambda s: s.all_hits(V, "abc"), TypeError, "^directions: "),
        (lambda s: s.intervals(V, V[:2]), ValueError, "4 starts and 2 ends"),
        (lambda s: s.intervals(V, V, step=-1), inpoly.ArgumentError, "step"),
        (lambda s: s.intervals(V, V, step="x"), inpoly.ArgumentError, "step"),
        (lambda s: s.intervals(V, V, index=1), IndexError, "no solid 1"),
        (lambda s: s.intervals(V, V, index="a"), TypeError, "index is 'a': expected the number"),
        (lambda s: s.measure(index=0.5), TypeError, "index is 0.5"),
        (lambda s: s.mesh(None), TypeError, "index is None"),
        (lambda s: s.polyline_intervals([V, [[1, 2]]]), ValueError, "polyline 1: "),
        (lambda s: s.polyline_intervals(V), ValueError, r"polyline 0 has the shape \(3,\).*\[points\]"),
        (lambda s: s.polyline_intervals(7), TypeError, "iterable"),
        (lambda s: s.section((0, 0, 0), (0, 0, 0)), inpoly.ArgumentError, "plane"),
        (lambda s: s.section((0, 0), (0, 0, 1)), ValueError, "origins"),
        (lambda s: s.section(V, (0, 0, 1)), ValueError, "use sections"),
        (lambda s: s.sections(V, V[:2]), ValueError, "4 origins and 2 normals"),
        (lambda s: s.draw_sections(V, (0, 0, 1), format="png"), inpoly.ArgumentError, "png"),
        (lambda s: s.draw_sections(V, (0, 0, 1), unit="mile"), inpoly.ArgumentError, "mile"),
        (lambda s: s.measure("half"), inpoly.ArgumentError, "half"),
        (lambda s: s.measure("whole\0x"), inpoly.ArgumentError, "by is 'whole"),
        (lambda s: s.measure("\ud800"), inpoly.ArgumentError, "expected one of whole, body, component"),
        (lambda s: s.measure(None), inpoly.ArgumentError, "by is None"),
        (lambda s: s.measure(density=10**400), inpoly.ArgumentError, "density exceeds"),
        (lambda s: s.intervals(V, V, step=10**400), inpoly.ArgumentError, "step exceeds"),
        (lambda s: s.draw_sections(V, (0, 0, 1), unit="mm\0"), inpoly.ArgumentError, "unit is 'mm"),
        (lambda s: s.draw_sections(V, (0, 0, 1), unit=3), inpoly.ArgumentError, "unit is 3"),
        (lambda s: s.draw_sections(V, (0, 0, 1), format=["svg"]), inpoly.ArgumentError, "format is"),
        (lambda s: s.measure(density=-1), inpoly.ArgumentError, "density"),
        (lambda s: s.measure(index=-1), IndexError, "no solid -1"),
        (lambda s: s.at((1, 0, 0, 1)), inpoly.ArgumentError, "quaternion|rotation|pose"),
        (lambda s: s.at(np.diag([1, 1, -1])), inpoly.ArgumentError, "rotation"),
        (lambda s: s.at(np.ones((4, 4))), ValueError, "last row"),
        (lambda s: s.at((1, 0, 0)), ValueError, "shape"),
        (lambda s: s.at(translation=(1, 2)), ValueError, "shape"),
        (lambda s: s.at(translation=(np.nan, 0, 0)), inpoly.ArgumentError, ""),
        (lambda s: s.at(translation=np.zeros((2, 3))), inpoly.ArgumentError, "2 poses for 1 solid"),
        (lambda s: s.at("abc"), ValueError, "rotation"),
    ],
)
def test_bad_arguments(solid, call, error, text):
    with pytest.raises(error, match=text):
        call(solid)


def test_closed_solid(knot):
    s = inpoly.open(DATA / "knot.stl")
    s.close()
    for call in (
        lambda: s.first_hits((0, 0, 0), (0, 0, 1)), lambda: s.all_hits((0, 0, 0), (0, 0, 1)), lambda: s.intervals((0, 0, 0), (0, 0, 1)),
        lambda: s.section((0, 0, 0), (0, 0, 1)), lambda: s.measure(), lambda: s.at(translation=(0, 0, 0)),
    ):  # fmt: skip
        with pytest.raises(inpoly.ClosedError):
            call()


def test_threads_that_close():
    """Threads ask about lines while another one closes the solid: right answers or ClosedError."""
    r = np.random.default_rng(3)
    a, b = r.uniform(-30, 30, (2, 2000, 3))
    kept = inpoly.open(DATA / "knot.stl")
    want = {
        "hits": kept.all_hits(a, b), "parts": kept.intervals(a, b), "any": kept.any_hits(a, b),
        "area": kept.section((0, 0, 0), (0, 0, 1)).area, "volume": kept.measure().volume,
    }  # fmt: skip
    problems, closed = [], []
    for round_ in range(8):
        solid = inpoly.open(DATA / "knot.stl")
        calls = {
            "hits": lambda s=solid: same(s.all_hits(a, b), want["hits"]), "parts": lambda s=solid: same(s.intervals(a, b), want["parts"]),
            "any": lambda s=solid: np.array_equal(s.any_hits(a, b), want["any"]),
            "area": lambda s=solid: s.section((0, 0, 0), (0, 0, 1)).area == want["area"], "volume": lambda s=solid: s.measure().volume == want["volume"],
        }  # fmt: skip

        def work(name, call):
            try:
                while call():
                    pass
                problems.append(name)
            except inpoly.ClosedError:
                closed.append(name)
            except BaseException as e:
                problems.append(f"{name}: {e!r}")

        threads = [threading.Thread(target=work, args=item) for item in calls.items()]
        for t in threads:
            t.start()
        threading.Event().wait(0.02 * round_)
        solid.close()
        for t in threads:
            t.join(60)
    assert problems == [] and len(closed) == 40


def test_progress_of_lines(knot):
    starts = np.zeros((400_000, 3))
    with pytest.raises(inpoly.CanceledError):
        for _ in range(50):  # the first call can end before the first report
            knot.all_hits(starts, (1, 2, 3), progress=lambda stage, done, total: False)
