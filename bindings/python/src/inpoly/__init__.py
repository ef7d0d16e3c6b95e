"""Which points are inside a triangle mesh, and how far from its surface.

>>> import inpoly
>>> solid = inpoly.open("testdata/knot.stl")
>>> solid.contains([[4, 10, -3], [100, 0, 0]])
array([ True, False])

``open`` opens mesh files. ``Solid`` takes arrays of vertices and faces. ``Assembly`` takes several
meshes. Sides and distances are exact for any mesh, also open, nested, overlapping, inverted or
self-crossing.
"""

from ._answers import Nearest, NearestPoint, Side, Winding, WindingNumber
from ._lines import AllHits, Hit, Hits, Intervals
from ._mesh import Mesh
from ._open import open
from ._poses import Pose
from ._report import Report
from ._shapes import Contour, Polygon, Properties, Section
from ._solid import Assembly, Solid
from ._version import __version__
from .errors import (
    ArgumentError,
    CanceledError,
    ClosedError,
    FileError,
    ForkError,
    FormatError,
    InpolyError,
    InternalError,
    LibraryError,
    MeshError,
    MeshWarning,
    OptionError,
    TooLargeError,
)

__all__ = [
    "AllHits",
    "ArgumentError",
    "Assembly",
    "CanceledError",
    "ClosedError",
    "Contour",
    "FileError",
    "ForkError",
    "FormatError",
    "Hit",
    "Hits",
    "InpolyError",
    "InternalError",
    "Intervals",
    "LibraryError",
    "Mesh",
    "MeshError",
    "MeshWarning",
    "Nearest",
    "NearestPoint",
    "OptionError",
    "Polygon",
    "Pose",
    "Properties",
    "Report",
    "Section",
    "Side",
    "Solid",
    "TooLargeError",
    "Winding",
    "WindingNumber",
    "__version__",
    "open",
]
