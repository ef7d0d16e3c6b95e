"""Options for opening, checked as far as C does not check them."""

from __future__ import annotations

import ctypes
import numbers
import operator
from typing import Any, Dict, Optional

from . import _structs
from .errors import OptionError

# `make api` writes these lists from bindings/api.json.
_WORDS = ("method", "rule", "orient", "parts")
_NUMBERS = ("tolerance", "epsilon", "weld")
_INTEGERS = {
    "expected_points": (0, 2**63 - 1),
    "max_memory": (0, 2**63 - 1),
    "seed": (0, 2**64 - 1),
    "workers": (0, 2**31 - 1),
}


def check(options: Dict[str, Any]) -> Dict[str, Any]:
    """Return the options as values of the right types."""
    checked: Dict[str, Any] = {}
    for name, value in options.items():
        if name in _WORDS:
            if not isinstance(value, str) or "\0" in value:
                raise OptionError(f"{name} is {value!r}: expected a name")
            checked[name] = value
        elif name in _NUMBERS:
            if not isinstance(value, numbers.Real) or isinstance(value, bool):
                raise OptionError(f"{name} is {value!r}: expected a number")
            try:
                checked[name] = float(value)
            except OverflowError:
                raise OptionError(f"{name} exceeds the largest float64 number") from None
        elif name in _INTEGERS:
            low, high = _INTEGERS[name]
            try:
                number = int(value) if isinstance(value, float) and value.is_integer() else operator.index(value)
            except TypeError:
                number = None
            if number is None or isinstance(value, bool):
                raise OptionError(f"{name} is {value!r}: expected an integer")
            if not low <= number <= high:
                raise OptionError(f"{name} is {number}: expected {low} to {high}")
            checked[name] = number
        else:
            checked[name] = bool(value)
    return checked


def to_struct(options: Dict[str, Any], progress: Optional[int]) -> _structs.Options:
    """Return checked options as a structure. progress is the address of a callback."""
    s = _structs.Options(size=ctypes.sizeof(_structs.Options), progress=progress)
    for name, value in options.items():
        setattr(s, name, value.encode() if isinstance(value, str) else value)
    return s
