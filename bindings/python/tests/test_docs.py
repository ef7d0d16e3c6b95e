"""Examples of docstrings and documents, and type hints."""

import doctest
import importlib
import inspect
import os
import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import REPOSITORY

import inpoly

MODULES = ["inpoly"] + sorted(
    m.name for m in pkgutil.walk_packages(inpoly.__path__, "inpoly.") if m.name not in ("inpoly.__main__", "inpoly._version", "inpoly.libinpoly")
)


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name, monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_everything_public_has_documentation():
    for name in inpoly.__all__:
        thing = getattr(inpoly, name)
        assert name == "__version__" or (thing.__doc__ or "").strip(), name
    for name, thing in inspect.getmembers(inpoly.Solid):
        if not name.startswith("_"):
            assert (thing.__doc__ or "").strip(), name


def test_python_page(tmp_path, monkeypatch):
    """The examples of docs/python.md run in their order and draw its pictures.

    With INPOLY_UPDATE=1, the pictures in docs/pictures/python are replaced.
    """
    for name in ("pandas", "matplotlib"):
        pytest.importorskip(name)
    page, pictures = REPOSITORY / "docs" / "python.md", REPOSITORY / "docs" / "pictures" / "python"
    shutil.copytree(REPOSITORY / "testdata", tmp_path / "testdata")
    monkeypatch.chdir(tmp_path)
    failed, count = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0 and count > 20
    image = importlib.import_module("matplotlib.image")
    names = re.findall(r"\(pictures/python/(.+?)\)", page.read_text("utf-8"))
    assert names
    for name in names:
        if "INPOLY_UPDATE" in os.environ:
            shutil.copy(tmp_path / name, pictures / name)
        drawn, shown = image.imread(tmp_path / name), image.imread(pictures / name)
        assert drawn.shape == shown.shape and abs(drawn - shown).mean() < 0.01, name


@pytest.mark.skipif("INPOLY_FULL" not in os.environ, reason="takes several seconds: set INPOLY_FULL=1")
def test_type_hints(tmp_path):
    """The package obeys mypy --strict. test_types.py checks the types that users see."""
    if subprocess.run([sys.executable, "-m", "mypy", "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        pytest.skip("mypy is missing")
    site = Path(inpoly.__file__).parent
    environment = {**os.environ, "MYPYPATH": str(site.parent)}
    out = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path, site], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert out.returncode == 0, out.stdout
