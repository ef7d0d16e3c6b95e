"""python -m inpoly is the command."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import DATA

import inpoly
import inpoly.__main__

COMMAND = [sys.executable, "-m", "inpoly"]


def test_version():
    out = subprocess.run([*COMMAND, "version"], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert out.startswith(f"inpoly v{inpoly.__version__} ")
    assert inpoly._library.library().version().decode() == f"v{inpoly.__version__}"


def test_exit_codes():
    assert subprocess.run([*COMMAND, "check", DATA / "knot.stl"], stdout=subprocess.DEVNULL).returncode == 0
    assert subprocess.run([*COMMAND, "check", DATA / "no.stl"], stderr=subprocess.DEVNULL).returncode == 1
    assert subprocess.run([*COMMAND, "--nothing"], stderr=subprocess.DEVNULL).returncode == 2


@pytest.mark.skipif(os.name != "posix", reason="needs streams of POSIX")
def test_closed_streams():
    """Output into a closed stream is lost, so the command fails. DEVNULL discards it on purpose."""
    line = shlex.join([*map(str, COMMAND), "version"])
    done = subprocess.run(["sh", "-c", f"{line} >&-"], stderr=subprocess.PIPE, text=True)
    assert (done.returncode, "standard output is closed" in done.stderr) == (1, True)
    for streams in {"stdout": subprocess.DEVNULL}, {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}:
        assert subprocess.run([*COMMAND, "version"], **streams).returncode == 0


@pytest.mark.skipif(os.name != "posix", reason="needs permissions of POSIX")
def test_unzipped(tmp_path, monkeypatch):
    """The command runs if a wheel was unzipped without permissions, or a message says what to do."""
    package = shutil.copytree(Path(inpoly.__file__).parent, tmp_path / "inpoly")
    command = package / "inpoly-command"
    command.chmod(0o644)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    subprocess.run([*COMMAND, "version"], check=True, stdout=subprocess.DEVNULL, env=environment, cwd=tmp_path)
    assert os.access(command, os.X_OK)

    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(os, "execv", refuse)
    with pytest.raises(SystemExit, match=r"chmod \+x .*inpoly-command$"):
        inpoly.__main__.main()


def test_pipe():
    done = subprocess.run(
        [*COMMAND, DATA / "knot.stl", "-"], input=b"x,y,z\n4,10,-3\n100,0,0\n", stdout=subprocess.PIPE, check=True,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.stdout.split() == [b"x,y,z,inside", b"4,10,-3,1", b"100,0,0,0"]


@pytest.mark.skipif(os.name != "posix", reason="needs signals of POSIX")
def test_interrupt():
    with subprocess.Popen([*COMMAND, DATA / "knot.stl", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        process.stdin.write(b"x,y,z\n" + b"0,0,1\n" * 100_000)
        process.stdin.flush()  # the command has read most of it, because a pipe holds less, and waits for more
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
