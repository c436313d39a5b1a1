import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loupe import tied
from loupe.tied import Tied
from tests.browsing import ROOT

PATIENCE = 30.0
WAITING = "import time, os, sys; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(60)"
OWNER = "from loupe.tied import Tied; import sys, time; Tied(sys.argv[1:]); time.sleep(60)"
PARENT = (
    "import subprocess, sys; subprocess.Popen([sys.executable, '-c', *sys.argv[1:]]);"
    "import time; time.sleep(60)"
)


def waiting_pid(file: Path, patience: float = PATIENCE) -> int:
    """Wait until a program has said which process it is."""
    ends = time.monotonic() + patience
    while not (file.exists() and file.read_text()):
        assert time.monotonic() < ends
        time.sleep(0.02)
    return int(file.read_text())


def is_running(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and that nobody has asked after does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # gone before it was looked up, or meanwhile
        return False


def wait_for_end(pid: int) -> None:
    ends = time.monotonic() + PATIENCE
    while is_running(pid):
        assert time.monotonic() < ends, "it still runs"
        time.sleep(0.02)


linux = pytest.mark.skipif(sys.platform != "linux", reason="looks processes up in /proc")


def test_it_gives_the_status_of_what_ended_by_itself() -> None:
    program = Tied([sys.executable, "-c", "raise SystemExit(7)"])
    while program.status is None:
        time.sleep(0.02)
    assert program.status == 7
    assert program.end() == 7


@linux
def test_ending_it_ends_its_children_and_removes_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "profile"
    (folder / "deep").mkdir(parents=True)
    told = tmp_path / "pid"
    program = Tied([sys.executable, "-c", PARENT, WAITING, str(told)], remove=folder)
    child = waiting_pid(told)
    assert folder.exists()
    program.end()
    wait_for_end(child)
    assert not folder.exists()


@linux
def test_it_ends_with_an_owner_that_was_killed(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    command = [sys.executable, "-c", OWNER, sys.executable, "-c", WAITING, str(told)]
    with subprocess.Popen(command, cwd=ROOT) as owner:
        child = waiting_pid(told)
        assert is_running(child)
        os.kill(owner.pid, signal.SIGKILL)
    wait_for_end(child)


@linux
def test_one_that_does_not_hear_is_ended_all_the_same(tmp_path: Path, monkeypatch) -> None:
    told = tmp_path / "pid"
    deaf = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {WAITING}"
    program = subprocess.Popen([sys.executable, "-c", deaf, str(told)], start_new_session=True)
    waiting_pid(told)
    monkeypatch.setattr(tied, "_GRACE", 0.2)
    tied._end(program)
    assert program.wait(PATIENCE) == -signal.SIGKILL
