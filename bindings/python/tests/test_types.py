"""The types that type checkers see: typed.py has the expected types of all public functions."""

import os
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import REPOSITORY

import inpoly

PROGRAM = Path(__file__).with_name("typed.py")


def test_mypy_infers_the_expected_types(tmp_path):
    mypy = [sys.executable, "-m", "mypy"]
    if subprocess.run([*mypy, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
        pytest.skip("mypy is missing")
    (tmp_path / "typed.py").write_bytes(PROGRAM.read_bytes())
    done = subprocess.run(
        [*mypy, "--strict", "--show-error-codes", "--cache-dir", tmp_path / "cache", "typed.py"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        env={**os.environ, "MYPYPATH": str(Path(inpoly.__file__).parent.parent)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def has_type(value, expected):
    """Return whether a value has a type, down to the elements of lists and the fields of named tuples."""
    origin, arguments = getattr(expected, "__origin__", None), getattr(expected, "__args__", ())
    if origin is np.ndarray:
        element = arguments[1].__args__[0]
        return isinstance(value, np.ndarray) and (element is Any or value.dtype == np.dtype(element))
    if origin is list:
        return type(value) is list and all(has_type(v, arguments[0]) for v in value)
    if origin is dict:
        return type(value) is dict and all(has_type(v, arguments[1]) for v in value.values())
    if origin is tuple:
        return len(value) == len(arguments) and all(map(has_type, value, arguments))
    return expected is Any or type(value) is expected


def test_values_have_these_types(monkeypatch):
    """The program runs, and its values have the types that mypy infers."""
    checked = []

    def assert_type(value, expected):
        assert has_type(value, expected), f"{value!r} has the type {type(value)}, not {expected}"
        checked.append(expected)
        return value

    extensions = types.ModuleType("typing_extensions")
    extensions.assert_type = assert_type
    monkeypatch.setitem(sys.modules, "typing_extensions", extensions)
    monkeypatch.chdir(REPOSITORY)
    exec(compile(PROGRAM.read_text("utf-8"), str(PROGRAM), "exec"), {"__name__": "typed"})
    assert len(checked) > 100


def test_every_public_method_has_an_expected_type():
    text = PROGRAM.read_text("utf-8")
    for kind in (inpoly.Solid, inpoly.Report, inpoly.Mesh, inpoly.Hits, inpoly.AllHits, inpoly.Intervals, inpoly.Nearest, inpoly.Winding):
        for name in dir(kind):
            if not name.startswith("_") and name not in ("close", "count", "index"):
                assert f".{name}" in text, f"{kind.__name__}.{name}"
    for name in inpoly.__all__:
        assert f"inpoly.{name}" in text or issubclass(getattr(inpoly, name), (inpoly.InpolyError, Warning)), name
