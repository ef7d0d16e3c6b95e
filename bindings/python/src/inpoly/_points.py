"""Points of callers as arrays that the library reads."""

from __future__ import annotations

from typing import Any, Iterator, Tuple

import numpy as np
import numpy.typing as npt

from ._types import PointsLike

__all__ = ["Points"]

# Points that are converted at once, 24 MB (tuning).
BLOCK = 1 << 20

_LARGEST_INTEGER = 1 << 53  # all integers up to this one are float64 numbers


class Points:
    """Points as an array of shape (N, 3).

    The library reads ``array`` in place if ``in_place`` is true: rows of three float64 or float32
    numbers at any distance from each other. Other arrays are converted in blocks.
    """

    __slots__ = ("array", "in_place", "single")

    def __init__(self, points: PointsLike) -> None:
        a = _array(points)
        if a.dtype == object:
            a = _from_objects(a, "points")
        _check_type(a.dtype, "points")
        self.single = a.ndim == 1 and len(a) == 3
        if self.single:
            a = a.reshape(1, 3)
        elif a.ndim == 1 and a.size == 0:
            a = a.reshape(0, 3)
        elif a.ndim != 2 or a.shape[1] != 3:
            raise ValueError(_shape_message(a))
        self.array: npt.NDArray[Any] = a
        size = a.itemsize
        self.in_place = (
            a.dtype.char in "fd"
            and a.dtype.isnative
            and a.flags.aligned
            and not isinstance(a, np.ma.MaskedArray)
            and (len(a) == 0 or a.strides[1] == size)
            and (len(a) < 2 or (a.strides[0] >= 3 * size and a.strides[0] % size == 0))
        )
        if not self.in_place and a.dtype.kind in "iu":
            _check_integers(a)

    def __len__(self) -> int:
        return len(self.array)

    def blocks(self) -> Iterator[Tuple[int, npt.NDArray[Any]]]:
        """Yield arrays that the library can read, each with the index of its first point."""
        if self.in_place or not len(self.array):
            yield 0, self.array
            return
        for first in range(0, len(self.array), BLOCK):
            yield first, _packed(self.array[first : first + BLOCK])


def _array(points: PointsLike) -> npt.NDArray[Any]:
    if isinstance(points, np.ndarray):
        return points
    if hasattr(points, "iloc") and hasattr(points, "columns"):
        return _from_frame(points)
    if points is None or isinstance(points, (str, bytes)):
        raise TypeError(f"points are {type(points).__name__}: expected numbers of shape (N, 3) or (3,)")
    try:
        return np.asarray(points)
    except ValueError as e:
        raise ValueError(f"points are not an array of shape (N, 3): {e}") from e


def _from_frame(frame: Any) -> npt.NDArray[Any]:
    """Return the three columns of a pandas.DataFrame. Missing values become NaN."""
    if frame.shape[1] != 3:
        raise ValueError(
            f"the table has {frame.shape[1]} columns: select the columns of the coordinates, "
            'for example df[["x", "y", "z"]]'
        )
    types = {str(t) for t in frame.dtypes}
    if len(types) == 1 and isinstance(frame.dtypes.iloc[0], np.dtype) and frame.dtypes.iloc[0].kind in "fiu":
        return np.asarray(frame)
    return np.stack([_column(frame.iloc[:, i], f"column {frame.columns[i]!r}") for i in range(3)], axis=1)


def _column(column: Any, what: str) -> npt.NDArray[np.float64]:
    """Return a pandas.Series as float64 numbers. Missing values become NaN."""
    kind = getattr(column.dtype, "kind", "O")
    if isinstance(column.dtype, np.dtype) or kind not in "fiu":
        values = np.asarray(column)
    elif kind == "f":
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    else:
        _check_integers(column.dropna().to_numpy(dtype=np.dtype(f"{kind}8")))
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if values.dtype == object:
        values = _from_objects(values, what)
    _check_type(values.dtype, what)
    if values.dtype.kind in "iu":
        _check_integers(values)
    return values.astype(np.float64, copy=False)


def _from_objects(a: npt.NDArray[Any], what: str) -> npt.NDArray[np.float64]:
    """Return numbers that are Python objects as float64. Missing values become NaN."""
    if isinstance(a, np.ma.MaskedArray):
        a = np.where(a.mask, np.nan, a.data)
    types = set(map(type, a.flat))
    missing = {t for t in types if t is type(None) or t.__name__ == "NAType"}  # None and pandas.NA
    for t in types - missing:
        if not issubclass(t, (int, float, np.integer, np.floating)) or issubclass(t, (bool, np.timedelta64)):
            hint = "; convert text with pandas.to_numeric" if issubclass(t, (str, bytes)) else ""
            raise TypeError(f"{what}: an element has the type {t.__name__}: expected real numbers{hint}")
        if issubclass(t, np.longdouble):
            _check_type(np.dtype(t), what)
    values = [np.nan if type(x) in missing else x for x in a.flat]
    for x in values:
        if isinstance(x, (int, np.integer)):
            _check_integer(x)
    return np.array(values, np.float64).reshape(a.shape)


def _check_type(dtype: np.dtype[Any], what: str) -> None:
    if dtype.kind in "fiu" and (dtype.char != "g" or dtype.itemsize <= 8):
        return
    if dtype.names:
        x = ", ".join(f"p[{name!r}]" for name in dtype.names[:3])
        raise TypeError(
            f"{what}: records instead of real numbers of shape (N, 3); use numpy.column_stack([{x}])"
        )
    if dtype.kind == "f":
        raise TypeError(f"{what}: float64 rounds the type {dtype}; convert with .astype(numpy.float64)")
    hint = "; convert text with pandas.to_numeric" if dtype.kind in "US" else ""
    raise TypeError(f"{what}: the type is {dtype}: expected real numbers, such as float64 or int64{hint}")


def _shape_message(a: npt.NDArray[Any]) -> str:
    message = f"points have the shape {a.shape}: expected (N, 3), or (3,) for one point"
    if a.ndim == 2 and a.shape[0] == 3:
        return message + "; transpose them with points.T"
    if a.ndim > 2 and a.shape[-1] == 3:
        return message + "; use points.reshape(-1, 3)"
    if a.ndim == 2 and a.shape[1] > 3:
        return message + "; select three columns, for example points[:, :3]"
    if a.ndim == 1:
        return message + "; join coordinates with numpy.column_stack([x, y, z])"
    return message


def _check_integers(a: npt.NDArray[Any]) -> None:
    """Raise an error if an integer is not exactly representable as float64 for its size."""
    if a.dtype.itemsize < 8:
        return
    for first in range(0, len(a), BLOCK):
        block = a[first : first + BLOCK]
        for value in (block.max(), block.min()):
            if value is not np.ma.masked:
                _check_integer(value)


def _check_integer(x: Any) -> None:
    if abs(int(x)) > _LARGEST_INTEGER:
        raise ValueError(
            f"points have the integer {x}: integers beyond 2**53 = {_LARGEST_INTEGER} are not "
            "exact as float64; convert with .astype(numpy.float64) to round them"
        )


def _packed(block: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    if isinstance(block, np.ma.MaskedArray):
        values = np.array(block.data, np.float64, order="C")
        values[block.mask] = np.nan
        return values
    return np.require(block, np.float64, ["C", "A"])


def address(a: npt.NDArray[Any]) -> int:
    """Return the address of the first element."""
    result: int = a.__array_interface__["data"][0]
    return result
