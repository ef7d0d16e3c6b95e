"""Archives whose bytes depend only on their content."""

import base64
import gzip
import hashlib
import io
import tarfile
import zipfile
from pathlib import Path
from typing import Dict, Set

Files = Dict[str, bytes]  # content by path, with slashes


def write_wheel(path: Path, files: Files, executable: Set[str], record: str) -> None:
    """Write a wheel. record is the path of the list of files, which is added."""
    lines = []
    for name in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(files[name])}\n")
    files = {**files, record: "".join([*lines, f"{record},,\n"]).encode()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        # Installers advise that the files of .dist-info come last.
        for name in sorted(files, key=lambda n: (".dist-info/" in n, n)):
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.create_system = 3  # Unix, on every machine
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o100755 if name in executable else 0o100644) << 16
            z.writestr(info, files[name])


def write_sdist(path: Path, root: str, files: Files, executable: Set[str]) -> None:
    """Write a .tar.gz file with all files in the folder root."""
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.PAX_FORMAT) as t:
        for name in sorted(files):
            info = tarfile.TarInfo(f"{root}/{name}")
            info.size = len(files[name])
            info.mode = 0o755 if name in executable else 0o644
            t.addfile(info, io.BytesIO(files[name]))
    with path.open("wb") as f, gzip.GzipFile("", "wb", 9, f, mtime=0) as z:
        z.write(tar.getvalue())
