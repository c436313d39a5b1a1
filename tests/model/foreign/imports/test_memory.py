import pytest
import torch

from model.foreign.imports import memory
from model.foreign.imports.memory import Estimate, estimate, free_memory, in_words


def empty(numel: int, dtype: torch.dtype) -> torch.Tensor:
    return torch.empty(numel, dtype=dtype, device="meta")


def test_a_model_that_fits_is_float32(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 10_000_000_000)
    small = estimate([empty(1000, torch.bfloat16), empty(500, torch.float16)])
    assert (small.n_parameters, small.dtype, small.n_bytes) == (1500, torch.float32, 6000)
    small.check()


def test_a_larger_one_of_bfloat16_stays_so(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 10_000_000_000)
    large = estimate([empty(900_000_000, torch.bfloat16)])
    assert (large.dtype, large.n_bytes) == (torch.bfloat16, 1_800_000_000)
    large.check()
    other = estimate([empty(900_000_000, torch.float16)])
    assert other.dtype == torch.float32
    with pytest.raises(ValueError, match=r"would take 3\.6 GB of memory, and at most 2\.0 GB"):
        other.check()


def test_a_refusal_says_both_limits():
    tight = Estimate(n_parameters=400_000_000, dtype=torch.float32, free=3_000_000_000)
    assert tight.limit == 1_500_000_000
    with pytest.raises(ValueError, match=r"at most 1\.5 GB are loaded: 2\.0 GB, or half of the 3"):
        tight.check()
    unknown = Estimate(n_parameters=400_000_000, dtype=torch.float32, free=None)
    unknown.check()


def test_the_free_memory_is_the_least_that_anything_leaves(tmp_path, monkeypatch):
    assert free_memory() > 0
    machine, group = tmp_path / "meminfo", tmp_path / "group"
    group.mkdir()
    machine.write_text("MemTotal: 9000 kB\nMemAvailable: 5000 kB\n")
    monkeypatch.setattr(memory, "_MEMORY", machine)
    monkeypatch.setattr(memory, "_GROUPS", group)
    assert free_memory() == 5_120_000
    (group / "memory.max").write_text("3000000\n")
    (group / "memory.current").write_text("1000000\n")
    assert free_memory() == 2_000_000
    (group / "memory.max").write_text("max\n")
    assert free_memory() == 5_120_000


def test_sizes_are_written_for_people():
    assert [in_words(n) for n in (1_340_000_000, 27_400_000, 410_000)] == [
        "1.3 GB",
        "27 MB",
        "0.4 MB",
    ]
