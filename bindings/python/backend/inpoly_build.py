"""Builds the wheel and the source archive. A backend of PEP 517, and a command:

    python3 backend/inpoly_build.py wheel|sdist FOLDER

It needs Go and a C compiler, and only the standard library of Python. The same sources, compilers and
platform give the same bytes. In a clone, the modules of Go come from its cache or the network. A
source archive contains them.
"""

import ast
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Dict, List, Optional

sys.path.insert(0, str(Path(__file__).resolve().parent))

from archives import Files, write_sdist, write_wheel  # noqa: E402
from go_build import COMMAND, LIBRARY, Go, version  # noqa: E402
from platform_tag import platform_tag  # noqa: E402

HERE = Path(__file__).resolve().parent.parent
GENERATED = ("_version.py", "inpoly-command", "inpoly.exe")

# Options of pip and other front ends, which have no effect.
Config = Optional[Dict[str, Any]]


def get_requires_for_build_wheel(config_settings: Config = None) -> List[str]:
    return []


def get_requires_for_build_sdist(config_settings: Config = None) -> List[str]:
    return []


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Config = None) -> str:
    number = _version()
    folder = f"inpoly-{number}.dist-info"
    for name, content in _dist_info(number, "py3-none-any").items():
        file = Path(metadata_directory, folder, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return folder


def build_wheel(wheel_directory: str, config_settings: Config = None, metadata_directory: Optional[str] = None) -> str:
    number, go = _version(), Go(_go_root())
    files = {f"inpoly/{name}": content for name, content in _package().items()}
    files["inpoly/_version.py"] = f'"""The version of the package."""\n\n__version__ = "{number}"\n'.encode()
    library, command = f"inpoly/{go.library_name()}", f"inpoly/{go.command_name()}"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        go.build(LIBRARY, out / go.library_name(), number, shared=True)
        go.build(COMMAND, out / go.command_name(), number, shared=False)
        tag = "py3-none-" + platform_tag(out / go.library_name())
        files[library] = (out / go.library_name()).read_bytes()
        files[command] = (out / go.command_name()).read_bytes()
    info = f"inpoly-{number}.dist-info"
    for name, content in _dist_info(number, tag).items():
        files[f"{info}/{name}"] = content
    files[f"{info}/licenses/LICENSE"] = (_go_root() / "LICENSE").read_bytes()
    for name, content in go.licenses().items():
        files[f"{info}/licenses/{name}"] = content
    name = f"inpoly-{number}-{tag}.whl"
    write_wheel(Path(wheel_directory, name), files, {library, command}, f"{info}/RECORD")
    return name


def build_sdist(sdist_directory: str, config_settings: Config = None) -> str:
    number, root = _version(), _go_root()
    files = {f"src/inpoly/{name}": content for name, content in _package().items()}
    for folder in ("backend", "tests"):
        files.update((f"{folder}/{name}", content) for name, content in _read(HERE / folder).items())
    for name in ("pyproject.toml", "README.md"):
        files[name] = (HERE / name).read_bytes()
    files["PKG-INFO"] = _metadata(number)
    files["LICENSE"] = (root / "LICENSE").read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in ["go.mod", "go.sum", "LICENSE"]:
            shutil.copy(root / name, copy / name)
        for file in Go(root).sources():
            to = copy / file.relative_to(root)
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, to)
        if (root / "vendor").exists():  # root is the folder of a source archive
            shutil.copytree(root / "vendor", copy / "vendor")
        else:
            Go(copy).run("mod", "vendor")
        files.update((f"go/{name}", content) for name, content in _read(copy).items())
    base = f"inpoly-{number}"
    write_sdist(Path(sdist_directory, base + ".tar.gz"), base, files, set())
    return base + ".tar.gz"


def _go_root() -> Path:
    return HERE / "go" if (HERE / "go").exists() else HERE.parent.parent


def _version() -> str:
    info = HERE / "PKG-INFO"
    if info.exists():
        return next(line[9:] for line in info.read_text("utf-8").splitlines() if line.startswith("Version: "))
    return version(_go_root())


def _read(folder: Path) -> Files:
    """Return all files in a folder, except those that Python writes."""
    return {
        p.relative_to(folder).as_posix(): p.read_bytes()
        for p in folder.rglob("*")
        if p.is_file() and not {"__pycache__", ".pytest_cache", ".mypy_cache"} & set(p.parts)
    }


def _package() -> Files:
    found = _read(HERE / "src" / "inpoly")
    return {n: c for n, c in found.items() if n not in GENERATED and not n.startswith("libinpoly.")}


def _dist_info(number: str, tag: str) -> Files:
    return {
        "METADATA": _metadata(number),
        "WHEEL": f"Wheel-Version: 1.0\nGenerator: inpoly\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
        "entry_points.txt": _entry_points(),
        "top_level.txt": b"inpoly\n",
    }


def project_tables() -> Dict[str, Dict[str, Any]]:
    """Return the tables of pyproject.toml whose names begin with "project".

    Python has a reader of TOML from 3.11 on. This one knows strings and lists of strings, which have the same form in
    Python.
    """
    tables: Dict[str, Dict[str, Any]] = {}
    table: Dict[str, Any] = {}
    key = ""
    value = ""
    for line in (HERE / "pyproject.toml").read_text("utf-8").splitlines():
        if not value and line.startswith("["):
            name = line.strip("[]")
            table = tables.setdefault(name, {}) if name.split(".")[0] == "project" else {}
            continue
        if not value and "=" in line:
            key, value = (part.strip() for part in line.split("=", 1))
        elif value:
            value += line.strip()
        if value and value.count("[") == value.count("]"):
            if value[0] in '["':
                table[key] = ast.literal_eval(value)
            value = ""
    return tables


def _entry_points() -> bytes:
    scripts = project_tables()["project.scripts"]
    return "".join(["[console_scripts]\n", *(f"{name} = {target}\n" for name, target in scripts.items())]).encode()


def _metadata(number: str) -> bytes:
    tables = project_tables()
    project = tables["project"]
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {number}",
        f"Summary: {project['description']}",
        f"Keywords: {','.join(project['keywords'])}",
        f"License-Expression: {project['license']}",
        *(f"License-File: {f}" for f in project["license-files"]),
        *(f"Classifier: {c}" for c in project["classifiers"]),
        *(f"Project-URL: {label}, {url}" for label, url in tables["project.urls"].items()),
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {r}" for r in project["dependencies"]),
        "Description-Content-Type: text/markdown",
        "",
        (HERE / project["readme"]).read_text("utf-8"),
    ]
    return "\n".join(lines).encode()


def main(arguments: List[str]) -> None:
    kinds = {"wheel": build_wheel, "sdist": build_sdist}
    if len(arguments) != 2 or arguments[0] not in kinds:
        raise SystemExit("usage: inpoly_build.py wheel|sdist FOLDER")
    Path(arguments[1]).mkdir(parents=True, exist_ok=True)
    name = kinds[arguments[0]](arguments[1])
    path = Path(arguments[1], name)
    print(f"{path} {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
