"""Sections with planes, and the measures of solids."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional

import numpy as np
import numpy.typing as npt

__all__ = ["Contour", "Polygon", "Properties", "Section"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Contour:
    """A line in which faces of the mesh cross the plane.

    Attributes
    ----------
    points : float64 array of shape (N, 3)
    closed : bool
        Whether the last point is connected with the first one.
    """

    points: Floats
    closed: bool


@dataclass(frozen=True)
class Polygon:
    """A connected part of the filled region.

    Attributes
    ----------
    outer : float64 array of shape (N, 3)
        The outer ring, counterclockwise when seen against the normal of the plane. The last point is
        connected with the first one.
    holes : list of float64 arrays of shape (N, 3)
        Rings of the holes, clockwise.
    """

    outer: Floats
    holes: List[Floats]


@dataclass(frozen=True)
class Section:
    """A section of a solid with a plane.

    Attributes
    ----------
    origin, normal : float64 arrays of shape (3,)
        The plane.
    closed : bool
        Whether the mesh is closed. On an open mesh, there are only contours, and areas are NaN.
    contours : list of Contour
        The lines of the mesh in the plane.
    polygons : list of Polygon
        The region that the rule of the solid fills, without overlaps.
    area, area_bound : float
        Area of the polygons, and a bound of its error.
    bound : float
        Bound of the error of each coordinate.
    """

    origin: Floats
    normal: Floats
    closed: bool
    contours: List[Contour] = field(repr=False)
    polygons: List[Polygon] = field(repr=False)
    area: float
    area_bound: float
    bound: float


@dataclass(frozen=True)
class Properties:
    """Area, volume and moments of a solid or a part of it. Lengths have the unit of the mesh.

    The volume and the moments are integrals of the winding number: where it is 0 or 1 everywhere, they
    are those of the solid. Each ``bound`` is an upper bound of the error. Numbers that are not
    determined are NaN, and their bounds are +inf.

    Attributes
    ----------
    name : str
        Name of the body, or "".
    faces : int
        Number of faces.
    closed : bool
        Whether the part is closed. Otherwise only the area is determined.
    reason : str
        Why numbers are not determined, or "".
    area, volume, mass : float
    centroid : float64 array of shape (3,)
    inertia : float64 array of shape (3, 3)
        Inertia tensor about the centroid.
    moments : float64 array of shape (3,)
        Principal moments, ascending.
    axes : float64 array of shape (3, 3)
        Principal axes: ``axes[i]`` belongs to ``moments[i]``.
    axes_bound : float64 array of shape (3,)
        Bounds of the angles of the axes in radians. +inf for an axis that is not determined.
    """

    name: str
    faces: int
    closed: bool
    reason: str
    area: float
    area_bound: float
    volume: float
    volume_bound: float
    mass: float
    mass_bound: float
    centroid: Floats
    centroid_bound: Floats
    inertia: Floats
    inertia_bound: float
    moments: Floats
    moments_bound: float
    axes: Floats
    axes_bound: Floats


def _number(x: Optional[float], missing: float = math.nan) -> float:
    return missing if x is None else float(x)


def _array(x: Any, missing: float = math.nan) -> Floats:
    a = np.array(x, dtype=np.float64)  # None becomes NaN
    a[np.isnan(a)] = missing
    return a


def _points(list_: Any) -> Floats:
    return np.array(list_, np.float64).reshape(-1, 3)


def parse_sections(text: bytes) -> List[Section]:
    """Return the sections that the library has written as JSON."""
    return [_section(s) for s in json.loads(text)]


def _section(s: Dict[str, Any]) -> Section:
    return Section(
        origin=_array(s["plane"]["origin"]),
        normal=_array(s["plane"]["normal"]),
        closed=bool(s["closed"]),
        contours=[Contour(_points(c["points"]), bool(c["closed"])) for c in s["contours"]],
        polygons=[
            Polygon(_points(p["outer"]["points"]), [_points(h["points"]) for h in p["holes"]]) for p in s["polygons"]
        ],
        area=_number(s["area"]),
        area_bound=_number(s["areaBound"], math.inf),
        bound=_number(s["bound"], math.inf),
    )


def parse_properties(text: bytes) -> List[Properties]:
    """Return the properties that the library has written as JSON."""
    return [_properties(p) for p in json.loads(text)]


def _properties(p: Dict[str, Any]) -> Properties:
    return Properties(
        name=str(p["name"]),
        faces=int(p["faces"]),
        closed=bool(p["closed"]),
        reason=str(p["reason"]),
        area=_number(p["area"]),
        area_bound=_number(p["areaBound"], math.inf),
        volume=_number(p["volume"]),
        volume_bound=_number(p["volumeBound"], math.inf),
        mass=_number(p["mass"]),
        mass_bound=_number(p["massBound"], math.inf),
        centroid=_array(p["centroid"]),
        centroid_bound=_array(p["centroidBound"], math.inf),
        inertia=_array(p["inertia"]),
        inertia_bound=_number(p["inertiaBound"], math.inf),
        moments=_array(p["moments"]),
        moments_bound=_number(p["momentsBound"], math.inf),
        axes=_array(p["axes"]),
        axes_bound=_array(p["axesBound"], math.inf),
    )
