"""Types of arguments and results, for type checkers."""

from __future__ import annotations

import os
from typing import Any, Literal, Protocol, Sequence, Union

import numpy as np
import numpy.typing as npt

__all__ = [
    "Answer", "Bools", "Bytes", "Drawing", "Floats", "Ints", "MeshLike", "Method", "Number", "Orient", "Part", "Parts", "Path",
    "Point", "PointsLike", "Rule", "Several", "Unit", "Which",
]  # fmt: skip

Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.int8]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

#: A number.
Number = Union[float, "np.floating[Any]", "np.integer[Any]"]

#: A single point. The type of an array does not have its shape, so an array has the type of several points. At
#: run time, an array of shape (3,) is a single point too.
Point = Sequence[Number]

#: Several points.
Several = Union[npt.ArrayLike, Sequence[Point]]

#: Several points, or a single one.
PointsLike = Union[Point, Several]

#: The path of a file.
Path = Union[str, "os.PathLike[str]"]

# `make api` writes the types up to the next class from bindings/api.json.

#: Values of the argument method.
Method = Literal["auto", "raycross", "columns", "cells", "direct", "fmm"]

#: Values of the argument rule.
Rule = Literal["nonzero", "positive", "negative", "evenodd"]

#: Values of the argument orient.
Orient = Literal["auto", "never", "always"]

#: Values of the argument parts.
Parts = Literal["typed", "all"]

#: Values of the argument which.
Which = Literal["first", "innermost", "count"]

#: Values of the argument by.
Part = Literal["whole", "body", "component"]

#: Values of the argument format.
Drawing = Literal["svg", "geojson"]

#: Values of the argument unit.
Unit = Literal["mm", "cm", "in", "pt", "pc", "px"]

#: Names of the answers of Solid.locate.
Answer = Literal[
    "side", "winding", "winding_bound", "distance", "distance_bound", "nearest", "face", "nearest_body", "body",
    "nearest_bound", "barycentric", "normal", "feature",
]  # fmt: skip


class MeshLike(Protocol):
    """An object with vertices and faces, such as a Solid or a trimesh.Trimesh."""

    @property
    def vertices(self) -> Any: ...

    @property
    def faces(self) -> Any: ...
