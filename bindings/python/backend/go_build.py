"""The parts in Go: the shared library, the command, their sources and their licenses."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional

LIBRARY, COMMAND = "./bindings/c", "./cmd/inpoly"
GODEBUG = "bindings/c/godebug.tmpl"  # a template of "go list"

# Platforms whose packages the source archive has, with the files for all platforms in them.
_PLATFORMS = [("linux", "amd64"), ("darwin", "arm64"), ("windows", "amd64")]

_NOTICE = re.compile(r"(un)?licen[cs]e|copying|notice|patents|copyright", re.IGNORECASE)


# Settings of the user that would change the files.
_SETTINGS = {"GOWORK": "off", "GOFLAGS": "", "GOEXPERIMENT": "", "GOAMD64": "v1", "GOARM64": "v8.0", "GO386": "sse2"}


class Go:
    """The go command in the root of the repository or of the copy in a source archive."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.system, self.arch, self.goroot = self.run("env", "GOOS", "GOARCH", "GOROOT").split("\n")[:3]

    def run(self, *arguments: str, **environment: str) -> str:
        """Return the output of a go command."""
        try:
            done = subprocess.run(
                ["go", *arguments],
                cwd=self.root,
                env={**os.environ, **_SETTINGS, **environment},
                stdout=subprocess.PIPE,
                text=True,
                check=False,
            )
        except FileNotFoundError:
            raise SystemExit("building inpoly needs Go 1.26 or newer: https://go.dev/dl") from None
        if done.returncode:
            raise SystemExit(f"go {' '.join(arguments)} failed")
        return done.stdout

    def build(self, package: str, out: Path, version: str, shared: bool) -> None:
        """Build the library, or the command without cgo."""
        flags = f"-s -w -buildid= -X github.com/inpoly/inpoly/internal/version.version=v{version}"
        if shared:
            flags += f" -X runtime.godebugDefault={self.godebug()}"
        if shared and self.system == "linux":
            flags += " -extldflags=-Wl,--build-id=none"
        mode = ["-buildmode=c-shared"] if shared else []
        self.run(
            "build", *mode, "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", str(out), package,
            CGO_ENABLED="1" if shared else "0",
        )  # fmt: skip

    def godebug(self) -> str:
        """Return the defaults of GODEBUG of the library, to which the template appends."""
        template = (self.root / GODEBUG).read_text("utf-8")
        return self.run("list", "-f", template, LIBRARY, CGO_ENABLED="1").strip()

    def library_name(self) -> str:
        """Return the name of the shared library."""
        return "libinpoly" + {"windows": ".dll", "darwin": ".dylib"}.get(self.system, ".so")

    def command_name(self) -> str:
        """Return the name of the command in the Python package."""
        return "inpoly.exe" if self.system == "windows" else "inpoly-command"

    def packages(self, **environment: str) -> Iterator[Dict[str, Any]]:
        """Yield the packages that are linked, as "go list -json" describes them."""
        text = self.run("list", "-deps", "-json=ImportPath,Dir,Module,EmbedFiles", LIBRARY, COMMAND, **environment)
        decoder, at = json.JSONDecoder(), 0
        while at < len(text.rstrip()):
            package, at = decoder.raw_decode(text, at)
            at += 1  # a line end
            yield package

    def licenses(self) -> Dict[str, bytes]:
        """Return the notices of all linked modules and of Go, by their paths."""
        folders = {"go": {self.goroot: [self.goroot]}}
        for package in self.packages():
            module = package.get("Module")
            if module is None or module.get("Main"):
                continue
            top = Path(module.get("Dir") or self.root / "vendor" / module["Path"])
            inside = Path(package["Dir"])
            parents = [p for p in (inside, *inside.parents) if p == top or top in p.parents]
            folders.setdefault(module["Path"], {}).setdefault(str(top), []).extend(map(str, parents))
        found = {}
        for module, tops in folders.items():
            for top, inside_top in tops.items():
                for folder in {top, *inside_top}:
                    for file in Path(folder).iterdir():
                        if file.is_file() and _NOTICE.match(file.name) and file.suffix != ".go":
                            found[f"{module}/{file.relative_to(top).as_posix()}"] = file.read_bytes()
        return found

    def sources(self) -> List[Path]:
        """Return the files of this module that the builds for all platforms need."""
        files = {self.root / GODEBUG}
        for system, arch in _PLATFORMS:
            for package in self.packages(GOOS=system, GOARCH=arch, CGO_ENABLED="1"):
                if not package.get("Module", {}).get("Main"):
                    continue
                folder = Path(package["Dir"])
                files.update(folder / name for name in package.get("EmbedFiles") or [])
                for f in folder.iterdir():
                    if f.suffix in (".go", ".s", ".h", ".c") and not f.name.endswith("_test.go"):
                        files.add(f)
        return sorted(files)


def version(root: Path) -> str:
    """Return the tag of the commit, or else the newest version of CHANGELOG.md, without the v."""
    tag = _tag(root)
    if tag:
        return tag
    found = re.search(r"^## v([0-9]+\.[0-9]+\.[0-9]+)\b", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    if not found:
        raise SystemExit("CHANGELOG.md has no version")
    return found[1]


def _tag(root: Path) -> Optional[str]:
    if not (root / ".git").exists():
        return None
    try:
        tags = subprocess.run(
            ["git", "tag", "--points-at", "HEAD"], cwd=root, stdout=subprocess.PIPE, text=True, check=True
        ).stdout.split()
    except (OSError, subprocess.CalledProcessError):
        return None
    versions = [m for m in (re.fullmatch(r"v(\d+)\.(\d+)\.(\d+)(?:-rc\.(\d+))?", t) for t in tags) if m]
    if not versions:
        return None
    newest = max(versions, key=lambda m: (int(m[1]), int(m[2]), int(m[3]), m[4] is None, int(m[4] or 0)))
    return f"{newest[1]}.{newest[2]}.{newest[3]}" + (f"rc{newest[4]}" if newest[4] else "")
