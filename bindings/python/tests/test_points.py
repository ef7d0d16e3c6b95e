"""What points can be, and what is refused."""

from decimal import Decimal
from io import StringIO

import numpy as np
import pytest

import inpoly
from inpoly._points import BLOCK, Points

from conftest import DATA

knot_file = DATA / "knot.stl"


@pytest.fixture(scope="module")
def sides(knot, points):
    return knot.sides(points)


LAYOUTS = {
    "reversed rows": (lambda p: p[::-1], lambda s: s[::-1], False),
    "every second row": (lambda p: p[::2], lambda s: s[::2], True),
    "four columns": (lambda p: np.column_stack([p, p[:, 0]])[:, :3], lambda s: s, True),
    "middle columns": (lambda p: np.column_stack([p[:, 0], p, p[:, 0]])[:, 1:4], lambda s: s, True),
    "Fortran": (np.asfortranarray, lambda s: s, False),
    "reversed columns": (lambda p: p[:, ::-1].copy()[:, ::-1], lambda s: s, False),
    "transposed": (lambda p: p.T.copy().T, lambda s: s, False),
    "big-endian": (lambda p: p.astype(">f8"), lambda s: s, False),
    "no rows": (lambda p: p[:0], lambda s: s[:0], True),
    "one row": (lambda p: p[:1], lambda s: s[:1], True),
    "one row, reversed columns": (lambda p: p[:1, ::-1].copy()[:, ::-1], lambda s: s[:1], False),
    "matrix": (lambda p: p.view(np.matrix), lambda s: s, True),
    "lists": (lambda p: p.tolist(), lambda s: s, True),
    "tuples": (lambda p: tuple(map(tuple, p)), lambda s: s, True),
    "list of arrays": (list, lambda s: s, True),
    "misaligned": (lambda p: misaligned(p), lambda s: s, False),
}


def misaligned(p):
    buffer = np.empty(p.nbytes + 1, np.uint8)
    out = buffer[1:].view(np.float64).reshape(p.shape)
    out[:] = p
    return out


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(knot, points, sides, name):
    change, expect, in_place = LAYOUTS[name]
    p = change(points)
    assert np.array_equal(knot.sides(p), expect(sides))
    assert Points(p).in_place == in_place


# A call with few points and without out takes a shorter way than other calls.
@pytest.mark.parametrize("method", ["raycross", "columns", "cells"])
@pytest.mark.parametrize("n", [1, 2, 17, 1000])
def test_few(points, method, n):
    solid = inpoly.open(knot_file, method=method)
    for first in (0, 190, 4000):
        p = points[first : first + n]
        out, inside = np.full(n, 9, np.int8), np.empty(n, np.bool_)
        assert solid.sides(p, out=out) is out and solid.contains(p, out=inside) is inside
        assert np.array_equal(inside, out > 1)
        for layout in (p, np.asfortranarray(p), p[:, ::-1].copy()[:, ::-1], p.tolist()):
            answers, contained = solid.sides(layout), solid.contains(layout)
            assert answers.dtype == np.int8 and contained.dtype == np.bool_
            assert np.array_equal(answers, out) and np.array_equal(contained, inside)
        assert [solid.sides(tuple(q)) for q in p.tolist()] == [solid.sides(q) for q in p] == out.tolist()
    solid.close()
    for layout in (p, p[0], tuple(p[0].tolist()), p.tolist()):
        with pytest.raises(inpoly.ClosedError):
            solid.sides(layout)


def test_read_only(knot, points, sides):
    p = points.copy()
    p.flags.writeable = False
    assert Points(p).array is p
    assert np.array_equal(knot.sides(p), sides)


def test_overlapping_rows(knot, points):
    """A window that slides over coordinates has rows that share memory."""
    flat = points[300:].ravel()
    p = np.lib.stride_tricks.as_strided(flat, (1000, 3), (8, 8))
    assert np.array_equal(knot.sides(p), knot.sides(p.copy()))


@pytest.mark.parametrize("dtype", ["f4", ">f4", "f2", "i1", "i2", "i4", ">i4", "i8", "u1", "u2", "u4", "u8"])
def test_types(knot, points, dtype):
    p = np.nan_to_num(points)
    p = np.abs(p).astype(dtype) if "u" in dtype else p.astype(dtype)
    want = knot.sides(p.astype(np.float64))
    assert np.array_equal(knot.sides(p), want)
    assert knot.sides(p[7]) is inpoly.Side(want[7])
    assert Points(p).in_place == (dtype == "f4")


def test_float32_is_not_rounded(knot):
    """float32 points are located where they are, not where the float64 number was."""
    vertex = knot.vertices[11]  # STL has float32 coordinates
    assert knot.sides(vertex.astype(np.float32)) is inpoly.Side.ON_SURFACE
    assert knot.sides(np.array([vertex] * 5, np.float32)).tolist() == [2] * 5


def test_integers_beyond_float64(knot):
    for p in ([[0, 2**53 + 1, 0]], np.array([[1, 2, -(2**53) - 1]]), np.array([2**64 - 1, 0, 0], np.uint64), (2**53 + 1, 0, 0)):
        with pytest.raises(ValueError, match="beyond 2"):
            knot.sides(p)
    assert knot.sides((2**53, 0, -(2**53))) is inpoly.Side.OUTSIDE
    late = np.zeros((BLOCK + 2, 3), np.int64)
    late[-1, 2] = 2**60
    with pytest.raises(ValueError, match=str(2**60)):
        knot.sides(late)
    with pytest.raises(ValueError, match=str(2**70)):
        knot.sides((2**70, 0, 0))  # an object for NumPy


@pytest.mark.parametrize(
    "p",
    [
        np.ones((4, 3), bool), np.ones((4, 3), complex), np.full((4, 3), "1"), np.full((4, 3), b"1"),
        np.zeros((4, 3), "M8[s]"), np.zeros((4, 3), "m8[s]"), [[True, False, True]], [["1", "2", "3"]], "abc", b"abc",
        None, {}, object(), {"x": 1}, (True, False, True), np.full((4, 3), "1", object), np.full((4, 3), True, object),
        (Decimal(1), 2, 3), np.array([1, 2, np.timedelta64(3)], object), [None, 1, 1j],
    ],
    ids=repr,
)  # fmt: skip
def test_wrong_types(knot, p):
    for method in (knot.contains, knot.sides, knot.winding, knot.distance, knot.nearest, knot.locate, knot.body):
        with pytest.raises(TypeError, match="real numbers|expected numbers"):
            method(p)


def test_objects(knot, points, sides):
    """Arrays of Python numbers are converted, and missing values become NaN."""
    assert np.array_equal(knot.sides(points.astype(object)), sides)
    assert np.array_equal(knot.sides(np.asfortranarray(points[:7], object)), sides[:7])
    row = np.array([4, np.float32(10), np.int8(-3)], object)
    assert knot.sides(row) is inpoly.Side.INSIDE
    assert knot.sides((4, None, -3)) is inpoly.Side.UNKNOWN
    assert knot.sides(np.ma.array([row, row], mask=[[0, 0, 0], [0, 1, 0]])).tolist() == [3, 0]
    assert knot.sides(np.empty((0, 3), object)).shape == (0,)
    if np.finfo(np.longdouble).nmant > 52:
        with pytest.raises(TypeError, match="rounds"):
            knot.sides(np.array([1, 2, np.longdouble(3)], object))


def test_records(knot):
    p = np.zeros(3, [("x", "f8"), ("y", "f8"), ("z", "f8"), ("class", "u1")])
    with pytest.raises(TypeError, match=r"column_stack\(\[p\['x'\], p\['y'\], p\['z'\]\]\)"):
        knot.sides(p)


def test_long_double_is_refused(knot):
    if np.finfo(np.longdouble).nmant == 52:
        pytest.skip("long double is float64 here")
    with pytest.raises(TypeError, match="rounds"):
        knot.sides(np.zeros((2, 3), np.longdouble))


@pytest.mark.parametrize(
    ("shape", "hint"),
    [
        ((4,), "column_stack"), ((2,), "expected"), ((), "expected"), ((4, 2), "expected"), ((3, 5), "points.T"),
        ((5, 4), r"\[:, :3\]"), ((2, 2, 3), "reshape"), ((0, 4), r"\[:, :3\]"), ((2, 0), "expected"), ((1, 1, 1, 1), "expected"),
    ],
)  # fmt: skip
def test_wrong_shapes(knot, shape, hint):
    for method in (knot.contains, knot.sides, knot.winding, knot.distance, knot.nearest, knot.locate, knot.body):
        with pytest.raises(ValueError, match=hint):
            method(np.zeros(shape))
    with pytest.raises(ValueError, match="not an array|expected"):
        knot.sides([[1.0, 2.0, 3.0], [4.0, 5.0]])


def test_not_finite(knot):
    for x in (np.nan, np.inf, -np.inf):
        for p in ((x, 0.0, 0.0), np.array([0, x, 0]), np.array([0, 0, x], np.float32)):
            assert knot.sides(p) is inpoly.Side.UNKNOWN
            assert knot.contains(p) is False
            assert np.isnan(knot.distance(p))
            assert knot.body(p) == -2
            w, bound = knot.winding(p)
            assert np.isnan(w) and bound == np.inf
            near = knot.nearest(p)
            assert np.isnan(near.points).all() and (near.faces, near.bodies) == (-1, -1)


def test_no_points(knot):
    for p in ([], np.empty((0, 3)), np.empty((0, 3), np.int64), np.empty((0, 3), np.float32), np.ma.empty((0, 3))):
        assert knot.contains(p).shape == (0,) and knot.contains(p).dtype == bool
        assert knot.sides(p).dtype == np.int8
        assert knot.nearest(p).points.shape == (0, 3)
        assert [a.shape for a in knot.winding(p)] == [(0,), (0,)]


def test_masked(knot, points, sides):
    p = np.ma.masked_invalid(points)
    p[7, 1] = np.ma.masked
    want = sides.copy()
    want[7] = inpoly.Side.UNKNOWN
    assert np.array_equal(knot.sides(p), want)
    assert np.array_equal(knot.sides(np.ma.array(points)), sides)
    for layout in (np.asfortranarray, lambda a: a.T.copy().T, lambda a: a.astype(">f8", order="F")):
        assert np.array_equal(knot.sides(np.ma.array(layout(points), mask=p.mask)), want)
    row = np.ma.array(np.broadcast_to([4, 10, -3], (4, 3)), mask=np.eye(4, 3))
    assert knot.sides(row).tolist() == [0, 0, 0, 3]
    whole = np.ma.array(np.zeros((2, 3), np.int64), mask=True)
    assert knot.sides(whole).tolist() == [0, 0]


def test_array_protocol(knot, points, sides):
    class Cloud:
        def __array__(self, dtype=None, copy=None):
            return points

    assert np.array_equal(knot.sides(Cloud()), sides)


def test_pandas(knot, points, sides):
    pandas = pytest.importorskip("pandas")
    df = pandas.DataFrame(points, columns=["x", "y", "z"])
    df["name"] = "a"
    assert np.array_equal(knot.sides(df[["x", "y", "z"]]), sides)
    df["inside"] = knot.contains(df[["x", "y", "z"]])
    assert df["inside"].sum() == (sides >= 2).sum()
    assert np.array_equal(knot.sides(df[["x", "y", "z"]].astype("float32")), knot.sides(points.astype("f4")))
    nullable = df[["x", "y", "z"]].astype("Float64")
    assert np.array_equal(knot.sides(nullable), sides)  # NaN is the missing value
    mixed = df[["x", "y"]].assign(z=np.arange(len(df)) % 20)
    assert np.array_equal(knot.sides(mixed), knot.sides(mixed.to_numpy(np.float64)))
    nullable = mixed.assign(z=mixed["z"].astype("Int64").where(df["x"] > 0))
    assert np.array_equal(knot.sides(nullable) == 0, df["x"].isna() | ~(df["x"] > 0))
    assert knot.sides(df[["x", "y", "z"]].iloc[7]) is inpoly.Side(sides[7])
    assert isinstance(pandas.DataFrame(knot.locate(df[["x", "y", "z"]])), pandas.DataFrame)
    with pytest.raises(ValueError, match=r'df\[\["x", "y", "z"\]\]'):
        knot.sides(df)
    row = df.loc[300, ["x", "y", "z"]]
    assert row.dtype == object and knot.sides(row) is inpoly.Side(sides[300])
    late = df[["x", "y"]].assign(z=[None, pandas.NA] + [1.5] * (len(df) - 2))
    assert np.array_equal(knot.sides(late) == 0, df["x"].isna() | (df.index < 2))
    empty = pandas.read_csv(StringIO("x,y,z\n"))
    assert empty.dtypes["x"] == object and knot.sides(empty).shape == (0,)
    with pytest.raises(TypeError, match="^column 'name': .* str: .*pandas.to_numeric"):
        knot.sides(df[["x", "y", "name"]])
    with pytest.raises(TypeError, match="^column 'x': .*pandas.to_numeric"):
        knot.sides(df[["x", "y", "z"]].astype(str))
    with pytest.raises(TypeError, match="'b'"):
        knot.sides(df[["x", "y"]].assign(b=True))
    with pytest.raises(ValueError, match="column_stack"):
        knot.sides(df["x"])
    for kind in ("int64", "Int64", "object"):
        large = df[["x", "y"]].assign(z=2**53 + 1).astype({"z": kind})
        with pytest.raises(ValueError, match="beyond 2"):
            knot.sides(large)
    with pytest.raises(ValueError, match="beyond 2"):
        knot.sides(large.assign(z=large["z"].astype("Int64").where(df["x"] > 0)))


def test_more_points_than_memory(knot):
    """2³¹ rows that repeat one row in memory are located in blocks."""
    p = np.broadcast_to(np.array([4.0, 10.0, -3.0]), (2**31, 3))
    seen = []

    def stop(stage, done, total):
        seen.append((done, total))
        return done < BLOCK

    with pytest.raises(inpoly.CanceledError):
        knot.sides(p, progress=stop)
    assert seen[-1][0] >= BLOCK and seen[-1][1] == 2**31
    assert (knot.sides(p[: BLOCK + 3]) == inpoly.Side.INSIDE).all()
