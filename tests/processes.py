"""Waits for what processes do, and looks whether they are still there."""

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def until(true: Callable[[], object], seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    """A zombie does not run: nobody may be there to collect it."""
    return bool(_state(pid)) and not _state(pid).startswith("Z")


def is_there(pid: int) -> bool:
    """Running, or a zombie that nobody has collected."""
    return bool(_state(pid))


def python(script: str) -> tuple[str, ...]:
    """A command that stands for a worker."""
    return (sys.executable, "-c", script)


def server(script: str) -> subprocess.Popen[str]:
    """A process that stands for the server; what it prints can be read."""
    return subprocess.Popen(
        python(script), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def _state(pid: int) -> str:
    """Return the letters of a process's state; nothing if it is gone."""
    if Path("/proc/self/stat").exists():  # a small container of Linux has no ps
        with suppress(OSError):
            return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
        return ""
    probe = ["ps", "-o", "stat=", "-p", str(pid)]
    return subprocess.run(probe, capture_output=True, text=True, check=False).stdout.strip()
