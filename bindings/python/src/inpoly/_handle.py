"""The handle of the library that a solid owns."""

from __future__ import annotations

import ctypes
import weakref
from typing import Any, Dict, List, Optional, TypeVar, cast

import numpy as np
import numpy.typing as npt

from . import _call, _library, _mesh, _options, _poses, _report, _structs
from ._call import Progress
from ._points import address

__all__ = ["Handle"]

_H = TypeVar("_H", bound="Handle")


class Handle:
    """One or several solids that the library holds, and their life: opening, description and closing."""

    __slots__ = ("__weakref__", "_few", "_finalizer", "_given", "_handle", "_infos", "_quick", "_reported", "_source")

    _handle: int
    _finalizer: Any  # weakref.finalize
    _quick: int  # the largest number of points without a callback; 0 before the first call
    _few: int  # the same for sides alone
    _infos: Optional[List[_structs.Info]]
    _reported: Optional[_report.Report]
    _given: Dict[str, Any]
    _source: Any

    def _build(self, inputs: List[_mesh.Input], options: Dict[str, Any], progress: Optional[Progress]) -> None:
        """Build solids from arrays. If a mesh has a pose, all solids get poses."""
        if any(m.pose is not None for m in inputs):
            unposed = type(self).__new__(type(self))
            unposed._build([m._replace(pose=None) for m in inputs], options, progress)
            with unposed:
                self._place(unposed, np.array([_poses.IDENTITY if m.pose is None else m.pose for m in inputs]))
            return
        structs, memory = _mesh.to_structs(inputs)

        def new(lib: _library.Library, opt: Any, handle: Any) -> int:
            assert memory
            return cast(int, lib.new(structs, len(inputs), opt, handle))

        self._open(new, options, progress, None)

    def _place(self, solid: Handle, poses: npt.NDArray[np.float64]) -> None:
        """Set the fields of self to those of a solid at poses, an array of shape (n, 7)."""
        lib = _library.library()
        handle = ctypes.c_uint64()
        lib.check(lib.at(solid._handle, address(poses), len(poses), ctypes.byref(handle)))
        try:
            source = solid._source.source if isinstance(solid._source, _poses.Posed) else solid._source
            self._set(handle.value, solid._given, _poses.Posed(source, _poses.current(handle.value, len(solid))))
        except BaseException:
            _library.free(handle.value)
            raise

    def _unposed(self: _H) -> _H:
        """Return the same solids without poses, which share all memory with this solid."""
        lib = _library.library()
        handle = ctypes.c_uint64()
        lib.check(lib.unposed(self._handle, ctypes.byref(handle)))
        source = self._source.source if isinstance(self._source, _poses.Posed) else self._source
        other = type(self).__new__(type(self))
        other._set(handle.value, self._given, source)
        return other

    def _open(self, function: Any, options: Dict[str, Any], progress: Optional[Progress], source: Any) -> None:
        """Open a solid with function, and set the fields of self."""
        lib = _library.library()
        handle = ctypes.c_uint64()
        try:
            _call.run(
                lambda callback: cast(
                    int, function(lib, _options.to_struct(options, callback), ctypes.byref(handle))
                ),
                progress,
            )
            self._set(handle.value, options, source)
        except BaseException:
            _library.free(handle.value)
            raise

    def _derive(self, function: Any, options: Dict[str, Any], progress: Optional[Progress]) -> None:
        """Set the fields of self to those of the solid that function makes of another one."""
        lib = _library.library()
        handle = ctypes.c_uint64()
        try:
            _call.run(lambda callback: cast(int, function(lib, ctypes.byref(handle), callback)), progress)
            self._set(handle.value, options, None)
        except BaseException:
            _library.free(handle.value)
            raise

    def _set(self, handle: int, options: Dict[str, Any], source: Any) -> None:
        self._handle = handle
        self._finalizer = weakref.finalize(self, _library.free, handle)
        self._finalizer.atexit = False
        self._quick = self._few = 0
        self._infos = None
        self._reported = None
        self._given = options
        self._source = source

    def _json(self, function: Any, progress: Optional[Progress] = None) -> bytes:
        lib = _library.library()
        text = ctypes.c_void_p()
        try:
            _call.run(lambda callback: cast(int, function(lib, ctypes.byref(text), callback)), progress)
            return ctypes.string_at(text.value or 0) if text.value else b""
        finally:
            lib.free_string(text)

    # Descriptions.

    def _described(self) -> List[_structs.Info]:
        infos = self._infos  # another thread can close the solid, which sets the field to None
        if infos is None:
            first = self._describe(0)
            self._infos = infos = [first] + [self._describe(i) for i in range(1, first.solids)]
        return infos

    def _describe(self, i: int) -> _structs.Info:
        info = _structs.Info(size=ctypes.sizeof(_structs.Info))
        lib = _library.library()
        lib.check(lib.describe(self._handle, i, info))
        return info

    def __len__(self) -> int:
        """Return the number of solids."""
        return len(self._described())

    def __bool__(self) -> bool:
        return True

    def close(self) -> None:
        """Free the memory of the solid now, instead of when Python collects it.

        Calls of other threads that are running end with correct answers. Later calls raise
        :class:`ClosedError`. Closing twice does nothing.
        """
        self._quick = self._few = 0
        self._infos = None
        self._reported = None
        self._finalizer()

    def __enter__(self: _H) -> _H:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
