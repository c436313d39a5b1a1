"""Config files from the Hub: Loupe opens what transformers opens, and computes the same."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
import transformers
from tokenizers import Tokenizer, processors

import loupe
from model.checkpoints.checkpoint import Checkpoint
from model.foreign.opening import open_model
from tests.marks import slow_except
from tests.model.foreign.hub_folders import (
    NAMES,
    difference,
    ids_with,
    read_by_transformers,
    read_hub_config,
    write_hub_folder,
    writes,
)
from tests.model.foreign.imports.folders import byte_tokenizer

POURED = {"gpt2", "llama", "mistral", "qwen2", "gpt_neox", "bert", "distilbert", "roberta"}
POURED |= {"bart", "marian", "t5", "mt5"}
_CLOSE = 1e-5
_LENGTH = 8
_TEXTS = (
    *("The quick brown fox", "a dog.", " jumps over", "1,234 é", "Hello, world!", "I", "日本語"),
    *("x = 3 * (y - 2)", "  two  spaces", "Ünïcödé ß", "line one\nline two", "UPPER lower"),
    *("don't stop", "https://example.org/a?b=c", "¿Qué tal?", "🙂 smile", "tab\there"),
    *("(a) [b] {c}", "The the the the the", "To be, or not to be, that is the question"),
)
_WRITTEN = ("I", "To be, or not to be, that is the question")
"""Texts that are also continued: one of a single token, and a long one."""


class Opened(NamedTuple):
    said: dict[str, Any]
    folder: Path
    original: Any
    by_loupe: Any


@pytest.fixture(autouse=True)
def _without_gradients():
    with torch.no_grad():
        yield


@pytest.fixture(scope="module")
def hub_model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Opened:
    """Open a Hub model with transformers and with Loupe, once for all its tests."""
    said = read_hub_config(request.param)
    folder = write_hub_folder(tmp_path_factory.mktemp("hub") / request.param, said)
    return Opened(said, folder, read_by_transformers(folder, said), open_model(folder))


def of_each(names: Sequence[object]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("hub_model", names, indirect=True, scope="module")


def quick_ones() -> dict[str, str]:
    """Return one config of each imported family; recorded ones have other quick tests."""
    kinds = {name: read_hub_config(name)["model_type"] for name in reversed(NAMES)}
    return {kind: name for name, kind in kinds.items() if kind in POURED}


_QUICK = quick_ones().values()


@of_each(slow_except(_QUICK, NAMES))
def test_it_opens_as_in_transformers(hub_model: Opened) -> None:
    said, _, original, opened = hub_model
    assert isinstance(opened, Checkpoint) == (said["model_type"] in POURED)
    assert difference(opened, original) < _CLOSE
    padding = getattr(original.config, "pad_token_id", None) or 0
    assert difference(opened, original, ids_with(padding)) < _CLOSE


@pytest.mark.parametrize("name", ["gpt2", "bert-base-uncased", "t5-small"])
def test_one_more_field_is_recorded_and_not_refused(name: str, tmp_path: Path) -> None:
    said = read_hub_config(name)
    folder = write_hub_folder(tmp_path / name, said)
    original = read_by_transformers(folder, said)
    write_hub_folder(folder, said | {"a_new_trick": 3})
    opened = open_model(folder)
    assert not isinstance(opened, Checkpoint)
    assert difference(opened, original) < _CLOSE


@pytest.mark.slow
@of_each([name for name in NAMES if writes(read_hub_config(name))])
def test_it_reads_and_writes_as_in_transformers(hub_model: Opened) -> None:
    _, folder, original, opened = hub_model
    fast = transformers.AutoTokenizer.from_pretrained(folder)
    both = opened.info.tokenizers
    for text in _TEXTS:
        given = fast(text, return_tensors="pt").input_ids
        read = both.encode_source if original.config.is_encoder_decoder else both.encode_prompt
        assert list(read(text).ids) == given[0].tolist()
        if text not in _WRITTEN:
            continue
        mask = torch.ones_like(given)
        how = {"do_sample": False, "num_beams": 1, "max_new_tokens": _LENGTH, "pad_token_id": 0}
        with warnings.catch_warnings(action="ignore"):  # max_new_tokens below min_length
            written = original.generate(given, attention_mask=mask, **how)[0]
        expected = written[1 if original.config.is_encoder_decoder else given.size(1) :]
        theirs = fast.decode(expected, skip_special_tokens=True)
        assert seen(loupe.generate(opened, text, max_new_tokens=_LENGTH)) == seen(theirs), text


@pytest.mark.parametrize("name", ["gpt2", "bert-base-uncased", "Qwen3-0.6B"])
def test_a_tokenizer_may_have_more_tokens_than_its_model(name: str, tmp_path: Path) -> None:
    """This happens if a tokenizer was given new tokens, but its model was not enlarged."""
    said = read_hub_config(name)
    folder = write_hub_folder(tmp_path / name, said)
    rules = Tokenizer.from_str(byte_tokenizer().to_str())  # a copy: tests share that one
    while rules.get_vocab_size() <= said["vocab_size"]:
        rules.add_special_tokens([f"<{rules.get_vocab_size()}>"])
    last = rules.get_vocab_size() - 1
    rules.post_processor = processors.TemplateProcessing(
        single=f"$A <{last}>", special_tokens=[(f"<{last}>", last)]
    )
    (folder / "tokenizer.json").write_text(rules.to_str())
    original = read_by_transformers(folder, said)
    opened = open_model(folder)
    assert difference(opened, original) < _CLOSE
    words = opened.info.tokenizers.target
    assert len(words.all_tokens) == words.vocab_size == last
    ids = words.encode("The quick brown fox").ids
    assert loupe.trace(opened, list(ids)).names()
    with pytest.raises(ValueError, match=rf"reads <{last}> \(id {last}\) in this text"):
        loupe.trace(opened, "The quick brown fox")


def seen(text: str) -> str:
    """Return a text without characters that Loupe replaces by signs or leaves out."""
    return "".join(letter for letter in text if letter.isprintable() and not letter.isspace())


def test_there_are_enough() -> None:
    assert len(NAMES) >= 30
