"""Fixtures. The tests run against an installed wheel, from the folder of a clone."""

import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import inpoly

REPOSITORY = Path(__file__).resolve().parents[3]
DATA = REPOSITORY / "testdata"

# A background job of a shell ignores SIGINT, and its children would too.
signal.signal(signal.SIGINT, signal.default_int_handler)

if not DATA.exists():
    pytest.skip(f"the meshes of the tests are missing: {DATA}", allow_module_level=True)


@pytest.fixture(scope="session")
def knot():
    """A closed mesh of 5,184 faces."""
    return inpoly.open(DATA / "knot.stl")


@pytest.fixture(scope="session")
def points():
    """Points around and in the knot, some of them on the surface and one not finite."""
    p = np.random.default_rng(7).uniform(-36, 36, (5000, 3))
    p[:200] = inpoly.open(DATA / "knot.stl").vertices[:200]
    p[200] = np.nan, 1, 2
    return p


@pytest.fixture()
def script(tmp_path):
    """Runs a Python program in a process of its own and returns its output."""

    def run(text, *arguments, timeout=60):
        file = tmp_path / "program.py"
        file.write_text(text, "utf-8")
        done = subprocess.run(
            [sys.executable, str(file), *map(str, arguments)],
            cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout
        return done.stdout

    return run
