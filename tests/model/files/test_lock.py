import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from model.files.lock import LockedError, locked

ROOT = Path(__file__).parents[3]
DIE_HOLDING_IT = """
import os, sys
from pathlib import Path
from model.files.lock import LockedError, locked
log = open(sys.argv[2], "a")
while True:
    try:
        with locked(Path(sys.argv[1])):
            for word in ("in", "out"):
                log.write(f"{word} {os.getpid()}\\n")
                log.flush()
                os.sched_yield() if hasattr(os, "sched_yield") else None
            os._exit(0)
    except LockedError:
        pass
"""


def ended() -> int:
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return done.pid


def test_a_lock_names_its_holder_and_goes_with_it(tmp_path):
    path = tmp_path / "x.lock"
    with locked(path):
        assert path.read_text() == str(os.getpid())
    assert not path.exists()
    with pytest.raises(KeyError), locked(path):
        raise KeyError
    assert not path.exists()


@pytest.mark.parametrize("holder", ["the parent", ""])
def test_a_lock_that_is_held_is_left_alone(tmp_path, holder):
    path = tmp_path / "x.lock"
    path.write_text(str(os.getppid()) if holder else "")  # empty: still being written
    named = f"process {os.getppid()}" if holder else "another process"
    message = f"x.lock is held by {named}: wait .* delete the file"
    with pytest.raises(LockedError, match=message), locked(path):
        pytest.fail("two hold it")
    assert path.exists()


def test_what_an_ended_process_left_is_taken_over(tmp_path):
    path = tmp_path / "x.lock"
    path.write_text(str(ended()))
    with locked(path):
        assert path.read_text() == str(os.getpid())
    assert not path.exists()


def test_of_many_that_find_it_left_one_takes_it_over(tmp_path):
    path, log = tmp_path / "x.lock", tmp_path / "log"
    path.write_text(str(ended()))
    command = [sys.executable, "-c", DIE_HOLDING_IT, str(path), str(log)]
    processes = [subprocess.Popen(command, cwd=ROOT) for _ in range(12)]
    while [process for process in processes if process.poll() is None]:  # asks all: no zombies
        time.sleep(0.01)
    lines = log.read_text().splitlines()
    holders = [line.removeprefix("in ") for line in lines[::2]]
    assert lines == [f"{word} {holder}" for holder in holders for word in ("in", "out")]
    assert sorted(map(int, holders)) == sorted(process.pid for process in processes)
