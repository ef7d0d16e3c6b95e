"""Solids and their queries."""

from __future__ import annotations

import ctypes
import json
import struct
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, SupportsIndex, Tuple, Type, TypeVar, Union, cast, overload

import numpy as np
import numpy.typing as npt

from . import _answers, _call, _library, _lines, _mesh, _options, _poses, _queries, _report, _structs
from ._answers import SIDES, Nearest, NearestPoint, Side, Winding, WindingNumber
from ._call import Progress
from ._points import Points, address
from ._types import Answer, Bools, Bytes, Floats, Ints, MeshLike, Method, Number, Orient, Point, PointsLike, Rule, Several, Which
from .errors import ArgumentError, CanceledError, ClosedError, InpolyError, MeshWarning

__all__ = ["Assembly", "Solid"]

_S = TypeVar("_S", bound="Solid")

# Few points in a mesh of up to this size are located without a callback, which could interrupt the
# call, but takes longer. The longest delay is then the time to build an index of so many faces, or the
# time for so many pairs of points and faces, which are slower on an open mesh (tuning).
_QUICK_FACES = 1 << 20
_QUICK_PAIRS = 1 << 22
_QUICK_PAIRS_OPEN = 1 << 18

# The same for sides in closed meshes by methods that test all faces only for points near a vertex of all faces.
_FEW_PAIRS = 1 << 25
_FEW_POINTS = 1 << 10
_FEW_CALLS = 8

_query = struct.Struct("Qddd").pack  # an inpoly_query
_FLOAT64 = np.dtype(np.float64)
_memory = (ctypes.c_char * 1).from_buffer  # the fastest way to pass an array, from an element of one byte on

# `make api` writes these numbers, and the options in signatures and docstrings, from bindings/api.json.
_CHOICES = {"first": 0, "innermost": 1, "count": 2}

_MAX_WARNINGS = 10


class Solid(_queries.Queries):
    """A triangle mesh, closed or open, that points are located in.

    Points are an array of shape (N, 3), or of shape (3,) for a single point. Anything that NumPy can
    turn into such an array of real numbers is accepted: lists, tuples, ``df[["x", "y", "z"]]`` of
    pandas. float64 and float32 arrays whose rows are contiguous are read in place. float32 numbers
    and integers are located where they exactly are. A point with NaN, an infinite coordinate, a
    masked element or a missing value has the side UNKNOWN.

    A solid is immutable, and safe for use by several threads, which run in parallel. Ctrl-C
    interrupts every method. ``copy.copy`` and ``copy.deepcopy`` return the same solid, so :meth:`close`
    closes all copies.

    Parameters
    ----------
    vertices : array of shape (V, 3), array of shape (F, 3, 3), or a mesh
        Coordinates of the vertices. Or, if ``faces`` is None, either the three corners of each
        triangle, or an object with the attributes ``vertices`` and ``faces``, such as a
        ``trimesh.Trimesh``. Vertices at equal coordinates are welded.
    faces : array of integers of shape (F, 3), optional
        Indexes of vertices, counterclockwise from outside.
    name : str, optional
        Name in messages and in the report.
    method : {"auto", "raycross", "columns", "cells", "direct", "fmm"}
        Method for finding sides, which are the same with all methods.
    rule : {"nonzero", "positive", "negative", "evenodd"}
        Which winding numbers W are inside: "nonzero" (W > 1/2 or W < −1/2), "positive" (W > 1/2), "negative"
        (W < −1/2), "evenodd" (W is odd).
    orient : {"auto", "never", "always"}
        Which faces are turned over if they disagree with adjacent faces: "auto" (only parts with flipped faces),
        "never" (nothing), "always" (also parts that face inward as a whole).
    tolerance : float
        Points within this exact distance of the surface are on the surface. 0 means only points exactly on it.
    epsilon : float
        Largest bound of a winding number. Sides are always exact. 0 means no limit.
    expected_points : int
        Approximate number of points that follow, which helps the method auto. 0 means unknown.
    max_memory : int
        Limit of the memory for loading a file, in bytes. 0 means a multiple of the size of the file.
    seed : int
        Changes random rays, but no answer.
    workers : int
        Number of threads for building and for each batch of points. 0 means one for each processor.
    weld : float
        Vertices of unmatched edges within this distance become one vertex before everything else. All answers are for
        the welded mesh. 0 means only equal ones.
    progress : callable, optional
        Called as ``progress(stage, done, total)`` about 20 times a second, on the thread of the
        caller. total is 0 if it is unknown. If it returns ``False`` or raises an exception, the call
        ends early.
    warn : bool
        Whether to issue a :class:`MeshWarning` for each relevant defect of the mesh.

    Raises
    ------
    MeshError
        A coordinate is not finite, or an index is out of range.
    OptionError
        An option is out of range.
    TypeError, ValueError
        An array has the wrong type or shape.

    Examples
    --------
    >>> import inpoly
    >>> vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    >>> solid = inpoly.Solid(vertices, faces)
    >>> solid.contains([[0.1, 0.1, 0.1], [1, 1, 1]])
    array([ True, False])
    >>> solid.contains((0.1, 0.1, 0.1))
    True
    """

    __slots__ = ()

    def __init__(
        self,
        vertices: Union[Several, MeshLike],
        faces: Optional[npt.ArrayLike] = None,
        *,
        name: Optional[str] = None,
        method: Method = "auto",
        rule: Rule = "nonzero",
        orient: Orient = "auto",
        tolerance: Number = 0.0,
        epsilon: Number = 0.0,
        expected_points: SupportsIndex = 0,
        max_memory: SupportsIndex = 0,
        seed: SupportsIndex = 0,
        workers: SupportsIndex = 0,
        weld: Number = 0.0,
        progress: Optional[Progress] = None,
        warn: bool = True,
    ) -> None:
        options = _options.check(
            dict(
                method=method, rule=rule, orient=orient, tolerance=tolerance, epsilon=epsilon,
                expected_points=expected_points, max_memory=max_memory, seed=seed, workers=workers, weld=weld,
            )
        )  # fmt: skip
        self._build([_mesh.from_arrays(vertices, faces, name)], options, progress)
        if warn:
            self._warn(3)

    def _warn(self, stacklevel: int, label: str = "") -> None:
        import warnings

        found = self.warnings
        for text in found[:_MAX_WARNINGS]:
            warnings.warn(label + text, MeshWarning, stacklevel=stacklevel)
        if len(found) > _MAX_WARNINGS:
            more = f"{label}{len(found) - _MAX_WARNINGS} more warnings: see Solid.warnings"
            warnings.warn(more, MeshWarning, stacklevel=stacklevel)

    # Answers.

    @overload
    def contains(
        self, points: Point, *, out: None = None, progress: Optional[Progress] = None
    ) -> bool: ...

    @overload
    def contains(
        self, points: Several, *, out: Optional[Bools] = None, progress: Optional[Progress] = None
    ) -> Bools: ...

    def contains(
        self, points: PointsLike, *, out: Optional[Bools] = None, progress: Optional[Progress] = None
    ) -> Union[bool, Bools]:
        """Return whether points are inside or on the surface.

        A point with an unknown side is not contained. :meth:`sides` distinguishes all four cases.

        Parameters
        ----------
        points : array of shape (N, 3) or (3,)
            Points; see :class:`Solid`.
        out : bool array of shape (N,), optional
            Array for the result. It must be contiguous and must not overlap the points. Its content
            is undefined if the method raises an exception.
        progress : callable, optional
            See :class:`Solid`.

        Returns
        -------
        bool array of shape (N,), or bool for a single point

        Raises
        ------
        TypeError
            The points are not real numbers, or ``out`` has the wrong type.
        ValueError
            The points or ``out`` have the wrong shape, or the points have integers beyond 2**53.
        ClosedError
            The solid was closed.

        Examples
        --------
        >>> import inpoly
        >>> solid = inpoly.open("testdata/knot.stl")
        >>> solid.contains([[4, 10, -3], [100, 0, 0]])
        array([ True, False])
        """
        if self._quick and out is None and progress is None:
            quick: Any = self._quick_sides(points)
            if quick is not None:
                contained: Union[bool, Bools] = quick > 1
                return contained
        p = Points(points)
        if p.single:
            _no_out(out)
            return bool(self._locate_one(p, "side", progress) > 1)
        found = np.empty(len(p), np.bool_) if out is None else _answers.check_out("contains", out, p.array)
        sides = found.view(np.int8)
        self._locate(p, {"side": sides}, progress)
        np.greater(sides, 1, out=found)
        return found

    @overload
    def sides(
        self, points: Point, *, out: None = None, progress: Optional[Progress] = None
    ) -> Side: ...

    @overload
    def sides(
        self, points: Several, *, out: Optional[Bytes] = None, progress: Optional[Progress] = None
    ) -> Bytes: ...

    def sides(
        self, points: PointsLike, *, out: Optional[Bytes] = None, progress: Optional[Progress] = None
    ) -> Union[Side, Bytes]:
        """Return the exact sides of points.

        If there are several solids, a side is relative to their union.

        Parameters
        ----------
        points, out, progress
            As for :meth:`contains`, but ``out`` has the type int8.

        Returns
        -------
        int8 array of shape (N,) with the numbers of :class:`Side`, or a Side for a single point

        Examples
        --------
        >>> import inpoly
        >>> solid = inpoly.open("testdata/knot.stl")
        >>> solid.sides([[4, 10, -3], [100, 0, 0]])
        array([3, 1], dtype=int8)
        >>> solid.sides((4.0, 10.0, -3.0))
        <Side.INSIDE: 3>
        """
        if self._quick and out is None and progress is None:
            quick = self._quick_sides(points)
            if quick is not None:
                return quick
        result: Union[Side, Bytes] = self._one_answer("side", points, out, progress)
        return result

    @overload
    def winding(
        self, points: Point, *, out: None = None, progress: Optional[Progress] = None
    ) -> WindingNumber: ...

    @overload
    def winding(
        self, points: Several, *, out: Optional[Tuple[Floats, Floats]] = None, progress: Optional[Progress] = None
    ) -> Winding: ...

    def winding(
        self,
        points: PointsLike,
        *,
        out: Optional[Tuple[Floats, Floats]] = None,
        progress: Optional[Progress] = None,
    ) -> Union[WindingNumber, Winding]:
        """Return winding numbers of points, and bounds of their errors.

        Parameters
        ----------
        points, progress
            As for :meth:`contains`.
        out : pair of float64 arrays of shape (N,), optional
            Arrays for the result.

        Returns
        -------
        Winding
            A named tuple of two float64 arrays of shape (N,). For a single point, a
            :class:`WindingNumber`, a named tuple of two floats.

        Examples
        --------
        >>> import inpoly
        >>> solid = inpoly.open("testdata/knot.stl")
        >>> solid.winding((4.0, 10.0, -3.0))
        Winding(winding=1.0, bound=0.0)
        """
        names = ("winding", "winding_bound")
        if out is not None and (not isinstance(out, (tuple, list)) or len(out) != 2):
            raise TypeError("out of winding must be a pair of arrays, for the winding numbers and for the bounds")
        return Winding(*self._several(names, points, None if out is None else dict(zip(names, out)), progress))

    @overload
    def distance(
        self, points: Point, *, out: None = None, progress: Optional[Progress] = None
    ) -> float: ...

    @overload
    def distance(
        self, points: Several, *, out: Optional[Floats] = None, progress: Optional[Progress] = None
    ) -> Floats: ...

    def distance(
        self, points: PointsLike, *, out: Optional[Floats] = None, progress: Optional[Progress] = None
    ) -> Union[float, Floats]:
        """Return signed distances of points to the surface, negative inside.

        If there are several solids, this is the distance to the nearest face of all of them, negative
        inside any of them. Where they overlap, the boundary of their union can be farther away.

        The magnitude is the exact distance, rounded up to the next float64, so it is 0 only on the
        surface. The distance is NaN if the side is unknown. ``locate(points, "distance_bound")``
        returns bounds of the errors, one unit in the last place. At a pose, the bounds include the
        rounding of positions, and the exact distance can be above or below; see :meth:`at`.

        Parameters
        ----------
        points, out, progress
            As for :meth:`contains`, but ``out`` has the type float64.

        Returns
        -------
        float64 array of shape (N,), or float for a single point
            In the unit of the mesh.

        Examples
        --------
        >>> import inpoly
        >>> vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
        >>> inpoly.Solid(vertices, faces).distance([[0.125, 0.25, 0.25], [0.25, 0.25, -2]])
        array([-0.125,  2.   ])
        """
        result: Union[float, Floats] = self._one_answer("distance", points, out, progress)
        return result

    @overload
    def nearest(self, points: Point, *, progress: Optional[Progress] = None) -> NearestPoint: ...

    @overload
    def nearest(self, points: Several, *, progress: Optional[Progress] = None) -> Nearest: ...

    def nearest(
        self, points: PointsLike, *, progress: Optional[Progress] = None
    ) -> Union[NearestPoint, Nearest]:
        """Return the closest points on the surface, with their faces, distances, normals and more.

        ``locate`` computes only some of these answers, and writes to given arrays.

        Parameters
        ----------
        points, progress
            As for :meth:`contains`.

        Returns
        -------
        Nearest
            A named tuple of arrays: points, faces, bodies, distances, bounds, normals, features and
            barycentric. For a single point, a :class:`NearestPoint`.

        Examples
        --------
        >>> import inpoly
        >>> vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
        >>> near = inpoly.Solid(vertices, faces).nearest([[0.25, 0.25, -2]])
        >>> near.points, near.faces, near.distances
        (array([[0.25, 0.25, 0.  ]]), array([0], dtype=int32), array([2.]))
        """
        names = ("nearest", "face", "nearest_body", "distance", "nearest_bound", "normal", "feature", "barycentric")
        return Nearest(*self._several(names, points, None, progress))

    @overload
    def body(
        self, points: Point, which: Which = "first", *, out: None = None, progress: Optional[Progress] = None
    ) -> int: ...

    @overload
    def body(
        self,
        points: Several,
        which: Which = "first",
        *,
        out: Optional[Ints] = None,
        progress: Optional[Progress] = None,
    ) -> Ints: ...

    def body(
        self,
        points: PointsLike,
        which: Which = "first",
        *,
        out: Optional[Ints] = None,
        progress: Optional[Progress] = None,
    ) -> Union[int, Ints]:
        """Return which solid contains each point, or how many do.

        Parameters
        ----------
        points, out, progress
            As for :meth:`contains`, but ``out`` has the type int32.
        which : {"first", "innermost", "count"}
            The solid if several contain a point: the one with the smallest number, or the one with
            the smallest volume. Or the number of solids that contain the point.

        Returns
        -------
        int32 array of shape (N,), or int for a single point
            Indexes in ``names``. −1 if no solid contains the point. −2 if this depends on an unknown
            side. For ``which="count"``, the number of solids, or −2.

        Examples
        --------
        >>> import inpoly
        >>> ores = inpoly.open(["testdata/tasks/north.obj", "testdata/tasks/south.obj"])
        >>> ores.body([[1120, 2080, -60], [1200, 2030, -80], [0, 0, 0]])
        array([ 0,  1, -1], dtype=int32)
        >>> ores.names
        ['north', 'south']
        """
        choice = _choice(which)
        result: Union[int, Ints] = self._one_answer("body", points, out, progress, choice)
        return result

    @overload
    def locate(
        self, points: Point, *answers: Answer, which: Which = "first", out: None = None, progress: Optional[Progress] = None
    ) -> Dict[str, Any]: ...

    @overload
    def locate(
        self,
        points: Several,
        *answers: Answer,
        which: Which = "first",
        out: Optional[Mapping[str, npt.NDArray[Any]]] = None,
        progress: Optional[Progress] = None,
    ) -> Dict[str, npt.NDArray[Any]]: ...

    def locate(
        self,
        points: PointsLike,
        *answers: Answer,
        which: Which = "first",
        out: Optional[Mapping[str, npt.NDArray[Any]]] = None,
        progress: Optional[Progress] = None,
    ) -> Dict[str, Any]:
        """Return several answers at once, which is faster than one after the other.

        Parameters
        ----------
        points, progress
            As for :meth:`contains`.
        *answers : {"side", "winding", "winding_bound", "distance", "distance_bound", "nearest", "face", "nearest_body", \
"body", "nearest_bound", "barycentric", "normal", "feature"}
            Names of the answers. Without names, they are the keys of ``out``, or else "side" and
            "distance".
        which : {"first", "innermost", "count"}
            Meaning of the answer "body"; see :meth:`body`.
        out : mapping of names to arrays, optional
            Arrays for some or all of the answers; see :meth:`contains`.

        Returns
        -------
        dict
            An array for each name, or a number for a single point: "side" and "feature" int8,
            "nearest", "normal" and "barycentric" float64 of shape (N, 3), "face", "nearest_body" and
            "body" int32, others float64. Without arrays of shape (N, 3), ``pandas.DataFrame(answers)``
            is a table.

        Examples
        --------
        >>> import inpoly
        >>> solid = inpoly.open("testdata/knot.stl")
        >>> solid.locate([[4, 10, -3], [100, 0, 0]], "side", "winding")
        {'side': array([3, 1], dtype=int8), 'winding': array([1., 0.])}
        """
        if out is not None and not isinstance(out, Mapping):
            raise TypeError(f"out is of type {type(out).__name__}: expected a mapping of names to arrays")
        names: Tuple[str, ...] = answers
        if not names:
            names = tuple(out) if out else ("side", "distance")
        for name in (*names, *(out or ())):
            _answers.check_name(name)
            if name not in names:
                raise ArgumentError(f"out has an array for {name!r}, which is not among the answers")
        return dict(zip(names, self._several(names, points, out, progress, _choice(which))))

    def explain(self, point: PointsLike) -> List[Dict[str, Any]]:
        """Return why a point has its side.

        Parameters
        ----------
        point : array of shape (3,)

        Returns
        -------
        list of dict
            One explanation for each solid, with its name, the side ("in", "out", "on" or
            "uncertain"), the reason ("because"), the winding number, the faces that a ray from the
            point crosses, and the nearest face. The command prints the same JSON.

        Examples
        --------
        >>> import inpoly
        >>> explanation = inpoly.open("testdata/knot.stl").explain((4, 10, -3))[0]
        >>> explanation["side"], explanation["winding"]
        ('in', 1)
        """
        p = Points(point)
        if not p.single:
            raise ValueError(f"the point has the shape {p.array.shape}: expected (3,)")
        self._locate_one(p, "distance", None)  # builds the tree, and can be interrupted
        ((_, block),) = p.blocks()
        x, y, z = block[0].tolist()
        result: List[Dict[str, Any]] = json.loads(
            self._json(lambda lib, text, _: lib.explain(self._handle, x, y, z, text))
        )
        return result

    def report(self, *, progress: Optional[Progress] = None) -> _report.Report:
        """Return the defects of the meshes, the methods and the times.

        The first call diagnoses the meshes, unless a warning was due when they were opened.

        Examples
        --------
        >>> import inpoly
        >>> inpoly.open("testdata/tasks/part.stl").report().defects
        False
        """
        return _report.parse(
            self._json(lambda lib, text, callback: lib.report(self._handle, text, callback, None), progress)
        )

    # How points are located.

    def _quick_sides(self, points: Any) -> Union[Side, Bytes, None]:
        """Return the side of a single point, or the sides of few points in an array, or None for anything else."""
        kind = type(points)
        if kind is not tuple:
            if kind is np.ndarray:
                if points.shape != (3,):
                    return self._few_sides(points)
                points = points.tolist()
            elif kind is not list and not isinstance(points, tuple):
                return None
        if len(points) != 3:
            return None
        x, y, z = points
        if not (isinstance(x, float) and isinstance(y, float) and isinstance(z, float)):
            return None
        side = _library.side(_query(self._handle, x, y, z))
        if side < 0:
            raise _library.library().error(-side)
        return SIDES[side]

    def _few_sides(self, points: npt.NDArray[Any]) -> Optional[Bytes]:
        shape = points.shape
        if len(shape) != 2 or shape[1] != 3 or points.dtype is not _FLOAT64:
            return None
        n, step = shape[0], self._few
        if not 0 < n <= _FEW_CALLS * step:
            return None
        sides = np.empty(n, np.int8)
        for first in range(0, n, step):  # Python handles signals between two calls
            part = points[first : first + step] if n > step else points
            status = _library.sides(self._handle, part.tobytes(), len(part), _memory(sides, first))
            if status:
                raise _library.library().error(status)
        return sides

    def _one_answer(
        self, name: str, points: PointsLike, out: Any, progress: Optional[Progress], choice: int = 0
    ) -> Any:
        return self._several((name,), points, None if out is None else {name: out}, progress, choice)[0]

    def _several(
        self,
        names: Iterable[str],
        points: PointsLike,
        out: Optional[Mapping[str, Any]],
        progress: Optional[Progress],
        choice: int = 0,
    ) -> List[Any]:
        """Return an array for each name, or a number for a single point."""
        p = Points(points)
        if p.single:
            _no_out(out)
        arrays = {}
        for name in names:
            given = None if out is None else out.get(name)
            arrays[name] = (
                _answers.empty(name, len(p)) if given is None else _answers.check_out(name, given, p.array)
            )
        _no_overlap(arrays, out)
        self._locate(p, arrays, progress, choice)
        if p.single:
            return [_answers.scalar(name, a) for name, a in arrays.items()]
        return list(arrays.values())

    def _locate_one(self, p: Points, name: str, progress: Optional[Progress]) -> Any:
        a = _answers.empty(name, 1)
        self._locate(p, {name: a}, progress)
        return a[0]

    def _locate(
        self, p: Points, arrays: Dict[str, npt.NDArray[Any]], progress: Optional[Progress], choice: int = 0
    ) -> None:
        """Write answers to arrays. Only single points can have arrays of another length than p."""
        n = len(p)
        lib = _library.library()
        for first, block in p.blocks():
            report = progress
            if progress is not None and len(block) < n:
                report = _shifted(progress, first, n)
            points = _structs.Points(
                ctypes.sizeof(_structs.Points),
                address(block),
                len(block),
                block.strides[0] if len(block) > 1 else 0,
                _structs.FLOAT64 if block.itemsize == 8 else _structs.FLOAT32,
            )
            answers = _structs.Answers(size=ctypes.sizeof(_structs.Answers), body_choice=choice)
            for name, a in arrays.items():
                setattr(answers, name, address(a) + first * (a.strides[0] if n > 1 else 0))
            if n <= self._quick and progress is None:
                lib.check(lib.locate(self._handle, points, answers, None, None))
                continue
            memory = (points, answers, block, arrays)
            _call.run(lambda callback: self._call_locate(memory, callback), report)  # noqa: B023
            done = first + len(block)
            if progress is not None and progress("locate", done, n) is False and done < n:
                raise CanceledError("progress returned False")
        if not self._quick and "side" in arrays:
            self._set_quick()

    def _call_locate(self, memory: Tuple[Any, ...], callback: Optional[int]) -> int:
        """Call the library. memory has the structures and what they refer to."""
        return cast(int, _library.library().locate(self._handle, memory[0], memory[1], callback, None))

    def _set_quick(self) -> None:
        try:
            infos = self._described()
        except ClosedError:  # another thread has closed the solid, but the answers are there
            return
        faces = max(1, sum(i.faces for i in infos))
        if faces > _QUICK_FACES:
            return
        closed = all(i.closed for i in infos)
        quick = max(1, (_QUICK_PAIRS if closed else _QUICK_PAIRS_OPEN) // max(faces, 64))
        self._few = quick
        if closed and self._given.get("method") != "direct":
            self._few = max(quick, min(_FEW_POINTS, _FEW_PAIRS // faces))
        self._quick = quick

    # Descriptions.

    def mesh(self, index: SupportsIndex = 0) -> _mesh.Mesh:
        """Return a copy of the mesh of one solid, as inpoly uses it: welded and oriented.

        It raises :class:`ArgumentError` for a solid at a pose, whose vertices are not float64 numbers in
        general.

        Parameters
        ----------
        index : int
            Number of the solid, from 0.

        Returns
        -------
        Mesh
            A named tuple: float64 vertices of shape (V, 3), int32 faces of shape (F, 3). Faces are
            in the order of the file or the array.

        Examples
        --------
        >>> import inpoly
        >>> inpoly.open("testdata/knot.stl").mesh().vertices.shape
        (2592, 3)
        """
        infos = self._described()
        i = _lines.check_index(self, index)
        mesh = _mesh.Mesh(np.empty((infos[i].vertices, 3), np.float64), np.empty((infos[i].faces, 3), np.int32))
        lib = _library.library()
        lib.check(lib.mesh_copy(self._handle, i, address(mesh.vertices), address(mesh.faces)))
        return mesh

    def _faces(self, index: int) -> Ints:
        """Return the faces of one solid."""
        faces = np.empty((self._described()[index].faces, 3), np.int32)
        lib = _library.library()
        lib.check(lib.mesh_copy(self._handle, index, None, address(faces)))
        return faces

    @property
    def vertices(self) -> Floats:
        """Welded vertices of all solids without poses: a new float64 array of shape (V, 3)."""
        return np.concatenate([self.mesh(i).vertices for i in range(len(self))])

    @property
    def faces(self) -> Ints:
        """Faces of all solids in their order, as indexes in ``vertices``: a new int32 array of shape (F, 3)."""
        first, faces = 0, []
        for i, info in enumerate(self._described()):
            faces.append(self._faces(i) + np.int32(first))
            first += info.vertices
        return np.concatenate(faces)

    @property
    def bounds(self) -> Floats:
        """Bounding box: a float64 array of shape (2, 3), NaN if there are no faces.

        At a pose, the box contains the posed solid. It is the smallest one if the pose exchanges axes and
        moves the box without rounding. Otherwise it surrounds the moved box of the mesh.
        """
        infos = self._described()
        low = np.min([list(i.box_min) for i in infos], axis=0)
        high = np.max([list(i.box_max) for i in infos], axis=0)
        return np.array([low, high]) if (low <= high).all() else np.full((2, 3), np.nan)

    @property
    def is_closed(self) -> bool:
        """Whether every mesh is closed, so that all winding numbers are integers."""
        return all(i.closed for i in self._described())

    @property
    def names(self) -> List[str]:
        """Names of the solids. For files, these are the names of the files without suffix."""
        return list(self._cached_report().names)

    @property
    def warnings(self) -> List[str]:
        """One sentence for each relevant defect of the meshes; see :class:`Report`."""
        return list(self._cached_report().warnings)

    def _cached_report(self) -> _report.Report:
        report = self._reported
        if report is None:
            self._reported = report = self.report()
        return report

    def __repr__(self) -> str:
        kind = type(self).__name__
        try:
            infos = self._described()
        except InpolyError as e:
            return f"<inpoly.{kind}: {e}>"
        faces = sum(i.faces for i in infos)
        state = "closed" if self.is_closed else "open"
        count = "" if len(infos) == 1 else f"{len(infos)} solids, "
        place = "" if self.pose is None else ", at a pose"
        return f"<inpoly.{kind}: {count}{faces:,} faces, {state} surface{place}>"

    def __copy__(self: _S) -> _S:
        return self

    def __deepcopy__(self: _S, memo: Dict[int, Any]) -> _S:
        return self

    def __reduce__(self) -> Tuple[Any, ...]:
        """Support pickle: a file is opened again if it has not changed; arrays are copied."""
        if isinstance(self._source, _poses.Posed):
            return _reopen, (_poses.again, type(self), (self._unposed(), self._source.poses), self._given)
        if self._source is not None:
            reopen, state = self._source.for_pickle()
            return _reopen, (reopen, type(self), state, self._given)
        meshes = [(self.mesh(i).vertices, self.mesh(i).faces) for i in range(len(self))]
        return _rebuild, (type(self), self.names, meshes, self._given)


class Assembly(Solid):
    """Several solids, which can overlap, touch or contain one another.

    ``sides`` and ``contains`` are relative to the union of the solids. :meth:`body`
    returns which solid contains a point. :class:`Solid` documents the points and the options.

    Parameters
    ----------
    meshes : mapping of names to meshes, or iterable of meshes
        A mesh is a pair (vertices, faces), an array of triangles of shape (F, 3, 3), or an object
        with the attributes ``vertices`` and ``faces``, such as a Solid.

    Examples
    --------
    >>> import inpoly
    >>> north = inpoly.open("testdata/tasks/north.obj")
    >>> south = inpoly.open("testdata/tasks/south.obj")
    >>> ores = inpoly.Assembly({"north": north, "south": south})
    >>> ores.body((1200.0, 2030.0, -80.0))
    1
    """

    __slots__ = ()

    def __init__(
        self,
        meshes: Union[Mapping[str, Any], Iterable[Any]],
        *,
        method: Method = "auto",
        rule: Rule = "nonzero",
        orient: Orient = "auto",
        tolerance: Number = 0.0,
        epsilon: Number = 0.0,
        expected_points: SupportsIndex = 0,
        max_memory: SupportsIndex = 0,
        seed: SupportsIndex = 0,
        workers: SupportsIndex = 0,
        weld: Number = 0.0,
        progress: Optional[Progress] = None,
        warn: bool = True,
    ) -> None:
        options = _options.check(
            dict(
                method=method, rule=rule, orient=orient, tolerance=tolerance, epsilon=epsilon,
                expected_points=expected_points, max_memory=max_memory, seed=seed, workers=workers, weld=weld,
            )
        )  # fmt: skip
        self._build(_mesh.pairs(meshes), options, progress)
        if warn:
            self._warn(3)


def _choice(which: str) -> int:
    try:
        return _CHOICES[which]
    except (KeyError, TypeError):
        raise ArgumentError(f"which is {which!r}: expected one of {', '.join(_CHOICES)}") from None


def _no_out(out: object) -> None:
    if out is not None:
        raise ValueError("out needs points of shape (N, 3)")


def _no_overlap(arrays: Dict[str, npt.NDArray[Any]], out: Optional[Mapping[str, Any]]) -> None:
    """Raise an error if two arrays of the caller overlap."""
    given = [] if out is None else [a for name, a in arrays.items() if a is out.get(name)]
    for i, a in enumerate(given):
        if any(np.may_share_memory(a, b) for b in given[:i]):
            raise ValueError("two arrays of out overlap in memory")


def _shifted(progress: Progress, first: int, n: int) -> Progress:
    return lambda stage, done, total: progress(stage, first + done, n)


def _reopen(reopen: Callable[..., Solid], kind: Type[Solid], state: Any, options: Dict[str, Any]) -> Solid:
    return _unusable(kind) if _library.is_forked() else reopen(kind, state, options)


def _rebuild(kind: Type[Solid], names: List[str], meshes: List[Any], options: Dict[str, Any]) -> Solid:
    if _library.is_forked():
        return _unusable(kind)
    solid = kind.__new__(kind)
    inputs = [_mesh.from_arrays(v, f, name) for name, (v, f) in zip(names, meshes)]
    solid._build(inputs, options, None)
    return solid


def _unusable(kind: Type[Solid]) -> Solid:
    """Return a solid of a forked process. Its methods raise ForkError.

    pickle must not raise this error: a worker of multiprocessing that cannot read a task ends
    without a word, and the parent waits forever.
    """
    solid = kind.__new__(kind)
    solid._set(0, {}, None)
    return solid
