import platform
import subprocess
import sys
from pathlib import Path

import pytest

from model.memory.allocator import STEP, Trimmer

ROOT = Path(__file__).parents[3]
COUNT = """
import resource, sys
from model.memory.allocator import keep_freed_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    run = [b"x" * (8 << 20) for _ in range(12)]
    del run
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

kept = sys.argv[1] == "kept" and keep_freed_memory()
print(kept, faults(), faults())
"""


def faults_of_two_runs(setting: str) -> tuple[str, int, int]:
    done = subprocess.run(  # a process of its own, because the setting stays
        [sys.executable, "-c", COUNT, setting], cwd=ROOT, capture_output=True, text=True, check=True
    )
    kept, first, second = done.stdout.split()
    return kept, int(first), int(second)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc's setting")
def test_a_second_run_reuses_the_memory_of_the_first():
    kept, first, second = faults_of_two_runs("kept")
    assert kept == "True"
    assert second < first / 10
    _, first, second = faults_of_two_runs("as it is")
    assert second > first / 2


class _Process:
    """A simulated process with bytes in use and free bytes beside them."""

    def __init__(self, used: int, free: int) -> None:
        self.used, self.free, self.trims = used, free, 0

    def size(self) -> int:
        return self.used + self.free

    def trim(self) -> None:
        self.trims += 1
        self.free = 0


MB = 1_000_000


def test_a_process_is_trimmed_above_its_limit_and_again_once_it_has_grown():
    process = _Process(used=300 * MB, free=90 * MB)
    trimmer = Trimmer(400 * MB, process.size, process.trim)
    trimmer.trim()
    assert process.trims == 0  # below its limit, free memory serves the next run
    process.free = 150 * MB
    trimmer.trim()
    trimmer.trim()
    assert (process.trims, process.size()) == (1, 300 * MB)


def test_a_process_that_needs_more_than_its_limit_is_not_trimmed_at_each_run():
    process = _Process(used=900 * MB, free=0)
    trimmer = Trimmer(400 * MB, process.size, process.trim)
    for _ in range(10):
        process.free = STEP // 2
        trimmer.trim()
    assert process.trims == 1
    process.free = 2 * STEP
    trimmer.trim()
    assert process.trims == 2


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc's heaps")
def test_free_memory_between_what_is_in_use_goes_back_to_the_system():
    script = """
import sys
from model.memory.allocator import Trimmer, keep_freed_memory, resident
keep_freed_memory()
blocks = [bytes([1]) * 100_000 for _ in range(2_000)]
del blocks[::2], blocks[1::2]
before = resident()
Trimmer(0).trim()
print(before - resident())
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) > 100 * MB  # three of four blocks (150 MB) are free
