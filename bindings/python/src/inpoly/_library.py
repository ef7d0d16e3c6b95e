"""Loads the shared library at its first use, never at import, and refuses its use after a fork.

The Go runtime in the library does not survive a fork: it has threads, which the child lacks. A
process that has only imported inpoly can fork, and both processes can then use inpoly.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
from ctypes import POINTER, c_char, c_char_p, c_double, c_int32, c_int64, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Callable, NoReturn, Optional

from . import _structs, errors

_FORKED = (
    "this process was forked after its parent had used inpoly, so it cannot use inpoly. Start "
    'processes with multiprocessing.get_context("spawn") or "forkserver", or use inpoly in the '
    "parent only after the fork (importing it is fine)"
)


class Library:
    """The functions of the C interface, with the types of their arguments."""

    def __init__(self, path: Path) -> None:
        try:
            dll = ctypes.CDLL(str(path))
        except OSError as e:
            raise errors.LibraryError(f"cannot load the library of inpoly: {e}") from e

        def function(name: str, *arguments: Any, returns: Any = c_int32) -> Any:
            f = getattr(dll, name)
            f.argtypes, f.restype = arguments, returns
            return f

        if function("inpoly_abi_version")() < _structs.ABI_VERSION:
            raise errors.LibraryError(f"{path} is older than this Python package: reinstall inpoly")
        progress, user, solid, json = c_void_p, c_void_p, POINTER(c_uint64), POINTER(c_void_p)
        options = POINTER(_structs.Options)
        self.version = function("inpoly_version", returns=c_char_p)
        self.message = function("inpoly_message", returns=c_char_p)
        self.open_files = function("inpoly_open_files", POINTER(c_char_p), c_int64, options, solid)
        self.read = function("inpoly_read", c_char_p, c_void_p, c_int64, options, solid)
        self.new = function("inpoly_new", POINTER(_structs.Mesh), c_int64, options, solid)
        self.free = function("inpoly_free", c_uint64, returns=None)
        self.side = function("inpoly_side_of", c_char_p)  # the bytes of an inpoly_query
        self.sides = function("inpoly_sides", c_uint64, c_char_p, c_int64, POINTER(c_char))  # the points are bytes
        self.locate = function(
            "inpoly_locate", c_uint64, POINTER(_structs.Points), POINTER(_structs.Answers), progress, user
        )
        self.describe = function("inpoly_describe", c_uint64, c_int64, POINTER(_structs.Info))
        self.mesh_copy = function("inpoly_mesh_copy", c_uint64, c_int64, c_void_p, c_void_p)
        self.report = function("inpoly_report", c_uint64, json, progress, user)
        self.explain = function("inpoly_explain", c_uint64, c_double, c_double, c_double, json)
        lines, text = POINTER(_structs.Lines), POINTER(c_void_p)
        hits, points = POINTER(_structs.HitList), POINTER(_structs.Points)
        intervals = POINTER(_structs.IntervalList)
        self.first_hits = function("inpoly_first_hits", c_uint64, lines, POINTER(_structs.Hits), progress, user)
        self.any_hits = function("inpoly_any_hits", c_uint64, lines, c_void_p, progress, user)
        self.all_hits = function("inpoly_all_hits", c_uint64, lines, hits, progress, user)
        self.free_hit_list = function("inpoly_free_hit_list", hits, returns=None)
        self.intervals = function(
            "inpoly_intervals", c_uint64, c_int64, lines, c_double, intervals, progress, user
        )
        self.polyline_intervals = function(
            "inpoly_polyline_intervals", c_uint64, c_int64, points, c_void_p, c_int64, c_double, intervals, progress, user
        )
        self.free_interval_list = function("inpoly_free_interval_list", intervals, returns=None)
        self.sections = function(
            "inpoly_sections", c_uint64, c_int64, c_void_p, c_int64, c_char_p, c_char_p, text, progress, user
        )
        self.measure = function("inpoly_measure", c_uint64, c_int64, c_char_p, c_double, text, progress, user)
        self.pose_from_matrix = function("inpoly_pose_from_matrix", c_void_p, c_void_p, c_void_p)
        self.at = function("inpoly_at", c_uint64, c_void_p, c_int64, solid)
        self.unposed = function("inpoly_unposed", c_uint64, solid)
        self.refit = function("inpoly_refit", c_uint64, c_void_p, c_int64, progress, user, solid)
        self.poses = function("inpoly_poses", c_uint64, c_void_p, c_int64)
        self.free_string = function("inpoly_free_string", c_void_p, returns=None)

    def error(self, status: int) -> errors.InpolyError:
        """Return the exception for the last failed call of this thread."""
        return errors.from_status(status, (self.message() or b"").decode("utf-8", "replace"))

    def check(self, status: int) -> None:
        """Raise the exception for a status that is not 0."""
        if status:
            raise self.error(status)


_lock = threading.Lock()
_loading = False  # also True after loading
_forked = False
_loaded: Optional[Library] = None


def library() -> Library:
    """Return the library, which the first call loads."""
    global _loading, _loaded, side, sides
    if _loaded is not None:
        return _loaded
    _refuse_fork()
    with _lock:
        if _loaded is None:
            _loading = True
            _loaded = Library(path())
            side, sides = _loaded.side, _loaded.sides
        return _loaded


def path() -> Path:
    """Return the path of the shared library in this package."""
    suffix = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
    return Path(__file__).with_name("libinpoly" + suffix)


def free(handle: int) -> None:
    """Free a solid. Does nothing in a child process that was forked."""
    if _loaded is not None:
        _loaded.free(handle)


def is_forked() -> bool:
    """Return whether this process was forked after its parent had used inpoly."""
    return _forked


def _refuse_fork() -> None:
    if _forked:
        raise errors.ForkError(_FORKED)


def _refuse(*_: object) -> NoReturn:
    raise errors.ForkError(_FORKED)


# inpoly_side_of and inpoly_sides. Callers read these variables at each call, because a fork replaces them. library sets
# them. No solid exists before.
side: Callable[[bytes], int] = _refuse
sides: Callable[[int, bytes, int, c_char], int] = _refuse


def _after_fork() -> None:
    global _forked, _loaded, _lock, side, sides
    _lock = threading.Lock()  # another thread of the parent may have held the old one
    if _loading:
        _forked, _loaded, side, sides = True, None, _refuse, _refuse


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
