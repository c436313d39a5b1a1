import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from loupe import supervisor
from loupe.supervisor import Tied
from tests.browsing import ROOT
from tests.processes import is_running, until

WAITING = "import time, os, sys; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(60)"
OWNER = "from loupe.supervisor import Tied; import sys, time; Tied(sys.argv[1:]); time.sleep(60)"
PARENT = (
    "import subprocess, sys; subprocess.Popen([sys.executable, '-c', *sys.argv[1:]]);"
    "import time; time.sleep(60)"
)


def said_pid(file: Path) -> int:
    """Wait until a program has written its process id, and return it."""
    until(lambda: file.exists() and file.read_text())
    return int(file.read_text())


posix = pytest.mark.skipif(os.name != "posix", reason="looks processes up by ps")


def test_it_gives_the_status_of_what_ended_by_itself() -> None:
    program = Tied([sys.executable, "-c", "raise SystemExit(7)"])
    until(lambda: program.status is not None)
    assert program.status == 7
    assert program.end() == 7


@posix
def test_ending_it_ends_its_children_and_removes_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "profile"
    (folder / "deep").mkdir(parents=True)
    told = tmp_path / "pid"
    program = Tied([sys.executable, "-c", PARENT, WAITING, str(told)], remove=folder)
    child = said_pid(told)
    assert folder.exists()
    program.end()
    until(lambda: not is_running(child))
    assert not folder.exists()


@posix
def test_it_ends_with_an_owner_that_was_killed(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    command = [sys.executable, "-c", OWNER, sys.executable, "-c", WAITING, str(told)]
    with subprocess.Popen(command, cwd=ROOT) as owner:
        child = said_pid(told)
        assert is_running(child)
        os.kill(owner.pid, signal.SIGKILL)
    until(lambda: not is_running(child))


@posix
def test_one_that_does_not_hear_is_ended_all_the_same(tmp_path: Path, monkeypatch) -> None:
    told = tmp_path / "pid"
    deaf = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {WAITING}"
    program = subprocess.Popen([sys.executable, "-c", deaf, str(told)], start_new_session=True)
    said_pid(told)
    monkeypatch.setattr(supervisor, "_GRACE", 0.2)
    supervisor._end(program)
    assert program.wait(30) == -signal.SIGKILL
