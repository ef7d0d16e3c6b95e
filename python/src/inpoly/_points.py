"""Points of callers as arrays that the library reads."""

from __future__ import annotations

from typing import Any, Iterator, Tuple

import numpy as np
import numpy.typing as npt

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

    def __init__(self, points: npt.ArrayLike) -> None:
        a = _array(points)
        _check_type(a.dtype)
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


def _array(points: npt.ArrayLike) -> npt.NDArray[Any]:
    if isinstance(points, np.ndarray):
        return points
    if hasattr(points, "iloc") and hasattr(points, "columns"):
        return _from_frame(points)
    if isinstance(points, (str, bytes)):
        raise TypeError(f"points are {type(points).__name__}: expected numbers of shape (N, 3) or (3,)")
    try:
        a = np.asarray(points)
    except ValueError as e:
        raise ValueError(f"points are not an array of shape (N, 3): {e}") from e
    return a


def _from_frame(frame: Any) -> npt.NDArray[Any]:
    """Return the three columns of a pandas.DataFrame. Missing values become NaN."""
    if frame.shape[1] != 3:
        raise ValueError(
            f"the table has {frame.shape[1]} columns: select the columns of the coordinates, "
            'for example df[["x", "y", "z"]]'
        )
    types = {str(t) for t in frame.dtypes}
    if len(types) == 1 and isinstance(frame.dtypes.iloc[0], np.dtype):
        return np.asarray(frame)
    columns = []
    for i in range(3):
        column = frame.iloc[:, i]
        kind = getattr(column.dtype, "kind", "O")
        if kind not in "fiu":
            raise TypeError(_type_message(f"column {frame.columns[i]!r}", column.dtype))
        if isinstance(column.dtype, np.dtype):
            values = np.asarray(column)
        elif kind == "f" or column.isna().any():
            values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            values = column.to_numpy(dtype=np.dtype(f"{kind}8"))
        _check_type(values.dtype)
        if values.dtype.kind in "iu":
            _check_integers(values)
        columns.append(values.astype(np.float64, copy=False))
    return np.stack(columns, axis=1)


def _check_type(dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "fiu" or dtype.char == "g" and dtype.itemsize > 8:
        raise TypeError(_type_message("points", dtype))


def _type_message(what: str, dtype: Any) -> str:
    if getattr(dtype, "names", None):
        x = ", ".join(f"p[{name!r}]" for name in dtype.names[:3])
        return f"{what} are records: expected real numbers of shape (N, 3), as from numpy.column_stack([{x}])"
    if getattr(dtype, "kind", "O") == "f":
        return f"{what} have the type {dtype}, which float64 rounds: convert with .astype(numpy.float64)"
    verb = "have" if what == "points" else "has"
    hint = "; convert with .astype(float)" if dtype == object else ""
    return f"{what} {verb} the type {dtype}: expected real numbers, such as float64 or int64{hint}"


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
            if value is not np.ma.masked and abs(int(value)) > _LARGEST_INTEGER:
                raise ValueError(
                    f"points have the integer {value}: integers beyond 2**53 = {_LARGEST_INTEGER} are not "
                    "exact as float64; convert with .astype(numpy.float64) to round them"
                )


def _packed(block: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    if isinstance(block, np.ma.MaskedArray):
        values = np.array(block.data, np.float64)
        values[block.mask] = np.nan
        return values
    return np.require(block, np.float64, ["C", "A"])


def address(a: npt.NDArray[Any]) -> int:
    """Return the address of the first element."""
    result: int = a.__array_interface__["data"][0]
    return result
