"""The wheel and the source archive."""

import base64
import csv
import ctypes
import email
import hashlib
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from conftest import REPOSITORY

import inpoly
from inpoly import _structs

PYTHON = REPOSITORY / "bindings" / "python"
sys.path.insert(0, str(PYTHON / "backend"))

import inpoly_build  # noqa: E402
from platform_tag import Elf, platform_tag  # noqa: E402


@pytest.fixture(scope="module")
def wheel():
    if "INPOLY_WHEEL" not in os.environ:
        pytest.skip("INPOLY_WHEEL does not name the wheel")
    return Path(os.environ["INPOLY_WHEEL"])


def test_same_bytes(wheel, tmp_path):
    """A second build gives the same bytes."""
    done = subprocess.run(
        [sys.executable, PYTHON / "backend" / "inpoly_build.py", "wheel", tmp_path], check=True, stdout=subprocess.PIPE, text=True
    )
    (second,) = tmp_path.iterdir()
    assert second.name == wheel.name and str(second) in done.stdout
    assert hashlib.sha256(second.read_bytes()).digest() == hashlib.sha256(wheel.read_bytes()).digest()


def test_content(wheel):
    with zipfile.ZipFile(wheel) as z:
        names = z.namelist()
        assert len(set(names)) == len(names)
        (info,) = {n.split("/")[0] for n in names if ".dist-info/" in n}
        record = {name: (digest, size) for name, digest, size in csv.reader(z.read(f"{info}/RECORD").decode().splitlines())}
        assert set(record) == set(names)
        for name in names:
            data = z.read(name)
            if name.endswith("/RECORD"):
                assert record[name] == ("", "")
                continue
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert record[name] == (f"sha256={digest}", str(len(data)))
        text = z.read(f"{info}/METADATA").decode()
        assert f"\nVersion: {inpoly.__version__}\n" in text and "Requires-Dist: numpy" in text
        _, version, python, abi, platform = wheel.stem.split("-")
        assert f"Tag: {python}-{abi}-{platform}\n" in z.read(f"{info}/WHEEL").decode()
        assert version == inpoly.__version__
        assert {"inpoly/py.typed", "inpoly/compat/trimesh.py", f"{info}/licenses/go/LICENSE"} <= set(names)
        library = next(n for n in names if "/libinpoly." in n)
        assert z.getinfo(library).external_attr >> 16 & 0o111
        assert b"/work/" not in z.read(library) and str(REPOSITORY).encode() not in z.read(library)


def test_project_table(wheel):
    """pyproject.toml and the metadata of the wheel agree."""
    tomllib = pytest.importorskip("tomllib", reason="Python 3.11 or newer reads TOML")
    project = tomllib.loads((PYTHON / "pyproject.toml").read_text())["project"]
    tables = inpoly_build.project_tables()
    assert {k: v for k, v in project.items() if not isinstance(v, dict)} == tables["project"]
    assert project["urls"] == tables["project.urls"] and project["scripts"] == tables["project.scripts"]
    with zipfile.ZipFile(wheel) as z:
        (info,) = {n.split("/")[0] for n in z.namelist() if ".dist-info/" in n}
        metadata = email.message_from_bytes(z.read(f"{info}/METADATA"))
        scripts = z.read(f"{info}/entry_points.txt").decode()
        for name in project["license-files"]:
            assert f"{info}/licenses/{name}" in z.namelist()
    assert metadata["Name"] == project["name"] and metadata["Summary"] == project["description"]
    assert metadata["Keywords"].split(",") == project["keywords"]
    assert metadata["License-Expression"] == project["license"]
    assert metadata.get_all("License-File") == project["license-files"]
    assert metadata.get_all("Classifier") == project["classifiers"]
    assert dict(u.split(", ", 1) for u in metadata.get_all("Project-URL")) == project["urls"]
    assert metadata["Requires-Python"] == project["requires-python"]
    assert metadata.get_all("Requires-Dist") == project["dependencies"]
    assert scripts == "[console_scripts]\n" + "".join(f"{n} = {t}\n" for n, t in project["scripts"].items())
    assert metadata.get_payload().strip() == (PYTHON / project["readme"]).read_text().strip()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads ELF files")
def test_platform_tag(wheel):
    path = Path(inpoly.__file__).with_name("libinpoly.so")
    assert platform_tag(path) in wheel.name
    if shutil.which("readelf") is None:
        pytest.skip("readelf is missing")
    text = subprocess.run(["readelf", "-V", "-d", path], check=True, stdout=subprocess.PIPE, text=True).stdout
    elf = Elf(path.read_bytes())
    assert set(elf.versions) == set(re.findall(r"Name: (\S+)", text))
    assert elf.needed == re.findall(r"Shared library: \[(.+)\]", text)
    glibc = max(tuple(map(int, v.split("."))) for v in re.findall(r"Name: GLIBC_([0-9.]+)", text))
    assert elf.glibc() == glibc[:2]


def test_other_platform_tags(tmp_path):
    """Headers of Mach-O and PE files, as the linkers of macOS and Windows write them."""
    version = struct.pack("<IIIIII", 0x32, 24, 1, 12 << 16 | 3 << 8, 0, 0)
    for machine, name in ((0x0100000C, "arm64"), (0x01000007, "x86_64")):
        path = tmp_path / "libinpoly.dylib"
        path.write_bytes(struct.pack("<IIIIIIII", 0xFEEDFACF, machine, 0, 6, 1, len(version), 0, 0) + version)
        assert platform_tag(path) == f"macosx_12_0_{name}"
    path = tmp_path / "libinpoly.dll"
    path.write_bytes(b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 0x80) + bytes(0x40) + b"PE\0\0" + struct.pack("<H", 0xAA64))
    assert platform_tag(path) == "win_arm64"
    path.write_bytes(b"#!/bin/sh")
    with pytest.raises(ValueError):
        platform_tag(path)


@pytest.mark.skipif("INPOLY_FULL" not in os.environ, reason="takes several seconds: set INPOLY_FULL=1")
def test_pip(wheel, tmp_path):
    """pip installs the wheel without a network, with a script that is the command."""
    pip = [sys.executable, "-m", "pip"]
    if subprocess.run([*pip, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
        pytest.skip("pip is missing")
    subprocess.run(
        [*pip, "install", "-q", "--no-index", "--no-deps", "--target", tmp_path / "site", wheel], check=True, stderr=subprocess.DEVNULL
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site")}
    out = subprocess.run([tmp_path / "site" / "bin" / "inpoly", "version"], check=True, stdout=subprocess.PIPE, text=True, env=environment)
    assert out.stdout.startswith("inpoly v")
    text = "import inpoly; print(inpoly.__file__, inpoly.Solid([[0,0,0],[1,0,0],[0,1,0]], [[0,1,2]], warn=False))"
    out = subprocess.run([sys.executable, "-c", text], check=True, stdout=subprocess.PIPE, text=True, env=environment, cwd=tmp_path)
    assert str(tmp_path / "site") in out.stdout and "1 faces" in out.stdout


def test_source_archive(tmp_path):
    """The archive builds without a network and without the repository."""
    name = inpoly_build.build_sdist(str(tmp_path))
    assert name == f"inpoly-{inpoly.__version__}.tar.gz"
    first = (tmp_path / name).read_bytes()
    with tarfile.open(tmp_path / name) as t:
        t.extractall(tmp_path / "source")
        names = t.getnames()
    top = tmp_path / "source" / name[: -len(".tar.gz")]
    assert f"{top.name}/PKG-INFO" in names and f"{top.name}/go/vendor/modules.txt" in names
    environment = {**os.environ, "GOFLAGS": "-mod=vendor", "GOPROXY": "off", "GOWORK": "off"}
    for platform in ("linux/amd64", "darwin/arm64", "windows/arm64"):  # all imports and embedded files are there
        environment["GOOS"], environment["GOARCH"] = platform.split("/")
        subprocess.run(
            ["go", "list", "-deps", "./cmd/inpoly", "./bindings/c"], cwd=top / "go", check=True, stdout=subprocess.DEVNULL,
            env={**environment, "CGO_ENABLED": "1"},
        )  # fmt: skip
    if "INPOLY_FULL" in os.environ:
        build = [sys.executable, top / "backend" / "inpoly_build.py"]
        environment = {**os.environ, "GOPROXY": "off"}
        subprocess.run([*build, "wheel", tmp_path], check=True, env=environment)
        subprocess.run([*build, "sdist", tmp_path], check=True, env=environment)
        assert (tmp_path / name).read_bytes() == first  # an archive of the archive


def test_structures_have_the_layout_of_the_header(tmp_path):
    if shutil.which("gcc") is None:
        pytest.skip("gcc is missing")
    kinds = {
        "options": _structs.Options, "mesh": _structs.Mesh, "points": _structs.Points, "answers": _structs.Answers,
        "info": _structs.Info, "lines": _structs.Lines, "hits": _structs.Hits, "hit_list": _structs.HitList,
        "interval_list": _structs.IntervalList,
    }  # fmt: skip
    lines = ["#include <stdio.h>", '#include "inpoly.h"', "int main(void) {"]
    want = []
    for name, kind in kinds.items():
        lines.append(f'  printf("%zu\\n", sizeof(inpoly_{name}));')
        want.append(ctypes.sizeof(kind))
        for field, _ in kind._fields_:
            lines.append(f'  printf("%zu\\n", offsetof(inpoly_{name}, {field}));')
            want.append(getattr(kind, field).offset)
    numbers = {"TYPE_FLOAT64": _structs.FLOAT64, "TYPE_FLOAT32": _structs.FLOAT32, "ABI_VERSION": _structs.ABI_VERSION}
    numbers.update({f"SIDE_{s.name}": s.value for s in inpoly.Side}, BODY_FIRST=0, BODY_INNERMOST=1, BODY_COUNT=2)
    numbers.update({f"TYPE_{n.upper()}": v for n, v in _structs.INDEX_TYPES.items()})
    for name, value in numbers.items():
        lines.append(f'  printf("%d\\n", (int)INPOLY_{name});')
        want.append(value)
    (tmp_path / "layout.c").write_text("\n".join([*lines, "}"]))
    subprocess.run(["gcc", "-I", REPOSITORY / "bindings/c", "-o", tmp_path / "layout", tmp_path / "layout.c"], check=True)
    out = subprocess.run([tmp_path / "layout"], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert list(map(int, out.split())) == want
