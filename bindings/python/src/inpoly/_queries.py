"""Methods of solids about lines, planes, measures and poses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, List, Literal, Optional, SupportsIndex, TypeVar, Union, cast, overload

import numpy as np
import numpy.typing as npt

from . import _handle, _library, _lines, _mesh, _poses, _shapes
from ._lines import AllHits, Hit, Hits, Intervals, check_choice, check_index, check_number
from ._points import address
from ._poses import Pose
from ._shapes import Properties, Section
from ._types import Bools, Drawing, Number, Part, Point, PointsLike, Unit

if TYPE_CHECKING:
    from ._call import Progress

__all__ = ["Queries"]

_S = TypeVar("_S", bound="Queries")


class Queries(_handle.Handle):
    """The methods of :class:`Solid` that are not about points."""

    __slots__ = ()

    @overload
    def first_hits(  # type: ignore[misc]
        self, starts: Point, directions: Point, *, ends: None = None, progress: Optional[Progress] = None
    ) -> Hit: ...

    @overload
    def first_hits(  # type: ignore[misc]
        self, starts: Point, directions: None = None, *, ends: Point, progress: Optional[Progress] = None
    ) -> Hit: ...

    @overload
    def first_hits(
        self, starts: PointsLike, directions: PointsLike, *, ends: None = None, progress: Optional[Progress] = None
    ) -> Hits: ...

    @overload
    def first_hits(
        self, starts: PointsLike, directions: None = None, *, ends: PointsLike, progress: Optional[Progress] = None
    ) -> Hits: ...

    def first_hits(
        self,
        starts: PointsLike,
        directions: Optional[PointsLike] = None,
        *,
        ends: Optional[PointsLike] = None,
        progress: Optional[Progress] = None,
    ) -> Union[Hit, Hits]:
        """Return the first face that each ray or segment meets. Faces and their order are exact.

        A face that a line only touches, in an edge or a vertex, counts. If several solids are open, it is
        the first hit with any of them.

        A line is not valid if a coordinate is not finite or exceeds 2**1000 in magnitude, or if the
        direction is 0. Its t is NaN, and it does not affect the other lines.

        Parameters
        ----------
        starts : array of shape (N, 3) or (3,)
            Starting points, as for :meth:`contains`.
        directions : array of shape (N, 3) or (3,)
            Directions of rays, of any length but 0.
        ends : array of shape (N, 3) or (3,)
            Ends of segments, instead of directions. One vector is used for all lines.
        progress
            As for :meth:`contains`.

        Returns
        -------
        Hits
            A named tuple of arrays: t, bounds, faces, bodies, signs, jumps. For a single line, a
            :class:`Hit`, a named tuple of numbers.

        Examples
        --------
        >>> import inpoly
        >>> solid = inpoly.open("testdata/tasks/part.stl")
        >>> solid.first_hits([[5, 5, -10], [900, 0, 0]], (0, 0, 1)).t
        array([10., inf])
        """
        return _lines.first_hits(self, _lines.Lines(starts, directions, ends), progress)

    @overload
    def any_hits(  # type: ignore[misc]
        self, starts: Point, directions: Point, *, ends: None = None, progress: Optional[Progress] = None
    ) -> bool: ...

    @overload
    def any_hits(  # type: ignore[misc]
        self, starts: Point, directions: None = None, *, ends: Point, progress: Optional[Progress] = None
    ) -> bool: ...

    @overload
    def any_hits(
        self, starts: PointsLike, directions: PointsLike, *, ends: None = None, progress: Optional[Progress] = None
    ) -> Bools: ...

    @overload
    def any_hits(
        self, starts: PointsLike, directions: None = None, *, ends: PointsLike, progress: Optional[Progress] = None
    ) -> Bools: ...

    def any_hits(
        self,
        starts: PointsLike,
        directions: Optional[PointsLike] = None,
        *,
        ends: Optional[PointsLike] = None,
        progress: Optional[Progress] = None,
    ) -> Union[bool, Bools]:
        """Return whether each ray or segment meets a face, such as whether a line of sight is blocked.

        The parameters are those of :meth:`first_hits`. A line that is not valid meets no face;
        :meth:`first_hits` tells it from the others.

        Returns
        -------
        bool array of shape (N,), or bool

        Examples
        --------
        >>> import inpoly
        >>> solid = inpoly.open("testdata/tasks/part.stl")
        >>> solid.any_hits((5, 5, -10), ends=[(5, 5, -1), (5, 5, 1)])
        array([False,  True])
        """
        return _lines.any_hits(self, _lines.Lines(starts, directions, ends), progress)

    @overload
    def all_hits(
        self, starts: PointsLike, directions: PointsLike, *, ends: None = None, progress: Optional[Progress] = None
    ) -> AllHits: ...

    @overload
    def all_hits(
        self, starts: PointsLike, directions: None = None, *, ends: PointsLike, progress: Optional[Progress] = None
    ) -> AllHits: ...

    def all_hits(
        self,
        starts: PointsLike,
        directions: Optional[PointsLike] = None,
        *,
        ends: Optional[PointsLike] = None,
        progress: Optional[Progress] = None,
    ) -> AllHits:
        """Return all faces that each ray or segment meets, in exact order.

        The parameters are those of :meth:`first_hits`. A line that meets a common edge of two faces hits
        both, at equal parameters. A line that is not valid has one element, with t = NaN.

        Returns
        -------
        AllHits
            A named tuple: offsets, t, bounds, faces, bodies, signs, jumps.

        Examples
        --------
        >>> import inpoly
        >>> solid = inpoly.Solid([[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
        >>> hits = solid.all_hits([[1, 2, -3], [9, 9, 9]], [[0, 0, 1], [1, 0, 0]])
        >>> hits.offsets, hits.t, hits.signs
        (array([0, 2, 2]), array([3., 9.]), array([-1,  1], dtype=int8))
        """
        return _lines.all_hits(self, _lines.Lines(starts, directions, ends), progress)

    def intervals(
        self,
        starts: PointsLike,
        ends: PointsLike,
        *,
        index: SupportsIndex = 0,
        step: Number = 0.0,
        progress: Optional[Progress] = None,
    ) -> Intervals:
        """Return which parts of segments are inside, outside and on the surface, with their lengths.

        Parameters
        ----------
        starts, ends : arrays of shape (N, 3) or (3,)
            Ends of the segments. A segment that is not valid (see :meth:`first_hits`) has one interval
            with the side UNKNOWN and the length NaN.
        index : int
            Number of the solid, if several are open.
        step : float
            Largest distance of samples on an open mesh. 0 means 1/256 of the diagonal of the mesh. On
            a closed mesh, the intervals are exact, and step has no effect. Far from an open mesh,
            where the winding number is certainly below 1/2, all points are outside. With step 0, a
            part that needs more than 2¹⁶ samples is uncertain beyond them; ``unsampled`` has its line.
        progress
            As for :meth:`contains`.

        Returns
        -------
        Intervals
            A named tuple: offsets, sides, starts, ends, lengths, with bounds, and more.

        Raises
        ------
        ArgumentError
            ``step`` is negative or not finite, or a segment would have more than 4,194,304 samples.

        Examples
        --------
        >>> import inpoly
        >>> solid = inpoly.Solid([[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
        >>> parts = solid.intervals((1, 2, -3), (1, 2, 9))
        >>> parts.sides == inpoly.Side.INSIDE
        array([False,  True, False])
        >>> parts.lengths
        array([3., 6., 3.])
        """
        lines = _lines.Lines(starts, None, ends)
        return _lines.intervals(
            self, check_index(self, index), lines, check_number(step, "step"), progress
        )

    def polyline_intervals(
        self,
        polylines: Iterable[PointsLike],
        *,
        index: SupportsIndex = 0,
        step: Number = 0.0,
        progress: Optional[Progress] = None,
    ) -> Intervals:
        """Return which parts of polylines, such as drill holes, are inside. See :meth:`intervals`.

        Parameters
        ----------
        polylines : iterable of arrays of shape (N, 3)
            The points of each polyline. An interval can extend over several segments. A polyline with a
            point that is not valid has one interval with the side UNKNOWN and the length NaN.
        """
        return _lines.polyline_intervals(
            self, check_index(self, index), polylines, check_number(step, "step"), progress
        )

    def section(
        self, origin: PointsLike, normal: PointsLike, *, index: SupportsIndex = 0, progress: Optional[Progress] = None
    ) -> Section:
        """Return the section of a solid with a plane.

        Parameters
        ----------
        origin, normal : arrays of shape (3,)
            A point of the plane, and a vector of any length perpendicular to it.
        index : int
            Number of the solid, if several are open.

        Examples
        --------
        >>> import inpoly
        >>> solid = inpoly.Solid([[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
        >>> section = solid.section((0, 0, 3), (0, 0, 1))
        >>> section.area, len(section.polygons)
        (18.0, 1)
        """
        planes = _planes(origin, normal)
        if len(planes) != 1:
            raise ValueError(f"{len(planes)} planes: expected one; use sections")
        return _shapes.parse_sections(self._sections(planes, "json", None, index, progress))[0]

    def sections(
        self, origins: PointsLike, normals: PointsLike, *, index: SupportsIndex = 0, progress: Optional[Progress] = None
    ) -> List[Section]:
        """Return the sections of a solid with several planes. One normal is used for all planes.

        Examples
        --------
        >>> import inpoly
        >>> solid = inpoly.open("testdata/knot.stl")
        >>> [len(s.polygons) for s in solid.sections([[0, 0, -3], [0, 0, 99]], (0, 0, 1))]
        [6, 0]
        """
        return _shapes.parse_sections(self._sections(_planes(origins, normals), "json", None, index, progress))

    def draw_sections(
        self,
        origins: PointsLike,
        normals: PointsLike,
        *,
        format: Drawing = "svg",
        unit: Optional[Unit] = None,
        index: SupportsIndex = 0,
        progress: Optional[Progress] = None,
    ) -> str:
        """Return sections as the text of an SVG or a GeoJSON file.

        Parameters
        ----------
        origins, normals, index, progress
            As for :meth:`sections`.
        format : {"svg", "geojson"}
        unit : {"mm", "cm", "in", "pt", "pc", "px"}, optional
            Unit of the mesh, for a picture to scale.
        """
        check_choice(format, "format", ("svg", "geojson"))
        return self._sections(_planes(origins, normals), format, unit, index, progress).decode()

    def _sections(
        self, planes: npt.NDArray[np.float64], format_: str, unit: Optional[str], index: SupportsIndex, progress: Optional[Progress]
    ) -> bytes:
        i = check_index(self, index)
        name = None if unit is None else check_choice(unit, "unit", ("mm", "cm", "in", "pt", "pc", "px"))
        return self._json(
            lambda lib, text, callback: lib.sections(
                self._handle, i, address(planes), len(planes), format_.encode(), name, text, callback, None
            ),
            progress,
        )

    @overload
    def measure(
        self, by: Literal["whole"] = "whole", *, density: Number = 1.0, index: SupportsIndex = 0, progress: Optional[Progress] = None
    ) -> Properties: ...

    @overload
    def measure(
        self, by: Literal["body", "component"], *, density: Number = 1.0, index: SupportsIndex = 0, progress: Optional[Progress] = None
    ) -> List[Properties]: ...

    def measure(
        self, by: Part = "whole", *, density: Number = 1.0, index: SupportsIndex = 0, progress: Optional[Progress] = None
    ) -> Union[Properties, List[Properties]]:
        """Return area, volume, mass, centroid and moments of inertia with bounds of their errors.

        Parameters
        ----------
        by : {"whole", "body", "component"}
            Parts that are measured one by one.
        density : float
            Mass of a unit of volume.
        index : int
            Number of the solid, if several are open.

        Returns
        -------
        Properties, or a list of them
            A list if ``by`` is not "whole".

        Examples
        --------
        >>> import inpoly
        >>> solid = inpoly.Solid([[0, 0, 0], [6, 0, 0], [0, 6, 0], [0, 0, 6]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
        >>> whole = solid.measure()
        >>> round(whole.volume, 9), whole.volume_bound < 1e-12
        (36.0, True)
        """
        i = check_index(self, index)
        mass = check_number(density, "density")
        kind = check_choice(by, "by", ("whole", "body", "component"))
        text = self._json(
            lambda lib, text, callback: lib.measure(self._handle, i, kind, mass, text, callback, None),
            progress,
        )
        parts = _shapes.parse_properties(text)
        return parts[0] if by == "whole" else parts

    def at(self: _S, rotation: Any = None, translation: Optional[npt.ArrayLike] = None) -> _S:
        """Return the solid at a pose: first rotated, then translated, without rounding its vertices.

        The result shares all memory with this solid, so it costs microseconds. If this solid has a pose,
        the new one moves it from there: ``s.at(A).at(B)`` is at the pose x -> B(A(x)), which is computed
        exactly and rounded once. :attr:`pose` returns it.

        At a pose, sides, bodies, signs of distances, and winding numbers of closed meshes are exact for the
        mesh that the exact pose moves. The bounds of distances, closest points and winding numbers include
        the rounding of positions. The distance of a face exceeds the distance of the nearest face by at
        most twice the bound of the distance. ``faces`` and ``report`` are those of the mesh. Hits,
        intervals, sections, measures and explanations are those of the moved mesh. ``vertices`` and
        ``mesh`` raise :class:`ArgumentError`. ``Solid(s.at(A))`` and ``Assembly([s.at(A), other])`` are built
        from the meshes without poses, and their solids get the poses.

        Parameters
        ----------
        rotation : array of shape (4,), (3, 3) or (4, 4), or another description of a rotation; optional
            A unit quaternion w, x, y, z, unlike the x, y, z, w of SciPy; or a rotation matrix; or a matrix
            of homogeneous coordinates, which also translates. With another axis in front, one for each of
            several solids. Or a ``Rotation`` or a ``RigidTransform`` of SciPy, or a :class:`Pose`.
            Quaternions are exact. A matrix m must be orthonormal to six decimals. It is converted to a
            quaternion, whose rotation differs from m by at most 2.1·|mᵀm − I| + 2⁻⁴⁸ in the spectral norm.
            Scale, shear and reflection raise :class:`ArgumentError`.
        translation : array of shape (3,) or (n, 3), optional

        Examples
        --------
        >>> import inpoly
        >>> solid = inpoly.Solid([[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
        >>> moved = solid.at(translation=(100, 0, 0))
        >>> moved.contains([[1, 1, 1], [101, 1, 1]])
        array([False,  True])
        >>> moved.at(translation=(0, 5, 0)).pose.translation
        array([100.,   5.,   0.])
        """
        posed = type(self).__new__(type(self))
        posed._place(self, _poses.poses(rotation, translation, len(self)))
        return posed

    def refit(self: _S, vertices: npt.ArrayLike, *, progress: Optional[Progress] = None) -> _S:
        """Return the solid with other vertices and the same faces.

        The answers are those of a new solid with this mesh and the same options. A closed solid with
        ``method="cells"`` keeps the parts of its index that do not change, so this takes a small part of
        the time if few vertices move. Vertices that become equal are welded again, and then have other
        numbers than in this solid. This solid stays valid. If it has a pose, the new one has it too.

        Parameters
        ----------
        vertices : array of shape (V, 3)
            Coordinates in the order of ``vertices``, without a pose. For several solids, the vertices of all.
        progress : callable, optional
            As for :class:`Solid`.

        Raises
        ------
        ArgumentError
            The number of vertices differs.
        MeshError
            A coordinate is not finite.

        Examples
        --------
        >>> import inpoly
        >>> solid = inpoly.Solid([[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
        >>> larger = solid.refit(2 * solid.vertices)
        >>> solid.contains((4, 4, 4)), larger.contains((4, 4, 4))
        (False, True)
        """
        other = type(self).__new__(type(self))
        source = self._source
        if isinstance(source, _poses.Posed):
            with self._unposed() as unposed, unposed.refit(vertices, progress=progress) as refitted:
                other._place(refitted, source.poses)
            return other
        array = np.ascontiguousarray(_mesh.vertices_of(vertices), np.float64)

        def refit(lib: _library.Library, handle: Any, callback: Any) -> int:
            return cast(int, lib.refit(self._handle, address(array), len(array), callback, None, handle))

        other._derive(refit, self._given, progress)
        return other

    @property
    def pose(self) -> Optional[Pose]:
        """The pose that :meth:`at` has given, or None. ``other.at(solid.pose)`` gives it to another solid."""
        source = self._source
        return _poses.pose_of(source.poses) if isinstance(source, _poses.Posed) else None


def _planes(origins: PointsLike, normals: PointsLike) -> npt.NDArray[np.float64]:
    """Return an array of shape (N, 6)."""
    a, b = (_lines._vectors(x, name) for x, name in ((origins, "origins"), (normals, "normals")))
    n = len(b) if a.single else len(a)
    first, second = (np.asarray(_lines._array(v, n), np.float64) for v in (a, b))
    if len(first) != len(second):
        raise ValueError(f"{len(first)} origins and {len(second)} normals")
    return np.ascontiguousarray(np.concatenate([first, second], axis=1))
