"""Answers have the same bits as those of the command."""

import collections
import subprocess
import sys

import numpy as np
import pytest
from conftest import DATA

import inpoly

Point = collections.namedtuple("Point", "x y z")

CASES = [
    ["knot.stl"],
    ["knot.stl", "--method", "direct"],
    ["knot.stl", "--rule", "evenodd", "--tolerance", "0.5"],
    ["tasks/open.stl"],
    ["tasks/open.stl", "--rule", "positive", "--epsilon", "1e-9"],
    ["tasks/open.stl", "--orient=never", "--method", "raycross"],
    ["tasks/hall.obj"],
    ["tasks/north.obj", "tasks/south.obj"],
]


def run(arguments, cloud, out):
    subprocess.run(
        [sys.executable, "-m", "inpoly", *arguments, str(cloud), "--out", str(out)],
        check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=DATA,
    )  # fmt: skip
    return np.load(out)


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_command(case, tmp_path):
    files = [c for c in case if c.endswith((".stl", ".obj"))]
    flags = case[len(files) :]
    words = [w for f in flags for w in f.split("=")]
    options = {words[i][2:]: words[i + 1] for i in range(0, len(words), 2)}
    for name in ("tolerance", "epsilon"):
        if name in options:
            options[name] = float(options[name])
    paths = [DATA / f for f in files]
    solid = inpoly.open(paths if len(paths) > 1 else paths[0], warn=False, **options)
    low, high = solid.bounds
    p = np.random.default_rng(3).uniform(low - (high - low) / 4, high + (high - low) / 4, (4000, 3))
    p[:100] = solid.vertices[np.arange(100) % len(solid.vertices)]
    p[100, 1] = np.inf
    np.save(tmp_path / "p.npy", p)

    want = run(
        [*files, *flags, "--state", "--winding", "--certify", "--distance", "--nearest"],
        tmp_path / "p.npy", tmp_path / "o.npy",
    )  # fmt: skip
    got = solid.locate(p, "side", "winding", "winding_bound", "distance", "distance_bound", "face", "nearest_body")
    columns = [
        np.array([np.nan, 0, 0.5, 1])[got["side"]], got["winding"], got["winding_bound"], got["distance"],
        got["distance_bound"], got["face"],
    ]  # fmt: skip
    if len(files) > 1:
        columns.append(got["nearest_body"])
    assert np.isnan(want[100, 3:8]).all()
    want[100, [5, 7]] = got["winding_bound"][100], got["distance_bound"][100]  # the command has NaN, not +inf
    names = ["state", "winding", "bound", "distance", "distance_bound", "nearest", "nearest_body"]
    point = 3 + len(columns)  # then the closest point and the normal
    assert want.shape[1] == point + 6
    assert np.allclose(solid.nearest(p).points, want[:, point : point + 3], rtol=1e-12, atol=1e-12, equal_nan=True)
    for name, column, expected in zip(names, columns, want[:, 3:].T):
        expected = expected.astype(column.dtype) if column.dtype.kind == "i" else expected
        assert np.array_equal(column, expected, equal_nan=column.dtype.kind == "f"), name
    assert (got["side"] == inpoly.Side.ON_SURFACE).any()


def test_bodies(tmp_path):
    files = ["tasks/north.obj", "tasks/south.obj"]
    ores = inpoly.open([DATA / f for f in files])
    low, high = ores.bounds
    p = np.random.default_rng(5).uniform(low, high, (4000, 3))
    np.save(tmp_path / "p.npy", p)
    for which in ("first", "innermost", "count"):
        want = run([*files, "--body", which], tmp_path / "p.npy", tmp_path / "o.npy")[:, -1]
        got = ores.body(p, which)
        assert got.dtype == np.int32
        assert np.array_equal(got, want), which
        assert len(np.unique(got)) == 3


def test_methods_agree(knot, points):
    """Single points, batches of all sizes and all methods of Solid agree."""
    sides = knot.sides(points)
    assert np.array_equal(knot.contains(points), sides >= 2)
    winding, bound = knot.winding(points)
    near = knot.nearest(points)
    together = knot.locate(points, "nearest", "body", "distance", "winding", "face")
    assert np.array_equal(together["winding"], winding, equal_nan=True)
    assert np.array_equal(together["nearest"], near.points, equal_nan=True)
    assert np.array_equal(together["distance"], near.distances, equal_nan=True)
    assert np.array_equal(together["distance"], knot.distance(points), equal_nan=True)
    assert np.array_equal(together["face"], near.faces)
    body = np.select([sides >= 2, sides == 1], [0, -1], -2)
    assert np.array_equal(together["body"], body)
    for i in [0, 100, 200, *range(300, 340)]:
        p = points[i]
        for one in (p, list(p), tuple(p.tolist()), tuple(p), Point(*p.tolist()), points[i : i + 1][0]):
            assert knot.sides(one) is inpoly.Side(sides[i])
            assert knot.contains(one) is bool(sides[i] >= 2)
        assert np.array_equal(knot.distance(p), near.distances[i], equal_nan=True)
        assert np.array_equal(knot.winding(p), (winding[i], bound[i]), equal_nan=True)
        one = knot.nearest(p)
        assert np.array_equal(one.points, near.points[i], equal_nan=True)
        assert (one.faces, one.bodies) == (near.faces[i], near.bodies[i])
        assert knot.body(p) == body[i]
        assert np.array_equal(knot.sides(points[i : i + 3]), sides[i : i + 3])


def test_on_the_surface(knot):
    assert (knot.sides(knot.vertices) == inpoly.Side.ON_SURFACE).all()
    assert (knot.distance(knot.vertices) == 0).all()
