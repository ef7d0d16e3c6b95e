"""The command: ``python -m inpoly`` is the same as ``inpoly``."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn


def _open_for_writing_only(stream: int) -> None:
    """Open /dev/null again if ``subprocess.DEVNULL`` has opened it for reading too.

    The command takes such a stream for a closed one, because its runtime opens /dev/null in the same way
    in the place of a closed stream. A stream that is closed stays closed, and the command says so.
    """
    if sys.platform != "win32":
        import fcntl

        try:
            status, null = os.fstat(stream), os.stat(os.devnull)
            both = fcntl.fcntl(stream, fcntl.F_GETFL) & (os.O_WRONLY | os.O_RDWR) == os.O_RDWR
            if (status.st_mode, status.st_rdev) == (null.st_mode, null.st_rdev) and both:
                opened = os.open(os.devnull, os.O_WRONLY)
                os.dup2(opened, stream)
                os.close(opened)
        except OSError:
            pass


def main() -> NoReturn:
    """Run the command with the arguments of this process."""
    windows = sys.platform == "win32"
    command = Path(__file__).with_name("inpoly.exe" if windows else "inpoly-command")
    if not command.exists():
        sys.exit(f"inpoly: the command is missing from this installation: {command}")
    arguments = ["inpoly", *sys.argv[1:]]
    if not windows:
        for stream in 1, 2:
            _open_for_writing_only(stream)
        try:
            if not os.access(command, os.X_OK):  # unpacked by a program that ignores permissions
                command.chmod(0o755)
            os.execv(command, arguments)
        except PermissionError:
            sys.exit(f"inpoly: the command is not executable: run chmod +x {command}")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command handles Ctrl-C
    sys.exit(subprocess.run(arguments, executable=str(command), check=False).returncode)


if __name__ == "__main__":
    main()
