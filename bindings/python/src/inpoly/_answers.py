"""Answers: their types, their arrays, and arrays of callers that they are written to."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, Dict, NamedTuple, Tuple

import numpy as np
import numpy.typing as npt

from ._types import Bytes, Floats, Ints
from .errors import ArgumentError

__all__ = ["Nearest", "NearestPoint", "Side", "Winding", "WindingNumber"]


class Side(enum.IntEnum):
    """Position of a point relative to a solid.

    Arrays of sides have the type int8. Compare their elements with these constants:

    >>> import inpoly
    >>> solid = inpoly.open("testdata/knot.stl")
    >>> sides = solid.sides([[4, 10, -3], [100, 0, 0], [float("nan"), 0, 0]])
    >>> sides == inpoly.Side.INSIDE
    array([ True, False, False])
    >>> [inpoly.Side(s).name for s in sides]
    ['INSIDE', 'OUTSIDE', 'UNKNOWN']
    """

    #: The point is not finite, or W is too close to the threshold of the rule.
    UNKNOWN = 0
    #: The point is not in the solid.
    OUTSIDE = 1
    #: The point is exactly on a triangle, or within the tolerance.
    ON_SURFACE = 2
    #: The point is in the solid.
    INSIDE = 3


#: Sides by their numbers, because this is faster than Side(number).
SIDES = tuple(Side)


class Winding(NamedTuple):
    """Winding numbers W and bounds of their errors.

    For a single point, the fields are numbers. ``WindingNumber`` is the type of this answer, and another
    name of this class.

    Attributes
    ----------
    winding : float64 array of shape (N,), or float
        W, or NaN for a point that is not finite.
    bound : float64 array of shape (N,), or float
        Upper bounds of the errors, or +inf for a point that is not finite. A bound is 0 for an exact
        winding number, as in all points of a closed mesh that are not on its surface.
    """

    winding: Floats
    bound: Floats


class Nearest(NamedTuple):
    """Closest points on the surface.

    For a single point, the fields are numbers and arrays of shape (3,). ``NearestPoint`` is the type of this
    answer, and another name of this class.

    Attributes
    ----------
    points : float64 array of shape (N, 3) or (3,)
        The closest points, rounded. NaN for a point that is not finite.
    faces : int32 array of shape (N,), or int
        Numbers of the nearest faces in the file or the array of their solid, from 0. −1 for a point
        that is not finite. If several faces are exactly as near, this is the first one. At a pose, another
        face can be nearer by at most twice the bound of the distance.
    bodies : int32 array of shape (N,), or int
        Numbers of the solids with these faces, from 0. −1 for a point that is not finite.
    distances : float64 array of shape (N,), or float
        Signed distances, as from ``Solid.distance``.
    bounds : float64 array of shape (N,), or float
        Bounds of the distances of ``points`` from the exact closest points of ``faces``. +inf without one.
    normals : float64 array of shape (N, 3) or (3,)
        Unit normals of the faces. On an edge or a vertex, the angle-weighted pseudonormal of all its faces.
        It has five correct digits, also where the normals of the faces nearly cancel, and is 0 if they cancel
        exactly or the faces have no area.
    features : int8 array of shape (N,), or int
        The part of the face that contains the closest point: 1 for a vertex, 2 for an edge, 3 for the
        inside of the face. 0 without a closest point. This is exact without a pose.
    barycentric : float64 array of shape (N, 3) or (3,)
        Coordinates of the closest points relative to the corners of the faces.
    """

    points: Floats
    faces: Ints
    bodies: Ints
    distances: Floats
    bounds: Floats
    normals: Floats
    features: Bytes
    barycentric: Floats


if TYPE_CHECKING:

    class WindingNumber(NamedTuple):
        """The winding number of a single point."""

        winding: float
        bound: float

    class NearestPoint(NamedTuple):
        """The closest point on the surface to a single point."""

        points: Floats
        faces: int
        bodies: int
        distances: float
        bounds: float
        normals: Floats
        features: int
        barycentric: Floats

else:
    WindingNumber, NearestPoint = Winding, Nearest


# Types of the elements of each answer, and their number for each point. `make api` writes this table and the members
# of Side from bindings/api.json.
_TYPES: Dict[str, Tuple[Any, int]] = {
    "side": (np.dtype(np.int8), 1),
    "winding": (np.dtype(np.float64), 1),
    "winding_bound": (np.dtype(np.float64), 1),
    "distance": (np.dtype(np.float64), 1),
    "distance_bound": (np.dtype(np.float64), 1),
    "nearest": (np.dtype(np.float64), 3),
    "face": (np.dtype(np.int32), 1),
    "nearest_body": (np.dtype(np.int32), 1),
    "body": (np.dtype(np.int32), 1),
    "nearest_bound": (np.dtype(np.float64), 1),
    "barycentric": (np.dtype(np.float64), 3),
    "normal": (np.dtype(np.float64), 3),
    "feature": (np.dtype(np.int8), 1),
}

NAMES = tuple(_TYPES)


def check_name(name: object) -> None:
    """Raise an error if name is not the name of an answer."""
    if not isinstance(name, str) or name not in _TYPES:
        raise ArgumentError(
            f"unknown answer {name!r}: expected one of {', '.join(NAMES)}; a point with side >= 2 is contained"
        )


def shape(name: str, n: int) -> Tuple[int, ...]:
    """Return the shape of the array of an answer for n points."""
    return (n,) if _TYPES[name][1] == 1 else (n, _TYPES[name][1])


def empty(name: str, n: int) -> npt.NDArray[Any]:
    """Return a new array for an answer for n points."""
    return np.empty(shape(name, n), _TYPES[name][0])


def check_out(name: str, out: object, points: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return out if the library can write an answer to it, or raise an error.

    name is the name of an answer, or "contains". points is the input, which out must not overlap.
    """
    dtype = np.dtype(np.bool_) if name == "contains" else _TYPES[name][0]
    if not isinstance(out, np.ndarray):
        hint = "; use .to_numpy()" if hasattr(out, "to_numpy") else ""
        raise TypeError(f"out is of type {type(out).__name__}: expected a numpy.ndarray{hint}")
    want = (len(points),) if name == "contains" else shape(name, len(points))
    if isinstance(out, np.ma.MaskedArray):
        raise TypeError("out is a masked array, which would hide answers: use out.data")
    if out.dtype != dtype or not out.dtype.isnative:
        raise TypeError(f"out has the type {out.dtype}: {name!r} needs {dtype}")
    if out.shape != want:
        raise ValueError(f"out has the shape {out.shape}: {len(points)} points need {want}")
    if not out.flags.c_contiguous or not out.flags.aligned:
        raise ValueError("out is not contiguous: use an array that numpy.empty has created")
    if not out.flags.writeable:
        raise ValueError("out is read-only")
    if np.may_share_memory(out, points):
        raise ValueError("out and the points overlap in memory")
    return out


def scalar(name: str, a: npt.NDArray[Any]) -> Any:
    """Return the answer for one point."""
    if name == "side":
        return SIDES[int(a[0])]
    return a[0] if _TYPES[name][1] > 1 else a[0].item()
