"""An embedding table may be stored under any of its names, as in transformers."""

import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from safetensors.torch import load_file, save_file

from model.foreign.errors import FolderError
from model.foreign.imports.load import open_folder
from tests.marks import slow_except
from tests.model.foreign.hub_folders import (
    difference,
    read_by_transformers,
    read_hub_config,
    write_hub_folder,
)

_SHARED = ("shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight")
_OF_BART = tuple(f"model.{name}" for name in _SHARED)
_T5 = {"tie_word_embeddings": False, "feed_forward_proj": "gated-gelu"}
CASES = {
    "gpt2": ({}, ("transformer.wte.weight", "lm_head.weight")),
    "Llama-3.2-1B": ({}, ("model.embed_tokens.weight", "lm_head.weight")),
    "Qwen2.5-0.5B": ({}, ("model.embed_tokens.weight", "lm_head.weight")),
    "bert-base-uncased": (
        {},
        ("bert.embeddings.word_embeddings.weight", "cls.predictions.decoder.weight"),
    ),
    "roberta-base": ({}, ("roberta.embeddings.word_embeddings.weight", "lm_head.decoder.weight")),
    "distilbert-base-uncased": (
        {},
        ("distilbert.embeddings.word_embeddings.weight", "vocab_projector.weight"),
    ),
    "bart-base": ({}, (*_OF_BART, "lm_head.weight")),
    "opus-mt-en-fr": ({}, (*_OF_BART, "lm_head.weight")),
    "t5-small": ({}, (*_SHARED, "lm_head.weight")),
    "flan-t5-small": (_T5, _SHARED),
}


class Written(NamedTuple):
    said: dict[str, Any]
    folder: Path
    names: tuple[str, ...]
    """The names that its table may have."""


QUICK = ("gpt2", "bart-base")
"""A decoder and a translator, whose tables have most of these names."""


@pytest.fixture(scope="module", params=slow_except(QUICK, CASES))
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Written:
    """Write a folder that tests must not change."""
    more, names = CASES[request.param]
    said = read_hub_config(request.param) | more
    return Written(said, write_hub_folder(tmp_path_factory.mktemp("whole"), said), names)


def stored(whole: Written, folder: Path, keep: str | None) -> Path:
    """Copy a folder, keeping one name of the table in its file, or none."""
    shutil.copytree(whole.folder, folder)
    file = folder / "model.safetensors"
    tensors = load_file(file)
    table = next(tensors[name] for name in whole.names if name in tensors)
    tensors = {name: x for name, x in tensors.items() if name not in whole.names}
    save_file(tensors | ({keep: table.clone()} if keep else {}), file, metadata={"format": "pt"})
    return folder


def test_any_name_of_one_table_may_be_stored(written: Written, tmp_path: Path) -> None:
    for keep in written.names:
        folder = stored(written, tmp_path / keep, keep)
        with torch.no_grad():
            original = read_by_transformers(folder, written.said)
            assert difference(open_folder(folder), original) < 1e-5, keep


def test_a_table_that_is_not_there_is_missed(written: Written, tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="have no"):
        open_folder(stored(written, tmp_path / "without", None))
