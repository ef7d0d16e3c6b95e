"""The report of the defects of the meshes."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, List

__all__ = ["Report"]


@dataclass(frozen=True)
class Report:
    """Defects of the meshes of a solid, methods and times.

    Attributes
    ----------
    names : list of str
        Names of the solids.
    warnings : list of str
        One sentence for each relevant defect, the most important first. If there are several solids,
        each sentence begins with the name of the solid.
    defects : bool
        Whether a mesh has a defect. A closed mesh with consistent orientation has none.
    solids : list of dict
        The details of each solid, for example ``report.solids[0]["diagnosis"]["watertight"]``.
        Lengths are in the unit of the mesh, times are in seconds. The keys are those of
        ``inpoly check --json``.

    Examples
    --------
    >>> import inpoly
    >>> report = inpoly.open("testdata/knot.stl").report()
    >>> report.defects, report.names
    (False, ['knot'])
    >>> round(report.solids[0]["diagnosis"]["volume"])
    14161
    """

    names: List[str]
    warnings: List[str]
    defects: bool
    solids: List[Dict[str, Any]] = field(repr=False)

    def to_dict(self) -> Dict[str, Any]:
        """Return the report as a dictionary that ``json.dumps`` accepts."""
        return {"names": self.names, "warnings": self.warnings, "defects": self.defects, "solids": self.solids}


def parse(text: bytes) -> Report:
    """Return the report that the library has written as JSON."""
    d = json.loads(text)
    return Report(list(d["names"]), list(d["warnings"] or []), bool(d["defects"]), list(d["solids"]))
