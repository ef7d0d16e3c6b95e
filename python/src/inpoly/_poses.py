"""Poses: a quaternion w, x, y, z and a translation for each solid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Tuple

import numpy as np
import numpy.typing as npt

from . import _library
from ._points import address

if TYPE_CHECKING:
    from ._handle import Handle

Floats = npt.NDArray[np.float64]


class Posed:
    """The source of a solid at a pose, for pickle."""

    def __init__(self, solid: Handle, poses: Floats) -> None:
        source = solid._source
        self.solid: Handle = source.solid if isinstance(source, Posed) else solid
        self.poses = poses

    def for_pickle(self) -> Tuple[Any, Any]:
        return _again, (self.solid, self.poses)


def _again(_kind: Any, state: Any, _options: Any) -> Any:
    solid, poses_ = state
    return solid.at(poses_[:, :4], poses_[:, 4:])


def poses(rotation: Optional[npt.ArrayLike], translation: npt.ArrayLike) -> Floats:
    """Return an array of shape (n, 7)."""
    t = _numbers(translation, "translation")
    if t.shape[-1:] != (3,) or t.ndim > 2:
        raise ValueError(f"translation has the shape {t.shape}: expected (3,) or (n, 3)")
    if rotation is None:
        rotation = (1.0, 0.0, 0.0, 0.0)
    r = _numbers(rotation, "rotation")
    matrices = r.shape[-2:] in ((3, 3), (4, 4)) and r.ndim in (2, 3) and not (r.ndim == 2 and r.shape == (3, 4))
    if not matrices and not (r.shape[-1:] == (4,) and r.ndim in (1, 2)):
        raise ValueError(f"rotation has the shape {r.shape}: expected (4,), (3, 3) or (4, 4), or several of them")
    r = r.reshape((-1, *(r.shape[-2:] if matrices else (4,))))
    t = t.reshape(-1, 3)
    n = max(len(r), len(t))
    if len(r) not in (1, n) or len(t) not in (1, n):
        raise ValueError(f"{len(r)} rotations and {len(t)} translations")
    out = np.empty((n, 7))
    out[:, 4:] = t
    if not matrices:
        out[:, :4] = r
        return out
    for i in range(n):
        m, shift = r[i if len(r) == n else 0], t[i if len(t) == n else 0]
        if m.shape == (4, 4):
            if (m[3] != (0, 0, 0, 1)).any():
                raise ValueError(f"the last row of a matrix is {m[3]}: expected 0, 0, 0, 1")
            shift = m[:3, 3] + shift
        _from_matrix(np.ascontiguousarray(m[:3, :3]), np.ascontiguousarray(shift), out[i])
    return out


def _from_matrix(m: Floats, t: Floats, out: Floats) -> None:
    lib = _library.library()
    lib.check(lib.pose_from_matrix(address(m), address(t), address(out)))


def _numbers(a: npt.ArrayLike, name: str) -> Floats:
    try:
        return np.array(a, np.float64)
    except (TypeError, ValueError) as e:
        raise type(e)(f"{name}: {e}") from e
