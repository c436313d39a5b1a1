"""Config files as the Hub has them: what transformers opens, Loupe opens, and computes the same."""

from pathlib import Path

import pytest
import torch

from model.checkpoints.checkpoint import Checkpoint
from model.foreign.opening import open_model
from tests.model.foreign.hub import (
    NAMES,
    difference,
    read_by_transformers,
    read_hub_config,
    write_hub_folder,
)

POURED = {"gpt2", "llama", "mistral", "qwen2", "gpt_neox", "bert", "distilbert", "roberta"}
POURED |= {"bart", "marian", "t5", "mt5"}
_CLOSE = 1e-5


@pytest.fixture(autouse=True)
def _without_gradients():
    with torch.no_grad():
        yield


@pytest.mark.parametrize("name", NAMES)
def test_it_opens_as_in_transformers(name: str, tmp_path: Path) -> None:
    said = read_hub_config(name)
    folder = write_hub_folder(tmp_path / name, said)
    original = read_by_transformers(folder, said)
    opened = open_model(folder)
    assert isinstance(opened, Checkpoint) == (said["model_type"] in POURED)
    assert difference(opened, original) < _CLOSE


@pytest.mark.parametrize(
    "name", ["gpt2", "Llama-3.2-1B", "bert-base-uncased", "opus-mt-en-fr", "t5-small"]
)
def test_one_more_field_is_recorded_and_not_refused(name: str, tmp_path: Path) -> None:
    said = read_hub_config(name)
    folder = write_hub_folder(tmp_path / name, said)
    original = read_by_transformers(folder, said)
    write_hub_folder(folder, said | {"a_new_trick": 3})
    opened = open_model(folder)
    assert not isinstance(opened, Checkpoint)
    assert difference(opened, original) < _CLOSE


def test_there_are_enough() -> None:
    assert len(NAMES) >= 30
