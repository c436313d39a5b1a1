"""Memory after many different runs, counted by the allocator, less the results that are kept.

MKL keeps buffers of its own for its products. It allocates them once: 22 MB on an Intel processor
with AVX-512, in five pieces that 120 runs do not change, and less than 1 MB elsewhere. So they are
counted separately if this build of torch exports MKL's own count.
"""

import os
import platform
import subprocess
import sys

import pytest

from tests.browsing import ROOT

MEASURE = """
import ctypes, os, torch
from sample_data.tasks import load_held_out
from viz.models import running
from viz.run.result_cache import kept_bytes
from viz.run.inputs import Inputs
from viz.subjects.attention.cache import head_damage

class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split())]

count = ctypes.CDLL(None).mallinfo2
count.restype = Info
sources = [pair.source for pair in load_held_out("everyday")]
lengths = [" ".join((" ".join(sources[n:])).split()[: 5 + n]) for n in range(40)]

library = os.path.join(torch.__path__[0], "lib", "libtorch_cpu.so")
mkl = getattr(ctypes.CDLL(library), "mkl_serv_mem_stat", None) if os.path.exists(library) else None
if mkl:
    mkl.restype = ctypes.c_int64

def products():
    return mkl(ctypes.byref(ctypes.c_int())) if mkl else 0

def taken():
    info = count()
    return info.uordblks + info.hblkhd - kept_bytes() - products()

for n, source in enumerate(lengths):
    if n == 10:
        before = taken()
    if n == 20:
        buffers = products()
    head_damage(running.open_view(Inputs("everyday-paper-0", source, "", "cpu")))
print(taken() - before, products() - buffers)
"""
"""Each sentence has another length and its heads are cut in one batch, so the shapes differ."""


def has_its_count() -> bool:
    library, version = platform.libc_ver()
    return library == "glibc" and tuple(map(int, version.split("."))) >= (2, 33)


@pytest.mark.slow
@pytest.mark.skipif(not has_its_count(), reason="glibc's count")
def test_what_is_taken_beside_the_budget_does_not_grow_with_the_runs():
    done = subprocess.run(
        [sys.executable, "-c", MEASURE],
        cwd=ROOT,
        env=os.environ | {"LOUPE_MEMORY": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    grown, buffers = map(int, done.stdout.split())
    assert grown < 5_000_000
    assert buffers < 1_000_000
