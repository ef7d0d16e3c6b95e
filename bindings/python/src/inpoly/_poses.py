"""Poses: a quaternion w, x, y, z and a translation for each solid."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _library
from ._points import address
from .errors import ArgumentError

__all__ = ["Pose"]

Floats = npt.NDArray[np.float64]

IDENTITY = np.array((1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0))


class Pose(NamedTuple):
    """Where a solid is: a rotation, then a translation.

    Sides and signs of distances are exact for these numbers; see :meth:`Solid.at`.

    Attributes
    ----------
    rotation : float64 array of shape (4,), or (n, 4) for several solids
        Unit quaternions w, x, y, z, which every query divides by their exact lengths. SciPy has the
        order x, y, z, w.
    translation : float64 array of shape (3,), or (n, 3) for several solids
        In the unit of the mesh.
    """

    rotation: Floats
    translation: Floats


class Posed:
    """The source of a solid at a pose: the source of the solid without a pose, and the poses."""

    def __init__(self, source: Any, poses: Floats) -> None:
        self.source = source
        self.poses = poses

    def common_pose(self) -> Floats:
        """Return the pose of all solids as an array of shape (7,)."""
        q, t = self.poses[:, :4], self.poses[:, 4:]
        same = (q == q[0]).all(axis=1) | (q == -q[0]).all(axis=1)  # q and −q are one rotation
        if not same.all() or (t != t[0]).any():
            raise ArgumentError("the solids have different poses, so they are not one mesh")
        return self.poses[0]


def again(_kind: Any, state: Any, _options: Any) -> Any:
    solid, poses_ = state
    return solid.at(Pose(poses_[:, :4], poses_[:, 4:]))


def pose_of(poses_: Floats) -> Pose:
    """Return the rows of 7 numbers as a Pose."""
    if len(poses_) == 1:
        poses_ = poses_[0]
    return Pose(poses_[..., :4].copy(), poses_[..., 4:].copy())


def current(handle: int, n: int) -> Floats:
    """Return the poses of the n solids of a handle, which must have poses, as an array of shape (n, 7)."""
    out = np.empty((n, 7))
    lib = _library.library()
    lib.check(lib.poses(handle, address(out), n))
    return out


def poses(rotation: Any, translation: Any, solids: int) -> Floats:
    """Return an array of shape (n, 7) for the arguments of Solid.at. solids is the number of solids."""
    if rotation is None and translation is None:
        raise ValueError("at needs a rotation or a translation; the identity is translation=(0, 0, 0)")
    known = False  # whether a rotation of shape (4, 4) can only be four quaternions
    if isinstance(rotation, Pose) or _is_scipy(rotation, "RigidTransform"):
        _no_translation(translation, type(rotation).__name__)
        known = isinstance(rotation, Pose)
        rotation, translation = rotation.rotation, rotation.translation
    if rotation is None:
        rotation = (1.0, 0.0, 0.0, 0.0)
    elif _is_scipy(rotation, "Rotation"):
        known = True
        rotation = np.roll(rotation.as_quat(), 1, axis=-1)  # from x, y, z, w
    r = _numbers(rotation, "rotation")
    matrices = not known and (r.ndim == 2 and r.shape in ((3, 3), (4, 4)) or r.ndim == 3 and r.shape[1:] in ((3, 3), (4, 4)))
    if not matrices and not (r.shape[-1:] == (4,) and r.ndim in (1, 2)):
        raise ValueError(f"rotation has the shape {r.shape}: expected (4,), (3, 3) or (4, 4), or several of them")
    if matrices and r.shape == (4, 4) and solids == 4:
        raise ValueError(
            "rotation has the shape (4, 4): this can be a matrix or four quaternions for the four solids; "
            "pass a matrix with the shape (1, 4, 4), or quaternions as inpoly.Pose(rotation, translation)"
        )
    r = r.reshape((-1, *(r.shape[-2:] if matrices else (4,))))
    if r.shape[1:] == (4, 4):
        _no_translation(translation, "a matrix of shape (4, 4)")
        last = r[:, 3] != (0, 0, 0, 1)
        if last.any():
            raise ValueError(f"the last row of a matrix is {r[last.any(axis=1)][0, 3]}: expected 0, 0, 0, 1")
        translation = r[:, :3, 3]
    t = _numbers((0.0, 0.0, 0.0) if translation is None else translation, "translation")
    if t.shape[-1:] != (3,) or t.ndim > 2:
        raise ValueError(f"translation has the shape {t.shape}: expected (3,) or (n, 3)")
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
        _from_matrix(np.ascontiguousarray(r[i if len(r) == n else 0, :3, :3]), out[i, 4:].copy(), out[i])
    return out


def _is_scipy(a: Any, name: str) -> bool:
    """Return whether a is of a class of scipy.spatial.transform, which is not imported."""
    return any(c.__name__ == name and c.__module__.startswith("scipy.") for c in type(a).__mro__)


def _no_translation(translation: Any, what: str) -> None:
    if translation is not None:
        raise ValueError(f"{what} has a translation of its own: leave out the argument translation")


def _from_matrix(m: Floats, t: Floats, out: Floats) -> None:
    lib = _library.library()
    lib.check(lib.pose_from_matrix(address(m), address(t), address(out)))


def _numbers(a: npt.ArrayLike, name: str) -> Floats:
    try:
        return np.array(a, np.float64)
    except (TypeError, ValueError) as e:
        raise type(e)(f"{name}: {e}") from e
