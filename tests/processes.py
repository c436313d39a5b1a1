"""Wait for processes, and check whether they are still there."""

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
    """Return whether a process runs; a zombie, which may never be reaped, does not."""
    return bool(_state(pid)) and not _state(pid).startswith("Z")


def is_there(pid: int) -> bool:
    """Return whether a process runs or is a zombie that has not been reaped."""
    return bool(_state(pid))


def python(script: str) -> tuple[str, ...]:
    """Return the command of a Python process that plays a worker."""
    return (sys.executable, "-c", script)


def server(script: str) -> subprocess.Popen[str]:
    """Start a process that plays the server, with its output readable."""
    return subprocess.Popen(
        python(script), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def in_session(leader: int) -> list[int]:
    """List the running processes of a session."""
    if _PROC.is_dir():
        pids = [int(path.name) for path in _PROC.glob("[0-9]*")]
        found = [(pid, fields) for pid in pids if (fields := _fields(pid))]
        rows = [(int(fields[3]), pid, fields[0]) for pid, fields in found]
    else:
        told = subprocess.check_output(["ps", "-eo", "pgid=,pid=,stat="], text=True)
        lines = [line.split() for line in told.splitlines()]  # the group's id is the leader's
        rows = [(int(group), int(pid), state) for group, pid, state in lines]
    return [pid for session, pid, state in rows if session == leader and state[0] != "Z"]


_PROC = Path("/proc")
"""The process files on Linux, read directly because a small container has no ps."""


def _fields(pid: int) -> list[str]:
    """Return the fields of a process from its state on, or an empty list if it is gone."""
    with suppress(OSError):
        return (_PROC / str(pid) / "stat").read_text("utf-8").rpartition(")")[2].split()
    return []


def _state(pid: int) -> str:
    """Return the letters of a process's state, or an empty string if it is gone."""
    if _PROC.is_dir():
        return (_fields(pid) or [""])[0]
    probe = ["ps", "-o", "stat=", "-p", str(pid)]
    return subprocess.run(probe, capture_output=True, text=True, check=False).stdout.strip()
