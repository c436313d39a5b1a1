import platform
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
REPORT = "from model.memory import keep_freed_memory; print(keep_freed_memory())"


def test_takes_effect_where_glibc_is_and_nowhere_else():
    done = subprocess.run(  # a process of its own: the setting stays
        [sys.executable, "-c", REPORT], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(platform.libc_ver()[0] == "glibc")
