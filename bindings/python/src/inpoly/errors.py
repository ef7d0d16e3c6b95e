"""Exceptions and warnings. All exceptions of the library are subclasses of :class:`InpolyError`."""

from __future__ import annotations

from typing import Dict, Type

__all__ = [
    "ArgumentError",
    "CanceledError",
    "ClosedError",
    "FileError",
    "ForkError",
    "FormatError",
    "InpolyError",
    "InternalError",
    "LibraryError",
    "MeshError",
    "MeshWarning",
    "OptionError",
    "TooLargeError",
]


class InpolyError(Exception):
    """Base class of the exceptions of inpoly."""


class ArgumentError(InpolyError, ValueError):
    """An argument is out of range."""


class ClosedError(InpolyError, ValueError):
    """The solid was closed."""


class OptionError(InpolyError, ValueError):
    """An option is out of range or has an unknown name."""


class FileError(InpolyError, OSError):
    """The operating system cannot read a file.

    A path that does not exist raises the built-in ``FileNotFoundError`` instead, and a path that
    must not be read raises ``PermissionError``.
    """


class FormatError(InpolyError, ValueError):
    """A file is not a mesh file, or has bad data. The message has the line or the byte."""


class MeshError(InpolyError, ValueError):
    """The arrays are not a mesh. For example, an index is out of range."""


class TooLargeError(InpolyError, ValueError):
    """A mesh exceeds a limit of size or of memory."""


class CanceledError(InpolyError):
    """The function ``progress`` returned ``False``."""


class ForkError(InpolyError, RuntimeError):
    """This process was forked after its parent had used inpoly."""


class LibraryError(InpolyError, ImportError):
    """The shared library is missing, or does not belong to this version of the package."""


class InternalError(InpolyError, RuntimeError):
    """A defect of inpoly. Please report it."""


class MeshWarning(UserWarning):
    """A mesh has defects, such as holes. The text has their number and their effect."""


for _name in __all__:
    globals()[_name].__module__ = "inpoly"  # where users find them

_BY_STATUS: Dict[int, Type[InpolyError]] = {
    1: ArgumentError,
    2: ClosedError,
    3: OptionError,
    4: FileError,
    5: FormatError,
    6: MeshError,
    7: TooLargeError,
    8: CanceledError,
    10: ForkError,
}


def from_status(status: int, message: str) -> InpolyError:
    """Return the exception for a status of the C library."""
    if status == 2:
        message = "the solid was closed"
    return _BY_STATUS.get(status, InternalError)(message or f"status {status}")
