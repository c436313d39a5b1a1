import platform
import subprocess
import sys
from pathlib import Path

import pytest

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
    done = subprocess.run(  # a process of its own: the setting stays
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
