"""Arrays of the caller for answers."""

import numpy as np
import pytest

import inpoly

METHODS = {"contains": np.bool_, "sides": np.int8, "distance": np.float64, "body": np.int32}


@pytest.mark.parametrize("method", METHODS)
def test_out(knot, points, method):
    call, dtype = getattr(knot, method), METHODS[method]
    want = call(points)
    assert want.dtype == dtype
    out = np.full(len(points) + 2, 77).astype(dtype)
    part = out[1:-1]
    if part.flags.aligned:
        assert call(points, out=part) is part
        assert np.array_equal(part, want, equal_nan=dtype is np.float64)
        assert out[0] == out[-1] == np.array(77).astype(dtype)
    f = points[5].astype(np.float32)
    for bad, error in [
        (np.empty(len(points) - 1, dtype), ValueError), (np.empty((len(points), 1), dtype), ValueError),
        (np.empty(len(points), np.int16), TypeError), (np.empty(2 * len(points), dtype)[::2], ValueError),
        (np.empty(len(points), dtype)[::-1], ValueError), (want.tolist(), TypeError), ("x", TypeError), (3, TypeError),
        (np.broadcast_to(np.zeros(1, dtype), len(points)), ValueError), (np.empty(len(points), np.uint8), TypeError),
    ]:  # fmt: skip
        with pytest.raises(error, match="^out"):
            call(points, out=bad)
    name = {"sides": "side"}.get(method, method)
    with pytest.raises(TypeError, match=f"'{name}' needs {np.dtype(dtype)}"):
        call(points, out=np.empty(len(points), np.int16))
    frozen = np.empty(len(points), dtype)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        call(points, out=frozen)
    with pytest.raises(ValueError, match="out needs points"):
        call(f, out=np.empty(1, dtype))


def test_overlap_with_points(knot):
    p = np.zeros((100, 3))
    with pytest.raises(ValueError, match="overlap"):
        knot.distance(p, out=p.ravel()[:100])
    with pytest.raises(ValueError, match="overlap"):
        knot.sides(p, out=p.view(np.int8).ravel()[:100])


def test_several(knot, points):
    n = len(points)
    want = knot.locate(points, "nearest", "winding", "face")
    out = {"nearest": np.empty((n, 3)), "face": np.empty(n, np.int32)}
    got = knot.locate(points, "nearest", "winding", "face", out=out)
    assert got["nearest"] is out["nearest"] and got["face"] is out["face"]
    assert list(knot.locate(points, out=out)) == ["nearest", "face"]
    for name in want:
        assert np.array_equal(got[name], want[name], equal_nan=name != "face")
    w, bound = np.empty(n), np.empty(n)
    assert knot.winding(points, out=(w, bound)).winding is w
    assert np.array_equal(w, want["winding"], equal_nan=True)
    with pytest.raises(ValueError, match="overlap"):
        knot.winding(points, out=(w, w))
    with pytest.raises(inpoly.ArgumentError, match="not among"):
        knot.locate(points, "face", out=out)
    with pytest.raises(inpoly.ArgumentError, match="unknown answer 'inside'"):
        knot.locate(points, "inside")
    with pytest.raises(inpoly.ArgumentError, match="which"):
        knot.body(points, "last")


def test_series(knot, points):
    pandas = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match=r"Series: .*\.to_numpy\(\)"):
        knot.distance(points, out=pandas.Series(np.empty(len(points))))


def test_names_of_answers(knot, points):
    assert set(knot.locate(points[0])) == {"side", "distance"}
    assert list(knot.locate(points, "face", "side", "face")) == ["face", "side"]


def test_wrong_outs(knot, points):
    n = len(points)
    masked = np.ma.array(np.zeros(n, bool), mask=True)
    pair = np.empty((2, n))
    for call, error, text in (
        (lambda: knot.contains(points, out=masked), TypeError, "masked array"),
        (lambda: knot.winding(points, out=(np.empty(n),)), TypeError, "a pair of arrays"),
        (lambda: knot.winding(points, out=np.empty(n)), TypeError, "a pair of arrays"),
        (lambda: knot.winding(points, out=[np.empty(n)] * 3), TypeError, "a pair of arrays"),
        (lambda: knot.winding(points, out=(pair[0], pair.reshape(-1)[n - 1 : 2 * n - 1])), ValueError, "overlap"),
        (lambda: knot.locate(points, "side", out=[np.empty(n, np.int8)]), TypeError, "expected a mapping"),
        (lambda: knot.locate(points, ["side"]), inpoly.ArgumentError, r"unknown answer \['side'\]"),
        (lambda: knot.locate(points, None), inpoly.ArgumentError, "unknown answer None"),
    ):
        with pytest.raises(error, match=text):
            call()
    assert knot.winding(points, out=tuple(pair)).winding is not None and (pair[1] >= 0).all()
