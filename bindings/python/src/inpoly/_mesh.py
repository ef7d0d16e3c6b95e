"""Meshes in memory, as the library takes them and returns them."""

from __future__ import annotations

import ctypes
import os
from typing import Any, Iterable, List, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt

from . import _poses, _structs
from ._points import Points, address
from .errors import ArgumentError, MeshError

__all__ = ["Mesh"]


class Mesh(NamedTuple):
    """A triangle mesh.

    Attributes
    ----------
    vertices : float64 array of shape (V, 3)
        Coordinates.
    faces : int32 array of shape (F, 3)
        Indexes of vertices. If the normals point outward, they are counterclockwise from outside.
    """

    vertices: npt.NDArray[np.float64]
    faces: npt.NDArray[np.int32]


class Input(NamedTuple):
    """Arrays of a mesh that the library reads."""

    name: Optional[str]
    vertices: npt.NDArray[Any]
    faces: Optional[npt.NDArray[Any]]
    pose: Optional[npt.NDArray[np.float64]] = None  # a quaternion and a translation


def from_arrays(vertices: Any, faces: Any, name: Optional[str]) -> Input:
    """Check the arrays of a mesh, and convert them if necessary.

    If faces is None, vertices is an object with the attributes vertices and faces, or an array of
    triangles of shape (F, 3, 3).
    """
    source = getattr(vertices, "_source", None) if faces is None else None
    if isinstance(source, _poses.Posed):
        pose = source.common_pose()
        with vertices._unposed() as unposed:
            return from_arrays(unposed, None, name)._replace(pose=pose)
    if faces is None and hasattr(vertices, "vertices") and hasattr(vertices, "faces"):
        vertices, faces = vertices.vertices, vertices.faces
    if isinstance(vertices, (str, bytes, os.PathLike)):
        raise TypeError("vertices are text: expected an array; to read a file, use inpoly.open(path)")
    if name is not None and (not isinstance(name, str) or "\0" in name):
        raise ArgumentError(f"name is {name!r}: expected a text without zero bytes")
    if faces is None:
        triangles = np.asanyarray(vertices)
        if triangles.ndim == 0:
            raise TypeError(
                f"a mesh cannot have the type {type(vertices).__name__}: expected arrays, or an object with "
                "the attributes vertices and faces"
            )
        if triangles.ndim != 3 or triangles.shape[1:] != (3, 3):
            raise ValueError(
                f"vertices have the shape {triangles.shape}: expected (V, 3) with an array of faces, or "
                "(F, 3, 3), the three corners of each triangle"
            )
        return Input(name, _vertices(triangles.reshape(-1, 3)), None)
    return Input(name, _vertices(vertices), _faces(faces))


def _vertices(vertices: Any) -> npt.NDArray[Any]:
    try:
        p = Points(vertices)
    except (TypeError, ValueError) as e:
        raise type(e)("vertices: " + str(e)) from None
    if p.single:
        raise ValueError("vertices have the shape (3,): expected (V, 3)")
    if p.in_place:
        return p.array
    blocks = [block for _, block in p.blocks()]
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)


def vertices_of(vertices: Any) -> npt.NDArray[Any]:
    """Return an array of vertices of shape (V, 3), which is float64 or float32."""
    return _vertices(vertices)


def _faces(faces: Any) -> npt.NDArray[Any]:
    if isinstance(faces, np.ma.MaskedArray) and np.any(faces.mask):
        raise MeshError("faces have masked elements: select the faces without them, or fill them")
    a = np.asarray(faces)
    if a.ndim == 1 and a.size == 0:
        return np.empty((0, 3), np.int32)
    if a.ndim != 2 or a.shape[1] != 3:
        message = f"faces have the shape {a.shape}: expected (F, 3), three indexes of vertices each"
        if a.ndim == 2 and a.shape[1] == 4:
            message += "; divide quadrilaterals into triangles"
        elif a.ndim == 1:
            message += "; for the faces of PyVista use mesh.triangulate().faces.reshape(-1, 4)[:, 1:]"
        raise ValueError(message)
    if a.dtype.kind not in "iu":
        raise TypeError(f"faces have the type {a.dtype}: expected integers, such as int32 or int64")
    if a.dtype.name not in _structs.INDEX_TYPES:  # int8, int16 or uint8
        a = a.astype(np.int32)
    elif not a.dtype.isnative:
        a = a.astype(a.dtype.newbyteorder("="))
    return np.require(a, requirements=["C", "A"])


def to_structs(inputs: List[Input]) -> Tuple[Any, Any]:
    """Return the meshes as an array of structures, and an object that keeps their memory alive."""
    structs = (_structs.Mesh * len(inputs))()
    for s, m in zip(structs, inputs):
        s.size = ctypes.sizeof(_structs.Mesh)
        s.name = None if m.name is None else m.name.encode()
        s.vertices, s.vertex_count = address(m.vertices), len(m.vertices)
        s.vertex_stride = m.vertices.strides[0] if len(m.vertices) > 1 else 0
        s.vertex_type = _structs.FLOAT64 if m.vertices.dtype.itemsize == 8 else _structs.FLOAT32
        if m.faces is None:
            s.face_type = _structs.INDEX_TYPES["int32"]
            continue
        s.face_type = _structs.INDEX_TYPES[m.faces.dtype.name]
        s.faces, s.face_count = address(m.faces), len(m.faces)
    return structs, inputs


def pairs(meshes: Any) -> List[Input]:
    """Return the meshes of the argument of Assembly."""
    if hasattr(meshes, "items"):
        items = [(name, mesh) for name, mesh in meshes.items()]
    elif isinstance(meshes, Iterable):
        items = [(None, mesh) for mesh in meshes]
    else:
        raise TypeError(f"meshes are a {type(meshes).__name__}: expected a mapping of names to meshes, or a list of meshes")
    if not items:
        raise MeshError("an assembly needs at least one mesh")
    inputs = []
    for i, (name, mesh) in enumerate(items):
        what = f"mesh {i}" if name is None else repr(name)
        try:
            pair = isinstance(mesh, (tuple, list)) and len(mesh) == 2
            inputs.append(from_arrays(mesh[0], mesh[1], name) if pair else from_arrays(mesh, None, name))
        except (TypeError, ValueError) as e:
            raise type(e)(f"{what}: {e}") from None
    return inputs
