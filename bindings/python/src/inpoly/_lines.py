"""Rays, segments and polylines: where they meet the surface, and which parts of them are inside."""

from __future__ import annotations

import ctypes
import operator
from typing import TYPE_CHECKING, Any, Callable, Iterable, List, NamedTuple, Optional, Sequence, SupportsIndex, Tuple, Union, cast

import numpy as np
import numpy.typing as npt

from . import _call, _library, _structs
from ._points import Points, address
from ._types import Bools, Bytes, Floats, Ints, Number, PointsLike
from .errors import ArgumentError

if TYPE_CHECKING:
    from ._call import Progress
    from ._handle import Handle

__all__ = ["AllHits", "Hit", "Hits", "Intervals"]


class Hits(NamedTuple):
    """First hits of rays or segments.

    For a single line, the fields are numbers. ``Hit`` is the type of this answer, and another name of this
    class.

    Attributes
    ----------
    t : float64 array of shape (N,), or float
        Parameters of the hits: the points ``start + t * direction``, or ``start + t * (end - start)``.
        +inf where a line meets no face. NaN for a line that is not valid; see :meth:`Solid.first_hits`.
    bounds : float64 array of shape (N,), or float
        Bounds of the errors of t. +inf for a line that is not valid.
    faces : int32 array of shape (N,), or int
        Numbers of the faces in the file or the array of their solid. −1 where a line meets no face, or is
        not valid.
    bodies : int32 array of shape (N,), or int
        Numbers of the solids with these faces, from 0. −1 where a line meets no face, or is not valid.
    signs : int8 array of shape (N,), or int
        1 where the line passes through the plane of the face along its normal, −1 where it passes
        against it. 0 if the line lies in the plane, or if the face has no area.
    jumps : int8 array of shape (N,), or int
        Changes of the winding number where the line crosses the face, after an infinitesimal
        displacement that takes it away from edges and vertices.
    """

    t: Floats
    bounds: Floats
    faces: Ints
    bodies: Ints
    signs: Bytes
    jumps: Bytes


if TYPE_CHECKING:

    class Hit(NamedTuple):
        """The first hit of a single ray or segment."""

        t: float
        bounds: float
        faces: int
        bodies: int
        signs: int
        jumps: int

else:
    Hit = Hits


class AllHits(NamedTuple):
    """All hits of rays or segments. The other fields are those of :class:`Hits`.

    Attributes
    ----------
    offsets : int64 array of shape (N + 1,)
        The hits of line i are the elements ``offsets[i]`` to ``offsets[i + 1] - 1`` of the other
        arrays, in the exact order of their parameters. A line that is not valid has one element, with
        t = NaN and the face −1.
    """

    offsets: npt.NDArray[np.int64]
    t: npt.NDArray[np.float64]
    bounds: npt.NDArray[np.float64]
    faces: npt.NDArray[np.int32]
    bodies: npt.NDArray[np.int32]
    signs: npt.NDArray[np.int8]
    jumps: npt.NDArray[np.int8]


class Intervals(NamedTuple):
    """Parts of segments or polylines, each with one side.

    Attributes
    ----------
    offsets : int64 array of shape (N + 1,)
        The intervals of line i are the elements ``offsets[i]`` to ``offsets[i + 1] - 1`` of the
        other arrays, from its start to its end. They cover the line without gaps.
    sides : int8 array
        Sides, as in :class:`Side`. UNKNOWN occurs on an open mesh, and for a line that is not valid, which
        has one interval with the length NaN.
    starts, ends : float64 arrays
        Parameters of the ends of the intervals, from 0 to 1 on their segment.
    start_bounds, end_bounds : float64 arrays
        Bounds of their errors.
    lengths, length_bounds : float64 arrays
        Lengths in the unit of the mesh, and bounds of their errors.
    first_segments, last_segments : int32 arrays
        Segments of the polyline in which the intervals start and end. 0 for segments.
    unsampled : int64 array
        Lines of an open mesh with a part that is UNKNOWN because samples at a distance of ``step``
        would be too many. A larger step can decide such a part.
    """

    offsets: npt.NDArray[np.int64]
    sides: npt.NDArray[np.int8]
    starts: npt.NDArray[np.float64]
    start_bounds: npt.NDArray[np.float64]
    ends: npt.NDArray[np.float64]
    end_bounds: npt.NDArray[np.float64]
    lengths: npt.NDArray[np.float64]
    length_bounds: npt.NDArray[np.float64]
    first_segments: npt.NDArray[np.int32]
    last_segments: npt.NDArray[np.int32]
    unsampled: npt.NDArray[np.int64]


_HITS = (
    ("t", np.float64), ("bound", np.float64), ("face", np.int32), ("body", np.int32), ("sign", np.int8), ("jump", np.int8),
)  # fmt: skip
_INTERVALS = (
    ("side", np.int8), ("from", np.float64), ("from_bound", np.float64), ("to", np.float64), ("to_bound", np.float64),
    ("length", np.float64), ("length_bound", np.float64), ("from_segment", np.int32), ("to_segment", np.int32),
)  # fmt: skip


class Lines:
    """Rays or segments as a structure for the library, with the memory that it refers to."""

    def __init__(self, starts: PointsLike, directions: Optional[PointsLike], ends: Optional[PointsLike]) -> None:
        vectors = ends if directions is None else directions
        if vectors is None or (directions is not None and ends is not None):
            raise TypeError("expected either directions (of rays) or ends (of segments)")
        a = _vectors(starts, "starts")
        b = _vectors(vectors, "ends" if directions is None else "directions")
        self.single = a.single and b.single
        self.count = max(len(a), len(b)) if a.single or b.single else len(a)
        if a.single and not b.single:
            self.count = len(b)
        elif b.single:
            self.count = len(a)
        first, second = (_array(v, self.count) for v in (a, b))
        if len(first) != len(second):
            raise ValueError(f"{len(first)} starts and {len(second)} {'ends' if directions is None else 'directions'}")
        points = [points_struct(first), points_struct(second)]
        self._memory = (first, second, points)
        pointers = [ctypes.addressof(p) for p in points]
        self.struct = _structs.Lines(ctypes.sizeof(_structs.Lines), pointers[0], None, None)
        setattr(self.struct, "ends" if directions is None else "directions", pointers[1])


def _vectors(a: PointsLike, name: str) -> Points:
    try:
        return Points(a)
    except (TypeError, ValueError) as e:
        raise type(e)(f"{name}: {e}") from e


def _array(v: Points, n: int) -> npt.NDArray[Any]:
    """Return vectors that the library can read in place. A single vector is repeated n times."""
    blocks = [block for _, block in v.blocks()]
    a = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
    return np.repeat(a, n, axis=0) if v.single and n != 1 else a


def points_struct(a: npt.NDArray[Any]) -> _structs.Points:
    """Return the structure for vectors that the library can read in place."""
    return _structs.Points(
        ctypes.sizeof(_structs.Points),
        address(a),
        len(a),
        a.strides[0] if len(a) > 1 else 0,
        _structs.FLOAT64 if a.itemsize == 8 else _structs.FLOAT32,
    )


def first_hits(solid: Handle, lines: Lines, progress: Optional[Progress]) -> Union[Hit, Hits]:
    arrays = [np.empty(lines.count, dtype) for _, dtype in _HITS]
    hits = _structs.Hits(ctypes.sizeof(_structs.Hits), *(address(a) for a in arrays))
    _run(lambda lib, callback: lib.first_hits(solid._handle, lines.struct, hits, callback, None), progress)
    return Hits(*(a[0].item() if lines.single else a for a in arrays))


def any_hits(solid: Handle, lines: Lines, progress: Optional[Progress]) -> Union[bool, Bools]:
    met = np.empty(lines.count, np.bool_)
    _run(lambda lib, callback: lib.any_hits(solid._handle, lines.struct, address(met), callback, None), progress)
    return bool(met[0]) if lines.single else met


def all_hits(solid: Handle, lines: Lines, progress: Optional[Progress]) -> AllHits:
    found = _structs.HitList(size=ctypes.sizeof(_structs.HitList))
    try:
        _run(lambda lib, callback: lib.all_hits(solid._handle, lines.struct, found, callback, None), progress)
        return AllHits(*_copies(found, _HITS))
    finally:
        _library.library().free_hit_list(found)


def intervals(solid: Handle, index: int, lines: Lines, step: float, progress: Optional[Progress]) -> Intervals:
    return _intervals(
        lambda lib, found, callback: lib.intervals(solid._handle, index, lines.struct, step, found, callback, None), progress
    )


def polyline_intervals(
    solid: Handle, index: int, polylines: Iterable[PointsLike], step: float, progress: Optional[Progress]
) -> Intervals:
    parts: List[npt.NDArray[np.float64]] = []
    lengths = [0]
    for i, line in enumerate(polylines):
        v = _vectors(line, f"polyline {i}")
        if v.single:
            raise ValueError(f"polyline {i} has the shape (3,): expected (N, 3); pass one polyline as [points]")
        lengths.append(len(v))
        parts.extend(np.asarray(block, np.float64) for _, block in v.blocks())
    offsets = np.cumsum(lengths, dtype=np.int64)
    points = np.ascontiguousarray(np.concatenate(parts)) if parts else np.empty((0, 3))
    struct = points_struct(points)
    return _intervals(
        lambda lib, found, callback: lib.polyline_intervals(
            solid._handle, index, struct, address(offsets), len(offsets) - 1, step, found, callback, None
        ),
        progress,
    )


def _intervals(call: Callable[[Any, Any, Optional[int]], Any], progress: Optional[Progress]) -> Intervals:
    found = _structs.IntervalList(size=ctypes.sizeof(_structs.IntervalList))
    try:
        _run(lambda lib, callback: call(lib, found, callback), progress)
        arrays = _copies(found, _INTERVALS)
        arrays.append(_copy(found.unsampled, np.int64, found.unsampled_count))
        return Intervals(*arrays)
    finally:
        _library.library().free_interval_list(found)


def _run(call: Callable[[Any, Optional[int]], Any], progress: Optional[Progress]) -> None:
    lib = _library.library()
    _call.run(lambda callback: cast(int, call(lib, callback)), progress)


def _copies(found: Any, fields: Sequence[Tuple[str, Any]]) -> List[npt.NDArray[Any]]:
    """Return copies of the arrays of a list."""
    offsets = _copy(found.offsets, np.int64, found.lines + 1)
    return [offsets] + [_copy(getattr(found, name), dtype, found.count) for name, dtype in fields]


def _copy(pointer: Optional[int], dtype: Any, n: int) -> npt.NDArray[Any]:
    size = n * np.dtype(dtype).itemsize
    if size == 0:
        return np.empty(0, dtype)
    view: npt.NDArray[Any] = np.frombuffer(memoryview((ctypes.c_char * size).from_address(pointer or 0)), dtype)
    return view.copy()


def check_index(solid: Handle, index: SupportsIndex) -> int:
    """Return index if there is a solid with this number, or raise an error."""
    try:
        i = operator.index(index)
    except TypeError:
        raise TypeError(f"index is {index!r}: expected the number of a solid") from None
    if not 0 <= i < len(solid):
        raise IndexError(f"there is no solid {i}: there are {len(solid)}")
    return i


def check_number(x: Number, name: str) -> float:
    """Return x as a float, or raise an error."""
    try:
        return float(x)
    except OverflowError:
        raise ArgumentError(f"{name} exceeds the largest float64 number") from None
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} is {x!r}: expected a number") from None


def check_choice(value: str, name: str, choices: Sequence[str]) -> bytes:
    """Return value as the library takes it if it is one of the choices, or raise an error."""
    if not isinstance(value, str) or value not in choices:
        raise ArgumentError(f"{name} is {value!r}: expected one of {', '.join(choices)}")
    return value.encode()
