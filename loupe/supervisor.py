"""Runs a program that ends when its owner does, however the owner ends.

`python supervisor.py [--remove FOLDER] PROGRAM ...` runs the program until it ends or its input is
closed. The input is a pipe that closes when the owner dies, on every system. The supervisor then
ends the program and its children, and removes the folder. It needs only the standard library.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

_GRACE = 5.0
"""The time in which a program may end by itself, in seconds."""


class Tied:
    """A program that ends with this process or before it."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        remove: Path | None = None,
        cwd: Path | None = None,
        output: IO[str] | int | None = None,
        errors: IO[str] | int | None = None,
    ) -> None:
        """Start the program; `remove` is a folder to remove after its end."""
        options = ["--remove", str(remove)] if remove else []
        self._keeper = subprocess.Popen(
            [sys.executable, "-I", __file__, *options, "--", *command],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=errors,
            cwd=cwd,
            start_new_session=True,  # Ctrl-C is for this process, which ends the other
        )

    @property
    def status(self) -> int | None:
        """The program's exit status; None while it runs."""
        return self._keeper.poll()

    def end(self) -> int:
        """End the program and its children, wait for them, and return its exit status."""
        if self._keeper.stdin:
            self._keeper.stdin.close()
        return self._keeper.wait()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a program until it ends or the input is closed; return its exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--remove", type=Path)
    parser.add_argument("command", nargs="+")
    chosen = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return _run(chosen.command)
    finally:
        if chosen.remove:
            _remove(chosen.remove)


def _run(command: Sequence[str]) -> int:
    program = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        threading.Thread(target=_end_with_input, args=(program,), daemon=True).start()
        return program.wait()
    finally:
        _end(program)  # also its children, if it ended by itself


def _end_with_input(program: subprocess.Popen[bytes]) -> None:
    while os.read(0, 1 << 16):
        continue
    _end(program)


def _end(program: subprocess.Popen[bytes]) -> None:
    _tell(program, "SIGTERM")
    ends = time.monotonic() + _GRACE
    while program.poll() is None and time.monotonic() < ends:
        time.sleep(0.02)
    _tell(program, "SIGKILL")


def _tell(program: subprocess.Popen[bytes], name: str) -> None:
    """Send a signal to a program and its children; outside POSIX, end the program."""
    if os.name != "posix":
        program.terminate()
        return
    try:
        os.killpg(program.pid, getattr(signal, name))
    except (ProcessLookupError, PermissionError):  # all of them have ended
        return


def _remove(folder: Path) -> None:
    """Remove a folder into which the last of a program's processes may be writing."""
    ends = time.monotonic() + _GRACE
    while folder.exists():
        shutil.rmtree(folder, ignore_errors=True)
        if time.monotonic() > ends:
            return
        time.sleep(0.02)


if __name__ == "__main__":
    sys.exit(main())
