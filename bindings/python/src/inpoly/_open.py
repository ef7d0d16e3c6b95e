"""Opening of files, and of solids that were pickled with the path of a file."""

from __future__ import annotations

import ctypes
import errno
import hashlib
import io
import os
import stat
import sys
from typing import Any, Dict, List, Literal, NamedTuple, Optional, Protocol, Sequence, SupportsIndex, Tuple, Type, Union, cast, overload

from . import _library, _options
from ._call import Progress
from ._solid import Assembly, Solid
from ._types import Method, Number, Orient, Parts, Path, Rule
from .errors import ArgumentError, FileError, FormatError

__all__ = ["open"]

Bytes = (bytes, bytearray, memoryview)


class Readable(Protocol):
    """A binary file object."""

    def read(self) -> Union[bytes, bytearray, memoryview]: ...


#: The content of a file.
Content = Union[bytes, bytearray, memoryview, Readable]


# `make api` writes the options in signatures and docstrings from bindings/api.json.
@overload
def open(  # type: ignore[misc]
    mesh: Union[Path, Content],
    *,
    name: Optional[str] = None,
    split_bodies: Literal[False] = False,
    method: Method = "auto",
    rule: Rule = "nonzero",
    orient: Orient = "auto",
    tolerance: Number = 0.0,
    epsilon: Number = 0.0,
    expected_points: SupportsIndex = 0,
    max_memory: SupportsIndex = 0,
    seed: SupportsIndex = 0,
    workers: SupportsIndex = 0,
    parts: Parts = "typed",
    weld: Number = 0.0,
    progress: Optional[Progress] = None,
    warn: bool = True,
) -> Solid: ...


@overload
def open(
    mesh: Union[Path, Content],
    *,
    name: Optional[str] = None,
    split_bodies: Literal[True],
    method: Method = "auto",
    rule: Rule = "nonzero",
    orient: Orient = "auto",
    tolerance: Number = 0.0,
    epsilon: Number = 0.0,
    expected_points: SupportsIndex = 0,
    max_memory: SupportsIndex = 0,
    seed: SupportsIndex = 0,
    workers: SupportsIndex = 0,
    parts: Parts = "typed",
    weld: Number = 0.0,
    progress: Optional[Progress] = None,
    warn: bool = True,
) -> Assembly: ...


@overload
def open(
    mesh: Sequence[Path],
    *,
    name: Optional[str] = None,
    split_bodies: bool = False,
    method: Method = "auto",
    rule: Rule = "nonzero",
    orient: Orient = "auto",
    tolerance: Number = 0.0,
    epsilon: Number = 0.0,
    expected_points: SupportsIndex = 0,
    max_memory: SupportsIndex = 0,
    seed: SupportsIndex = 0,
    workers: SupportsIndex = 0,
    parts: Parts = "typed",
    weld: Number = 0.0,
    progress: Optional[Progress] = None,
    warn: bool = True,
) -> Assembly: ...


@overload
def open(
    mesh: Union[Path, Content, Sequence[Path]],
    *,
    name: Optional[str] = None,
    split_bodies: bool,
    method: Method = "auto",
    rule: Rule = "nonzero",
    orient: Orient = "auto",
    tolerance: Number = 0.0,
    epsilon: Number = 0.0,
    expected_points: SupportsIndex = 0,
    max_memory: SupportsIndex = 0,
    seed: SupportsIndex = 0,
    workers: SupportsIndex = 0,
    parts: Parts = "typed",
    weld: Number = 0.0,
    progress: Optional[Progress] = None,
    warn: bool = True,
) -> Solid: ...


def open(
    mesh: Union[Path, Content, Sequence[Path]],
    *,
    name: Optional[str] = None,
    split_bodies: bool = False,
    method: Method = "auto",
    rule: Rule = "nonzero",
    orient: Orient = "auto",
    tolerance: Number = 0.0,
    epsilon: Number = 0.0,
    expected_points: SupportsIndex = 0,
    max_memory: SupportsIndex = 0,
    seed: SupportsIndex = 0,
    workers: SupportsIndex = 0,
    parts: Parts = "typed",
    weld: Number = 0.0,
    progress: Optional[Progress] = None,
    warn: bool = True,
) -> Solid:
    """Open a mesh file: STL, OBJ, PLY, OFF, glTF, GLB, 3MF, MSH (Gmsh), VTK or CityJSON, also compressed as .gz
    or .zst.

    Parameters
    ----------
    mesh : path, list of paths, bytes, or binary file object
        A path is a str or an ``os.PathLike``. A list of paths makes an :class:`Assembly` with one
        solid for each file. bytes are the content of a file.
    name : str, optional
        Name of a file that is given as bytes or as a file object. Its suffix decides the format if
        the content does not.
    split_bodies : bool
        Each body of a file becomes a solid of its own: OBJ groups and objects, STL solids, glTF nodes, 3MF build items,
        and parts of slicers.
    parts : {"typed", "all"}
        Which parts of the 3MF file of a slicer are read: "typed" (without modifiers and supports, and a file with
        negative parts is refused), "all" (all parts as solid).
    method, rule, orient, tolerance, epsilon, expected_points, max_memory, seed, workers, weld, progress, warn
        See :class:`Solid`.

    Returns
    -------
    Solid
        An Assembly if ``mesh`` is a list, or if ``split_bodies`` is true.

    Raises
    ------
    OSError
        A file cannot be read, such as FileNotFoundError.
    FormatError
        A file is not a mesh file, or has bad data. The message has the line or the byte.
    TooLargeError
        A mesh needs too much memory; see ``max_memory``.
    OptionError
        An option is out of range.

    Examples
    --------
    >>> import inpoly
    >>> inpoly.open("testdata/knot.stl")
    <inpoly.Solid: 5,184 faces, closed surface>
    >>> from pathlib import Path
    >>> inpoly.open(Path("testdata/knot.stl").read_bytes(), name="knot.stl", rule="evenodd")
    <inpoly.Solid: 5,184 faces, closed surface>
    """
    options = _options.check(
        dict(
            method=method, rule=rule, orient=orient, tolerance=tolerance, epsilon=epsilon,
            expected_points=expected_points, max_memory=max_memory, seed=seed, workers=workers, parts=parts, weld=weld,
            split_bodies=split_bodies,
        )
    )  # fmt: skip
    label = ""  # before warnings
    if isinstance(mesh, (str, os.PathLike)):
        _no_name(name)
        label = f"{os.fspath(mesh)!s}: "
        solid = _from_paths(Assembly if split_bodies else Solid, [mesh], options, progress)
    elif isinstance(mesh, Bytes):
        solid = _from_bytes(bytes(mesh), name, options, progress)
    elif hasattr(mesh, "read"):
        solid = _from_file(mesh, name, options, progress)
    elif isinstance(mesh, Sequence):
        _no_name(name)
        for path in mesh:
            if not isinstance(path, (str, os.PathLike)):
                raise TypeError(f"the list has a {type(path).__name__}: expected paths")
        if not mesh:
            raise ArgumentError("the list of paths is empty")
        solid = _from_paths(Assembly, list(cast(Sequence[Path], mesh)), options, progress)
    else:
        raise TypeError(
            f"cannot open a {type(mesh).__name__}: expected a path, a list of paths, bytes or a binary file; "
            "use inpoly.Solid(vertices, faces) for arrays"
        )
    if warn:
        solid._warn(3, label)
    return solid


def _no_name(name: Optional[str]) -> None:
    if name is not None:
        raise ArgumentError("name is only for bytes and file objects")


def _encoded(path: str) -> bytes:
    if "\0" in path:
        raise ArgumentError(f"the path {path!r} has a zero byte")
    return path.encode() if sys.platform == "win32" else os.fsencode(path)


class _Files(NamedTuple):
    """Files that a solid was opened from."""

    paths: List[str]
    stats: List[Any]  # sizes and times of modification before opening

    def for_pickle(self) -> Tuple[Any, Any]:
        """Return the function that opens the files again, and its state."""
        sums = [_checksum(path) for path in self.paths]
        for path, before in zip(self.paths, self.stats):
            if _stat(path) != before:
                raise FileError(f"{path} has changed since the solid was opened, so pickle cannot use it")
        return _reopen_files, (self.paths, sums)


class _Content(NamedTuple):
    """Content of a file that several solids were read from."""

    data: bytes
    name: Optional[str]

    def for_pickle(self) -> Tuple[Any, Any]:
        """Return the function that reads the content again, and its state."""
        return _reread, (self.data, self.name)


def _stat(path: str) -> Any:
    s = os.stat(path)  # raises FileNotFoundError
    if stat.S_ISDIR(s.st_mode):
        raise IsADirectoryError(errno.EISDIR, "a folder is not a mesh file", path)
    if not os.access(path, os.R_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    return s.st_size, s.st_mtime_ns


def _checksum(path: str) -> str:
    h = hashlib.sha256()
    with io.open(path, "rb") as f:
        for block in iter(lambda: f.read(1 << 20), b""):
            h.update(block)
    return h.hexdigest()


def _reopen_files(kind: Type[Solid], state: Tuple[List[str], List[str]], options: Dict[str, Any]) -> Solid:
    paths, sums = state
    for path, want in zip(paths, sums):
        if _checksum(path) != want:
            raise FileError(f"{path} has changed since the solid was pickled")
    return _from_paths(kind, cast(List[Path], paths), options, None)


def _reread(kind: Type[Solid], state: Tuple[bytes, Optional[str]], options: Dict[str, Any]) -> Solid:
    return _from_bytes(*state, options, None)


def _from_paths(
    kind: Type[Solid], paths: List[Path], options: Dict[str, Any], progress: Optional[Progress]
) -> Solid:
    absolute = [os.path.abspath(os.fspath(p)) for p in paths]
    encoded = [_encoded(os.fspath(p)) for p in paths]
    stats = [_stat(os.fspath(p)) for p in paths]
    array = (ctypes.c_char_p * len(encoded))(*encoded)

    def open_files(lib: _library.Library, opt: Any, handle: Any) -> int:
        return cast(int, lib.open_files(array, len(encoded), opt, handle))

    solid = kind.__new__(kind)
    solid._open(open_files, options, progress, _Files(absolute, stats))
    return solid


def _from_file(file: Any, name: Optional[str], options: Dict[str, Any], progress: Optional[Progress]) -> Solid:
    data = file.read()
    if not isinstance(data, Bytes):
        raise TypeError('the file returns text: open it in binary mode, "rb"')
    given = getattr(file, "name", None)
    return _from_bytes(bytes(data), name or (given if isinstance(given, str) else None), options, progress)


def _from_bytes(
    data: bytes, name: Optional[str], options: Dict[str, Any], progress: Optional[Progress]
) -> Solid:
    encoded = _encoded(name or "mesh")

    def read(lib: _library.Library, opt: Any, handle: Any) -> int:
        return cast(int, lib.read(encoded, data, len(data), opt, handle))

    # Without bodies, pickle can use the arrays. The numbers of faces are those of the file.
    split = options["split_bodies"]
    solid = Assembly.__new__(Assembly) if split else Solid.__new__(Solid)
    try:
        solid._open(read, options, progress, _Content(data, name) if split else None)
    except FormatError as e:
        if name or "unknown format" not in str(e):
            raise
        raise FormatError(f'{e}; bytes are a content, not a path; name="part.stl" gives its format') from None
    return solid
