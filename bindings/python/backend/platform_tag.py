"""The platform tag of a wheel, from the shared library in it."""

import re
import struct
from pathlib import Path

# Machines in the names of wheels, by the numbers in ELF files.
_ELF_MACHINES = {3: "i686", 40: "armv7l", 62: "x86_64", 183: "aarch64", 243: "riscv64"}
_MACH_MACHINES = {0x01000007: "x86_64", 0x0100000C: "arm64"}
_PE_MACHINES = {0x014C: "win32", 0x8664: "win_amd64", 0xAA64: "win_arm64"}

# Older tags than these do not exist, or no system that has them can run Go.
_OLDEST_GLIBC = (2, 17)
_OLDEST_MUSL = (1, 2)
_OLDEST_MACOS = (11, 0)


def platform_tag(path: Path) -> str:
    """Return a tag such as manylinux_2_34_x86_64."""
    data = path.read_bytes()
    if data[:4] == b"\x7fELF":
        return _elf_tag(Elf(data))
    if data[:4] == b"\xcf\xfa\xed\xfe":
        return _mach_tag(data)
    if data[:2] == b"MZ":
        (header,) = struct.unpack_from("<I", data, 0x3C)
        return _PE_MACHINES[struct.unpack_from("<H", data, header + 4)[0]]
    raise ValueError(f"{path}: neither ELF nor Mach-O nor PE")


def _elf_tag(elf: "Elf") -> str:
    machine = _ELF_MACHINES[elf.machine]
    if any("musl" in name for name in elf.needed):
        return "musllinux_%d_%d_%s" % (*_OLDEST_MUSL, machine)
    return "manylinux_%d_%d_%s" % (*max(elf.glibc(), _OLDEST_GLIBC), machine)


class Elf:
    """What an ELF file for a little-endian machine needs at run time.

    Attributes: machine is the number of the machine, needed lists the names of shared libraries, and
    versions the symbol versions, such as GLIBC_2.34.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._wide = data[4] == 2
        if data[5] != 1:
            raise ValueError("ELF file for a big-endian machine")
        (self.machine,) = struct.unpack_from("<H", data, 18)
        self._segments = list(self._program_headers())
        entries = self._dynamic()
        values = dict(entries)
        strings = self._offset(values[5])  # DT_STRTAB

        def text(at: int) -> str:
            return data[strings + at : data.index(b"\0", strings + at)].decode()

        self.needed = [text(value) for tag, value in entries if tag == 1]  # DT_NEEDED
        self.versions = []
        at = self._offset(values.get(0x6FFFFFFE, 0))  # DT_VERNEED
        for _ in range(values.get(0x6FFFFFFF, 0)):  # DT_VERNEEDNUM
            _, count, _, first, following = struct.unpack_from("<HHIII", data, at)
            need = at + first
            for _ in range(count):
                name, step = struct.unpack_from("<II", data, need + 8)
                self.versions.append(text(name))
                need += step
            at += following

    def glibc(self) -> "tuple[int, int]":
        """Return the newest version of glibc that a symbol needs."""
        found = [re.fullmatch(r"GLIBC_(\d+)\.(\d+)(\.\d+)?", v) for v in self.versions]
        return max(((int(m[1]), int(m[2])) for m in found if m), default=(0, 0))

    def _program_headers(self):  # type: ignore[no-untyped-def]
        """Yield type, offset, address and size in the file of each segment."""
        if self._wide:
            (table,) = struct.unpack_from("<Q", self._data, 32)
            size, count = struct.unpack_from("<HH", self._data, 54)
        else:
            (table,) = struct.unpack_from("<I", self._data, 28)
            size, count = struct.unpack_from("<HH", self._data, 42)
        for i in range(count):
            if self._wide:
                kind, _, offset, address, _, length = struct.unpack_from("<IIQQQQ", self._data, table + i * size)
            else:
                kind, offset, address, _, length = struct.unpack_from("<IIIII", self._data, table + i * size)
            yield kind, offset, address, length

    def _offset(self, address: int) -> int:
        for kind, offset, start, length in self._segments:
            if kind == 1 and start <= address < start + length:  # PT_LOAD
                return int(address - start + offset)
        return 0

    def _dynamic(self):  # type: ignore[no-untyped-def]
        form = "<QQ" if self._wide else "<II"
        entries = []
        for kind, offset, _, length in self._segments:
            if kind == 2:  # PT_DYNAMIC
                for at in range(offset, offset + length, struct.calcsize(form)):
                    tag, value = struct.unpack_from(form, self._data, at)
                    if tag == 0:
                        break
                    entries.append((tag, value))
        return entries


def _mach_tag(data: bytes) -> str:
    machine, _, _, commands = struct.unpack_from("<IIII", data, 4)
    version, at = _OLDEST_MACOS, 32
    for _ in range(commands):
        command, size = struct.unpack_from("<II", data, at)
        if command in (0x24, 0x32):  # LC_VERSION_MIN_MACOSX, LC_BUILD_VERSION
            (number,) = struct.unpack_from("<I", data, at + (8 if command == 0x24 else 12))
            version = max(version, (number >> 16, number >> 8 & 255))
        at += size
    minor = version[1] if version[0] < 11 else 0  # from macOS 11 on, tags have the major version only
    return "macosx_%d_%d_%s" % (version[0], minor, _MACH_MACHINES[machine])
