"""A program whose types mypy checks, and which test_types.py also runs.

``assert_type`` compares the type that mypy infers, and at run time the type of the value. Calls below
TYPE_CHECKING are errors of types: mypy --strict reports a comment "type: ignore" that is not needed.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, List, Tuple

import numpy as np
import numpy.typing as npt
from typing_extensions import assert_type

import inpoly
from inpoly.compat import trimesh

Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

V: Floats = np.array([[0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]], np.float64)
F: Longs = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], np.int64)
P: Floats = np.array([[1, 1, 1], [9, 9, 9]], np.float64)
Q: npt.NDArray[np.float32] = P.astype(np.float32)
one: List[float] = [1.0, 2.0, 3.0]
numbers: Tuple[np.float64, np.float32, np.int64] = (np.float64(1), np.float32(2), np.int64(3))
rows: List[Tuple[float, float, float]] = [(1.0, 2.0, 3.0), (9.0, 9.0, 9.0)]

# Solids.
s = assert_type(inpoly.Solid(V, F), inpoly.Solid)
assert_type(inpoly.Solid(V.tolist(), F.tolist(), name="a", method="cells", rule="evenodd", orient="never"), inpoly.Solid)
assert_type(inpoly.Solid(V[F], warn=False, progress=lambda stage, done, total: None), inpoly.Solid)
assert_type(inpoly.Solid(s, tolerance=np.float32(0.5), epsilon=0, workers=np.int64(1)), inpoly.Solid)
assert_type(inpoly.Assembly({"a": s, "b": (V + 20, F)}), inpoly.Assembly)
both = assert_type(inpoly.Assembly([s, (V + 20, F)], rule="positive"), inpoly.Assembly)
path = Path("testdata") / "knot.stl"
assert_type(inpoly.open(path), inpoly.Solid)
assert_type(inpoly.open(str(path), method="columns", split_bodies=False), inpoly.Solid)
assert_type(inpoly.open(path.read_bytes(), name="knot.stl"), inpoly.Solid)
assert_type(inpoly.open(io.BytesIO(path.read_bytes()), name="knot.stl"), inpoly.Solid)
assert_type(inpoly.open([path, str(path)]), inpoly.Assembly)
assert_type(inpoly.open(path, split_bodies=True), inpoly.Assembly)
with inpoly.open(path) as scope, inpoly.open([path]) as scopes:
    assert_type(scope, inpoly.Solid)
    assert_type(scopes, inpoly.Assembly)

# Points: a tuple or a list of numbers is a single point, and an array is several points.
assert_type(s.contains(P), Bools)
assert_type(s.contains(Q), Bools)
assert_type(s.contains(rows), Bools)
assert_type(s.contains([[1.0, 2.0, 3.0]]), Bools)
assert_type(s.contains(one), bool)
assert_type(s.contains((1.0, 2.0, 3.0)), bool)
assert_type(s.contains((1, 2, 3)), bool)
assert_type(s.contains(numbers), bool)
assert_type(s.contains([numbers, numbers]), Bools)
assert_type(s.contains(P, out=np.empty(2, np.bool_)), Bools)
assert_type(s.sides(P), Bytes)
assert_type(s.sides(one), inpoly.Side)
assert_type(s.sides(P, out=np.empty(2, np.int8), progress=lambda stage, done, total: True), Bytes)
assert_type(s.distance(P), Floats)
assert_type(s.distance(one), float)
assert_type(s.distance(numbers), float)
assert_type(s.body(P, "count"), Ints)
assert_type(s.body(one, which="innermost"), int)
assert_type(s.winding(P), inpoly.Winding)
assert_type(s.winding(P).winding, Floats)
assert_type(s.winding(P, out=(np.empty(2), np.empty(2))).bound, Floats)
assert_type(s.winding(one), inpoly.WindingNumber)
assert_type(s.winding(one).winding, float)
assert_type(s.winding(one).bound, float)
near = assert_type(s.nearest(P), inpoly.Nearest)
assert_type(near.points, Floats)
assert_type(near.faces, Ints)
assert_type(near.bodies, Ints)
assert_type(near.distances, Floats)
assert_type(near.bounds, Floats)
assert_type(near.normals, Floats)
assert_type(near.features, Bytes)
assert_type(near.barycentric, Floats)
single = assert_type(s.nearest(one), inpoly.NearestPoint)
assert_type(single.points, Floats)
assert_type(single.faces, int)
assert_type(single.bodies, int)
assert_type(single.distances, float)
assert_type(single.bounds, float)
assert_type(single.normals, Floats)
assert_type(single.features, int)
assert_type(single.barycentric, Floats)
assert_type(s.locate(P), Dict[str, npt.NDArray[Any]])
assert_type(s.locate(P, "side", "feature", which="count", out={"side": np.empty(2, np.int8)}), Dict[str, npt.NDArray[Any]])
assert_type(s.locate(one, "side", "nearest"), Dict[str, Any])
assert_type(s.explain(one), List[Dict[str, Any]])
assert_type(s.explain(P[0]), List[Dict[str, Any]])

# Lines: numbers if both arguments are single.
hits = assert_type(s.first_hits(P, (0, 0, 1)), inpoly.Hits)
assert_type(s.first_hits(one, P), inpoly.Hits)
assert_type(s.first_hits(rows, ends=one), inpoly.Hits)
assert_type(hits.t, Floats)
assert_type(hits.bounds, Floats)
assert_type(hits.faces, Ints)
assert_type(hits.bodies, Ints)
assert_type(hits.signs, Bytes)
assert_type(hits.jumps, Bytes)
hit = assert_type(s.first_hits(one, (0, 0, 1)), inpoly.Hit)
assert_type(s.first_hits(numbers, ends=(0.0, 0.0, 1.0)), inpoly.Hit)
assert_type(hit.t, float)
assert_type(hit.bounds, float)
assert_type(hit.faces, int)
assert_type(hit.bodies, int)
assert_type(hit.signs, int)
assert_type(hit.jumps, int)
assert_type(s.any_hits(P, (0, 0, 1)), Bools)
assert_type(s.any_hits(P, ends=P), Bools)
assert_type(s.any_hits(one, (0, 0, 1)), bool)
assert_type(s.any_hits((0, 0, 0), ends=one), bool)
every = assert_type(s.all_hits(P, (0, 0, 1)), inpoly.AllHits)
assert_type(s.all_hits(one, ends=numbers), inpoly.AllHits)
assert_type(every.offsets, Longs)
assert_type(every.t, Floats)
assert_type(every.bounds, Floats)
assert_type(every.faces, Ints)
assert_type(every.bodies, Ints)
assert_type(every.signs, Bytes)
assert_type(every.jumps, Bytes)
parts = assert_type(s.intervals(P, one, index=0, step=0.5), inpoly.Intervals)
assert_type(s.polyline_intervals([P, rows]), inpoly.Intervals)
assert_type(s.polyline_intervals(np.stack([P, P])), inpoly.Intervals)
assert_type(s.polyline_intervals(line for line in (P, P)), inpoly.Intervals)
assert_type(parts.offsets, Longs)
assert_type(parts.sides, Bytes)
assert_type(parts.starts, Floats)
assert_type(parts.start_bounds, Floats)
assert_type(parts.ends, Floats)
assert_type(parts.end_bounds, Floats)
assert_type(parts.lengths, Floats)
assert_type(parts.length_bounds, Floats)
assert_type(parts.unsampled, Longs)
assert_type(parts.first_segments, Ints)
assert_type(parts.last_segments, Ints)

# Planes, measures and poses.
section = assert_type(s.section((0, 0, 3), (0, 0, 1)), inpoly.Section)
assert_type(s.sections(rows, one), List[inpoly.Section])
assert_type(s.draw_sections(P, one, format="geojson"), str)
assert_type(s.draw_sections(P, one, unit="mm"), str)
assert_type(section.origin, Floats)
assert_type(section.closed, bool)
assert_type(section.area, float)
assert_type(section.area_bound, float)
assert_type(section.bound, float)
assert_type(section.contours, List[inpoly.Contour])
assert_type(section.contours[0].points, Floats)
assert_type(section.contours[0].closed, bool)
assert_type(section.polygons, List[inpoly.Polygon])
assert_type(section.polygons[0].outer, Floats)
assert_type(section.polygons[0].holes, List[Floats])
whole = assert_type(s.measure(), inpoly.Properties)
assert_type(s.measure("whole", density=np.float32(2), index=np.int32(0)), inpoly.Properties)
assert_type(s.measure("body"), List[inpoly.Properties])
assert_type(s.measure(by="component", index=0), List[inpoly.Properties])
assert_type(whole.name, str)
assert_type(whole.faces, int)
assert_type(whole.closed, bool)
assert_type(whole.reason, str)
assert_type(whole.volume, float)
assert_type(whole.mass_bound, float)
assert_type(whole.centroid, Floats)
assert_type(whole.centroid_bound, Floats)
assert_type(whole.inertia, Floats)
assert_type(whole.axes_bound, Floats)
assert_type(s.at((1, 0, 0, 0)), inpoly.Solid)
assert_type(both.at(translation=(1, 2, 3)), inpoly.Assembly)
assert_type(s.refit(s.vertices), inpoly.Solid)
at = s.at(translation=(1, 2, 3)).pose
assert at is not None
assert_type(at, inpoly.Pose)
assert_type(at.rotation, Floats)
assert_type(at.translation, Floats)

# Descriptions.
assert_type(s.mesh(), inpoly.Mesh)
assert_type(s.mesh(0).vertices, Floats)
assert_type(s.mesh(0).faces, Ints)
assert_type(s.vertices, Floats)
assert_type(s.faces, Ints)
assert_type(s.bounds, Floats)
assert_type(s.is_closed, bool)
assert_type(s.names, List[str])
assert_type(s.warnings, List[str])
assert_type(len(both), int)
report = assert_type(s.report(), inpoly.Report)
assert_type(report.names, List[str])
assert_type(report.warnings, List[str])
assert_type(report.defects, bool)
assert_type(report.solids, List[Dict[str, Any]])
assert_type(report.to_dict(), Dict[str, Any])
assert_type(inpoly.Side.INSIDE, inpoly.Side)
assert_type(inpoly.__version__, str)

# Replacements for trimesh.
assert_type(trimesh.contains(s, P), Bools)
assert_type(trimesh.signed_distance(s, P, rule="evenodd"), Floats)
assert_type(trimesh.closest_point(s, P), Tuple[Floats, Floats, Longs])
assert_type(trimesh.RayMeshIntersector(s).contains_points(P), Bools)

if TYPE_CHECKING:
    error: ValueError = inpoly.ArgumentError("")
    lost: OSError = inpoly.FileError("")
    s.open("x")  # type: ignore
    inpoly.open("a.stl", method="wrong")  # type: ignore
    inpoly.open("a.stl", rule="odd")  # type: ignore
    inpoly.open("a.stl", orient="sometimes")  # type: ignore
    inpoly.open("a.stl", tolerance="1")  # type: ignore
    inpoly.open("a.stl", shade=1)  # type: ignore
    inpoly.open(3)  # type: ignore
    inpoly.open(io.StringIO())  # type: ignore
    inpoly.Solid(V, F, method="wrong")  # type: ignore
    inpoly.Solid(V, F, rule="odd")  # type: ignore
    inpoly.Solid(V, F, workers="2")  # type: ignore
    inpoly.Solid(V, F, "name")  # type: ignore
    inpoly.Assembly([s], orient="x")  # type: ignore
    inpoly.Assembly(3)  # type: ignore
    s.contains(P, out=near.features)  # type: ignore
    s.sides(P, out=near.distances)  # type: ignore
    s.distance(P, out=near.faces)  # type: ignore
    s.body(P, out=near.features)  # type: ignore
    s.contains(P, shade=1)  # type: ignore
    s.contains(P, progress=3)  # type: ignore
    s.winding(P, out=np.empty(5))  # type: ignore
    s.body(P, "last")  # type: ignore
    s.locate(P, "sides")  # type: ignore
    s.first_hits(P)  # type: ignore
    s.first_hits(P, one, ends=one)  # type: ignore
    s.any_hits(P)  # type: ignore
    s.all_hits(P, one, ends=one)  # type: ignore
    s.intervals(P)  # type: ignore
    s.measure("half")  # type: ignore
    s.measure("body").volume  # type: ignore
    s.draw_sections(P, P, format="png")  # type: ignore
    s.draw_sections(P, P, unit="mile")  # type: ignore
    s.mesh("first")  # type: ignore
    s.is_closed()  # type: ignore
    s.sides(one).nam  # type: ignore
    s.measure().volumes  # type: ignore
    s.names = []  # type: ignore
