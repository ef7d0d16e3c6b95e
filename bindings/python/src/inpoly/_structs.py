"""The structures of the C interface, in the order of bindings/c/inpoly.h.

`make api` writes this file from bindings/api.json.
"""

from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint64, c_void_p

ABI_VERSION = 4


class Options(ctypes.Structure):
    """inpoly_options"""

    _fields_ = [
        ("size", c_size_t),
        ("method", c_char_p),
        ("rule", c_char_p),
        ("orient", c_char_p),
        ("tolerance", c_double),
        ("epsilon", c_double),
        ("expected_points", c_int64),
        ("max_memory", c_int64),
        ("seed", c_uint64),
        ("workers", c_int32),
        ("split_bodies", c_int32),
        ("progress", c_void_p),
        ("user", c_void_p),
        ("parts", c_char_p),
        ("weld", c_double),
    ]


class Answers(ctypes.Structure):
    """inpoly_answers"""

    _fields_ = [
        ("size", c_size_t),
        ("side", c_void_p),
        ("winding", c_void_p),
        ("winding_bound", c_void_p),
        ("distance", c_void_p),
        ("distance_bound", c_void_p),
        ("nearest", c_void_p),
        ("face", c_void_p),
        ("nearest_body", c_void_p),
        ("body", c_void_p),
        ("body_choice", c_int32),
        ("reserved", c_int32),
        ("nearest_bound", c_void_p),
        ("barycentric", c_void_p),
        ("normal", c_void_p),
        ("feature", c_void_p),
    ]


class Mesh(ctypes.Structure):
    """inpoly_mesh"""

    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("vertices", c_void_p),
        ("vertex_count", c_int64),
        ("vertex_stride", c_int64),
        ("vertex_type", c_int32),
        ("face_type", c_int32),
        ("faces", c_void_p),
        ("face_count", c_int64),
    ]


class Points(ctypes.Structure):
    """inpoly_points"""

    _fields_ = [
        ("size", c_size_t),
        ("data", c_void_p),
        ("count", c_int64),
        ("stride", c_int64),
        ("type", c_int32),
        ("reserved", c_int32),
    ]


class Info(ctypes.Structure):
    """inpoly_info"""

    _fields_ = [
        ("size", c_size_t),
        ("solids", c_int64),
        ("vertices", c_int64),
        ("faces", c_int64),
        ("box_min", c_double * 3),
        ("box_max", c_double * 3),
        ("closed", c_int32),
        ("reserved", c_int32),
    ]


class Lines(ctypes.Structure):
    """inpoly_lines"""

    _fields_ = [
        ("size", c_size_t),
        ("starts", c_void_p),
        ("directions", c_void_p),
        ("ends", c_void_p),
    ]


class Hits(ctypes.Structure):
    """inpoly_hits"""

    _fields_ = [
        ("size", c_size_t),
        ("t", c_void_p),
        ("bound", c_void_p),
        ("face", c_void_p),
        ("body", c_void_p),
        ("sign", c_void_p),
        ("jump", c_void_p),
    ]


class HitList(ctypes.Structure):
    """inpoly_hit_list"""

    _fields_ = [
        ("size", c_size_t),
        ("lines", c_int64),
        ("count", c_int64),
        ("offsets", c_void_p),
        ("t", c_void_p),
        ("bound", c_void_p),
        ("face", c_void_p),
        ("body", c_void_p),
        ("sign", c_void_p),
        ("jump", c_void_p),
    ]


class IntervalList(ctypes.Structure):
    """inpoly_interval_list"""

    _fields_ = [
        ("size", c_size_t),
        ("lines", c_int64),
        ("count", c_int64),
        ("offsets", c_void_p),
        ("from", c_void_p),
        ("from_bound", c_void_p),
        ("to", c_void_p),
        ("to_bound", c_void_p),
        ("length", c_void_p),
        ("length_bound", c_void_p),
        ("from_segment", c_void_p),
        ("to_segment", c_void_p),
        ("side", c_void_p),
        ("unsampled_count", c_int64),
        ("unsampled", c_void_p),
    ]


FLOAT64 = 0
FLOAT32 = 1

# Types of indexes of vertices, by the name of the NumPy type.
INDEX_TYPES = {"int32": 2, "uint32": 3, "int64": 4, "uint64": 5, "uint16": 6}
