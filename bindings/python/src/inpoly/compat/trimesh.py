"""Exact replacements for queries of trimesh.

The functions take a ``trimesh.Trimesh``, or any object with the attributes ``vertices`` and
``faces``. They follow the conventions of trimesh and do not import it.

A solid is built at the first call for a mesh and kept as long as the mesh. Each later call computes
a checksum of the vertices and the faces, which takes about 1 ms for each MB, so a mesh can be edited
between two calls. For many calls with few points, use ``inpoly.Solid(mesh)``, which does not.
"""

from __future__ import annotations

import hashlib
import weakref
from typing import Any, Callable, Dict, List, NamedTuple, Tuple

import numpy as np
import numpy.typing as npt

from .._solid import Solid

__all__ = ["RayMeshIntersector", "closest_point", "contains", "signed_distance"]


def __dir__() -> List[str]:
    return __all__


def contains(mesh: Any, points: npt.ArrayLike, **options: Any) -> npt.NDArray[np.bool_]:
    """Return whether points are inside of a mesh or on its surface, as ``mesh.contains``.

    Parameters
    ----------
    mesh : object
        Mesh with the attributes ``vertices`` (V, 3) and ``faces`` (F, 3).
    points : array of shape (N, 3)
        Points.
    **options
        Options of :class:`inpoly.Solid`, such as ``rule="evenodd"``.

    Returns
    -------
    bool array of shape (N,)

    Examples
    --------
    >>> import inpoly
    >>> from inpoly.compat import trimesh
    >>> mesh = inpoly.open("testdata/knot.stl")  # or a trimesh.Trimesh
    >>> trimesh.contains(mesh, [[4, 10, -3], [100, 0, 0]])
    array([ True, False])
    """
    return _solid(mesh, options).contains(_many(points))


def signed_distance(mesh: Any, points: npt.ArrayLike, **options: Any) -> npt.NDArray[np.float64]:
    """Return signed distances, positive inside, as ``trimesh.proximity.signed_distance``.

    The sign is opposite to the sign of :meth:`inpoly.Solid.distance`. The distance is NaN if the
    side is unknown.

    Parameters
    ----------
    mesh, points, **options
        See :func:`contains`.

    Returns
    -------
    float64 array of shape (N,)

    Examples
    --------
    >>> import inpoly
    >>> from inpoly.compat import trimesh
    >>> mesh = inpoly.open("testdata/knot.stl")
    >>> trimesh.signed_distance(mesh, [[4, 10, -3], [100, 0, 0]]) > 0
    array([ True, False])
    """
    distance = _solid(mesh, options).distance(_many(points))
    return np.negative(distance, out=distance)


def closest_point(
    mesh: Any, points: npt.ArrayLike, **options: Any
) -> Tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return closest points on the surface, as ``trimesh.proximity.closest_point``.

    Parameters
    ----------
    mesh, points, **options
        See :func:`contains`.

    Returns
    -------
    closest : float64 array of shape (N, 3)
        Closest points on the surface.
    distance : float64 array of shape (N,)
        Distances, not negative.
    triangle_id : int64 array of shape (N,)
        Indexes of the nearest faces. The first one if several are exactly as near.

    Examples
    --------
    >>> import inpoly
    >>> from inpoly.compat import trimesh
    >>> mesh = inpoly.open("testdata/knot.stl")
    >>> closest, distance, face = trimesh.closest_point(mesh, [[4, 10, -3]])
    >>> closest.shape, distance.shape, face.dtype
    ((1, 3), (1,), dtype('int64'))
    """
    p = np.asanyarray(_many(points))
    near = _solid(mesh, options).locate(p, "nearest", "distance", "face")
    closest, distance = near["nearest"], np.abs(near["distance"])
    unsigned = np.isnan(distance) & np.isfinite(closest).all(axis=1)  # the side is unknown, but not the distance
    if unsigned.any():
        distance[unsigned] = np.linalg.norm(closest[unsigned] - np.asarray(p, np.float64)[unsigned], axis=1)
    return closest, distance, near["face"].astype(np.int64)


class RayMeshIntersector:
    """Makes ``mesh.contains`` of trimesh exact: ``mesh.ray = RayMeshIntersector(mesh)``.

    Everything in trimesh that uses ``mesh.contains`` then uses inpoly. Other methods and attributes
    are those of the previous ``mesh.ray``.

    Parameters
    ----------
    mesh : trimesh.Trimesh
        Mesh.
    **options
        Options of :class:`inpoly.Solid`.

    Examples
    --------
    >>> import inpoly
    >>> from inpoly.compat.trimesh import RayMeshIntersector
    >>> mesh = inpoly.open("testdata/knot.stl")
    >>> RayMeshIntersector(mesh).contains_points([[4, 10, -3], [100, 0, 0]])
    array([ True, False])
    """

    def __init__(self, mesh: Any, **options: Any) -> None:
        self.mesh = mesh
        self.options = options
        self._previous = getattr(mesh, "ray", None)

    def contains_points(self, points: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return whether points are inside; see :func:`contains`."""
        return contains(self.mesh, points, **self.options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "_previous" not in self.__dict__:
            raise AttributeError(name)
        if self._previous is None:
            raise AttributeError(f"this mesh had no ray engine, which {name!r} needs")
        return getattr(self._previous, name)


def _many(points: npt.ArrayLike) -> npt.ArrayLike:
    if np.shape(points) == (3,):
        raise ValueError("points have the shape (3,): expected (N, 3)")
    return points


class _Entry(NamedTuple):
    key: Any
    solid: Solid
    mesh: "weakref.ref[Any]"


_cache: Dict[int, _Entry] = {}  # by the id of the mesh; entries are replaced or removed, never changed


def _solid(mesh: Any, options: Dict[str, Any]) -> Solid:
    """Return the solid of a mesh, which is built if the mesh is new or has changed."""
    options = {"warn": False, **options}
    if isinstance(mesh, Solid):
        if len(options) == 1:
            return mesh
        len(mesh)  # raises an error if the solid is closed
        return _cached(mesh, repr(sorted(options.items())), lambda: Solid(mesh, **options))
    if not (hasattr(mesh, "vertices") and hasattr(mesh, "faces")):
        raise TypeError(f"a mesh of the type {type(mesh).__name__} lacks the attributes vertices and faces")
    vertices, faces = np.asarray(mesh.vertices), np.asarray(mesh.faces)
    key = (_checksum(vertices), _checksum(faces), repr(sorted(options.items())))
    return _cached(mesh, key, lambda: Solid(mesh.vertices, mesh.faces, **options))


def _cached(mesh: Any, key: Any, build: Callable[[], Solid]) -> Solid:
    """Return the solid of a mesh from the cache if it has this key, or else build it."""
    number = id(mesh)
    entry = _cache.get(number)
    if entry is not None and entry.key == key and entry.mesh() is mesh:
        return entry.solid
    solid = build()
    try:
        _cache[number] = _Entry(key, solid, weakref.ref(mesh, lambda ref: _forget(number, ref)))
    except TypeError:
        pass  # the object has no weak references, so nothing tells when it ends
    return solid


def _forget(number: int, ref: "weakref.ref[Any]") -> None:
    entry = _cache.get(number)
    if entry is not None and entry.mesh is ref:
        del _cache[number]


def _checksum(a: npt.NDArray[Any]) -> Tuple[Any, ...]:
    return a.shape, a.dtype.str, hashlib.blake2b(np.ascontiguousarray(a).data, digest_size=16).digest()
