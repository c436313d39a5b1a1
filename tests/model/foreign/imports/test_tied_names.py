"""One table of embeddings that a folder stores under any of its names, as transformers opens it."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from model.foreign.errors import FolderError
from model.foreign.imports.load import open_folder
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


def stored(folder: Path, keep: str | None, names: tuple[str, ...]) -> None:
    """Leave one of the names of a table in the file, which has one of them, or none."""
    file = folder / "model.safetensors"
    tensors = load_file(file)
    table = next(tensors[name] for name in names if name in tensors)
    tensors = {name: x for name, x in tensors.items() if name not in names}
    save_file(tensors | ({keep: table.clone()} if keep else {}), file, metadata={"format": "pt"})


@pytest.mark.parametrize(
    ("name", "kept"), [(name, kept) for name, (_, names) in CASES.items() for kept in names]
)
def test_any_name_of_one_table_may_be_stored(name: str, kept: str, tmp_path: Path) -> None:
    more, names = CASES[name]
    said = read_hub_config(name) | more
    folder = write_hub_folder(tmp_path / name, said)
    stored(folder, kept, names)
    with torch.no_grad():
        assert difference(open_folder(folder), read_by_transformers(folder, said)) < 1e-5


@pytest.mark.parametrize("name", CASES)
def test_a_table_that_is_not_there_is_missed(name: str, tmp_path: Path) -> None:
    more, names = CASES[name]
    folder = write_hub_folder(tmp_path / name, read_hub_config(name) | more)
    stored(folder, None, names)
    with pytest.raises(FolderError, match="have no"):
        open_folder(folder)
