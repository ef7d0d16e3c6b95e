"""The command: ``python -m inpoly`` is the same as ``inpoly``."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn


def main() -> NoReturn:
    """Run the command with the arguments of this process."""
    windows = sys.platform == "win32"
    command = Path(__file__).with_name("inpoly.exe" if windows else "inpoly-command")
    if not command.exists():
        sys.exit(f"inpoly: the command is missing from this installation: {command}")
    arguments = ["inpoly", *sys.argv[1:]]
    if not windows:
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
