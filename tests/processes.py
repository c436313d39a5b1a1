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


def in_session(leader: int) -> list[int]:
    """List the processes of a session that run."""
    if _PROC.is_dir():
        pids = [int(path.name) for path in _PROC.glob("[0-9]*")]
        found = [(pid, fields) for pid in pids if (fields := _fields(pid))]
        rows = [(int(fields[3]), pid, fields[0]) for pid, fields in found]
    else:
        told = subprocess.check_output(["ps", "-eo", "pgid=,pid=,stat="], text=True)
        lines = [line.split() for line in told.splitlines()]  # the group has the leader's number
        rows = [(int(group), int(pid), state) for group, pid, state in lines]
    return [pid for session, pid, state in rows if session == leader and state[0] != "Z"]


_PROC = Path("/proc")
"""Read on Linux, since a small container has no ps."""


def _fields(pid: int) -> list[str]:
    """Return the state of a process, its parent, group, session and more; nothing if it is gone."""
    with suppress(OSError):
        return (_PROC / str(pid) / "stat").read_text("utf-8").rpartition(")")[2].split()
    return []


def _state(pid: int) -> str:
    """Return the letters of a process's state; nothing if it is gone."""
    if _PROC.is_dir():
        return (_fields(pid) or [""])[0]
    probe = ["ps", "-o", "stat=", "-p", str(pid)]
    return subprocess.run(probe, capture_output=True, text=True, check=False).stdout.strip()
