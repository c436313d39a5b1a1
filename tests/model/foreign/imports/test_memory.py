import pytest
import torch

from model.foreign.imports import memory
from model.foreign.imports.memory import Estimate, estimate, free_memory, in_words


def empty(numel: int, dtype: torch.dtype) -> torch.Tensor:
    return torch.empty(numel, dtype=dtype, device="meta")


def test_what_is_kept_is_of_the_type_of_all_weights_or_float32(monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 10_000_000_000)
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        same = estimate([empty(1000, dtype), empty(500, dtype)])
        assert (same.n_parameters, same.dtype) == (1500, dtype)
        assert same.n_bytes == 1500 * dtype.itemsize
    mixed = estimate([empty(1000, torch.bfloat16), empty(500, torch.float16)])
    assert (mixed.dtype, mixed.n_bytes) == (torch.float32, 6000)
    assert estimate([empty(1, torch.float16)]).in_words == "0.0 MB in float16"


@pytest.mark.parametrize(
    ("size", "free", "mapped"),
    [(1.9, 10, False), (2.1, 10, True), (1.9, 3, True), (1.4, 3, False), (1.9, None, False)],
)
def test_what_has_no_room_to_be_read_is_mapped(size, free, mapped):
    free = None if free is None else free * 10**9
    found = Estimate(n_parameters=int(size * 1e9 / 2), dtype=torch.bfloat16, free=free)
    found.check()
    assert found.is_mapped == mapped


def test_a_refusal_says_what_is_free():
    tight = Estimate(n_parameters=700_000_000, dtype=torch.float32, free=3_000_000_000)
    with pytest.raises(
        ValueError, match=r"take 2\.8 GB of memory, but Loupe loads at most 2\.7 GB of"
    ):
        tight.check()
    unknown = Estimate(n_parameters=600_000_000, dtype=torch.float32, free=None)
    with pytest.raises(ValueError, match=r"loads at most 2\.0 GB; choose"):
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
