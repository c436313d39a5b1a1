"""The model on a GPU: on a pretend device always, and on a real one if there is one."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch.testing import assert_close

from model.decoding.beam import beam
from model.decoding.greedy import greedy, sample
from model.devices import find_device
from model.interventions.kinds import edits_of
from model.traces import find_tensor, named_tensors
from model.transformer import Transformer
from tests.marks import slow_except
from tests.model.interventions.test_kinds import CHANGES, material_from
from tests.model.training.test_loop import trainer
from tests.sham import DEVICES, FLOAT32, GPU, on_device
from tests.tiny import SOURCE, TARGET, tiny_model

ONE = SOURCE[:1]


@pytest.fixture(params=DEVICES)
def device(request: pytest.FixtureRequest) -> Iterator[str]:
    with on_device(request.param):
        yield request.param


@pytest.fixture
def both(device: str) -> tuple[Transformer, Transformer]:
    return tiny_model().to(device), tiny_model()


QUICK = ("scale columns", "a later row of another head")
"""A change with rows and columns, and one that needs a tensor from another pass."""


@pytest.mark.parametrize("name", slow_except(QUICK, CHANGES))
def test_a_change_does_there_what_it_does_here(both: tuple[Transformer, Transformer], name: str):
    traces = []
    for model in both:
        texts = [ids[:1].to(model.device) for ids in (SOURCE, TARGET)]
        with torch.inference_mode():
            change = CHANGES[name]
            material = material_from(model(*texts)) if change.needs_material else None
            edits = edits_of((change,), model, material)
            traces.append(model(*texts, edits=edits))
    there, here = traces
    for each, tensor in named_tensors(here):
        assert_close(find_tensor(there, each).cpu(), tensor, **FLOAT32)


@pytest.mark.slow
@pytest.mark.parametrize("decode", [greedy, sample, beam])
def test_the_same_is_written_there(both: tuple[Transformer, Transformer], decode):
    more = {"width": 3} if decode is beam else {}
    with torch.inference_mode():
        there, here = (
            list(decode(model, ONE.to(model.device), max_length=12, **more)) for model in both
        )
    if decode is beam:
        there, here = ([h for step in steps for h in step.hypotheses] for steps in (there, here))
    assert [each.token for each in there] == [each.token for each in here]


def test_a_training_learns_there_what_it_does_here(device: str):
    same = {"dropout": 0.0, "tying": "none"}  # the sham unties weights
    there, here = trainer(device=device, **same), trainer(**same)
    losses = [[each.step().loss for _ in range(5)] for each in (there, here)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)


@pytest.mark.parametrize("device", [GPU])
def test_a_training_taken_up_there_drops_out_what_it_would_have(device: str, tmp_path: Path):
    whole = trainer(device=device)
    expected = [whole.step().loss for _ in range(6)]
    first = trainer(device=device)  # the same seed again
    for _ in range(3):
        first.step()
    first.save(tmp_path / "state.safetensors")
    second = trainer(device=device)
    second.load(tmp_path / "state.safetensors")
    assert [second.step().loss for _ in range(3)] == pytest.approx(expected[3:], rel=1e-4)


def test_a_device_is_found_by_its_name():
    assert find_device("cpu").type == "cpu"
    for name in ("gpu", "cuda:99"):
        with pytest.raises(ValueError, match=f"this machine and its torch have.* got {name}"):
            find_device(name)
