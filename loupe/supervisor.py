"""Runs a program that does not outlive whoever asked for it, however that one ends.

`python supervisor.py [--remove FOLDER] PROGRAM ...` runs the program until it ends or the input
does: a pipe whose other end closes when its owner dies, on every system. Then the program and its
children are ended, and the folder that it used is removed. It needs only Python's own library.
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
"""Seconds that a program has for ending by itself."""


class Tied:
    """A program that ends with this process, or before."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        remove: Path | None = None,
        cwd: Path | None = None,
        output: IO[str] | int | None = None,
        errors: IO[str] | int | None = None,
    ) -> None:
        """Start it; `remove` is a folder that goes when it has ended."""
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
        """Its exit status; None while it runs."""
        return self._keeper.poll()

    def end(self) -> int:
        """End it and its children, and wait for that; give its exit status."""
        if self._keeper.stdin:
            self._keeper.stdin.close()
        return self._keeper.wait()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a program until it ends or the input does; give its exit status."""
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
        _end(program)  # its children too, where it has ended itself


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
    """Send a signal to a program and its children; elsewhere than on POSIX, end the program."""
    if os.name != "posix":
        program.terminate()
        return
    try:
        os.killpg(program.pid, getattr(signal, name))
    except (ProcessLookupError, PermissionError):  # none of them is there any more
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
