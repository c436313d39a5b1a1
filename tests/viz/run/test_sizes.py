from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch

from model.checkpoints.checkpoint import load_checkpoint
from viz.run.making import make_run
from viz.run.sizes import size_of

MB = 1_000_000
SLACK = 30_000
"""Bytes that the Python objects around the numbers may take."""


@dataclass(frozen=True, eq=False)
class Record:
    values: object
    text: str = ""


def million() -> torch.Tensor:
    return torch.zeros(MB // 4)


@pytest.mark.parametrize(
    "value",
    [
        million(),
        million().numpy(),
        np.zeros(MB // 8),
        bytes(MB),
        "a" * MB,
        pa.table({"code": np.zeros(MB, dtype=np.uint8)}),
        pd.DataFrame(np.zeros((125, MB // 1000))),
        pd.DataFrame({"word": [f"{i:05} {'a' * 994}" for i in range(1000)]}),
        Record(Record(million())),
        {"name": [million()]},
        MappingProxyType({"name": (million(),)}),
        torch.zeros(2, MB // 8)[1],  # a view keeps its whole tensor
        np.zeros((2, MB // 16))[1],
    ],
    ids=lambda value: type(value).__name__,
)
def test_counts_what_a_value_holds(value):
    assert MB <= size_of(value) < MB + SLACK


def test_what_is_shared_counts_once():
    values = million()
    shared = Record([values, values.numpy(), values.view(2, -1), {"again": values}])
    assert MB <= size_of(shared) < MB + SLACK
    assert 2 * MB <= size_of([values, values.clone()]) < 2 * MB + SLACK


def test_a_checkpoint_counts_its_weights_and_a_run_does_not(checkpoints_folder):
    checkpoint = load_checkpoint(checkpoints_folder / "everyday-paper")
    weights = sum(4 * parameter.numel() for parameter in checkpoint.model.parameters())
    assert weights < size_of(checkpoint) < 4 * weights
    run = make_run(checkpoint, "the cat sleeps .")
    traced = {
        tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes()
        for tensor in tensors_of(run.trace)
    }
    assert sum(traced.values()) < size_of(run) < sum(traced.values()) + 100_000
    assert size_of([run, checkpoint.model]) == pytest.approx(size_of([run]), abs=100)


def tensors_of(record: object) -> list[torch.Tensor]:
    if isinstance(record, torch.Tensor):
        return [record]
    parts = record if isinstance(record, tuple) else getattr(record, "__dict__", {}).values()
    return [tensor for part in parts for tensor in tensors_of(part)]


def test_a_ring_ends():
    ring: list[object] = [bytes(MB)]
    ring.append(ring)
    assert MB <= size_of(ring) < MB + SLACK
