"""Token ids instead of a text give the same numbers as the text."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import loupe
from model.checkpoints.checkpoint import Checkpoint
from model.foreign.huggingface import RecordedFolder
from tests.checkpoints import load_shipped
from tests.loupe.test_foreign import TEXT, Speller, ids_of, sharp, t5
from tests.model.foreign.huggingface.families import DECODERS
from tests.model.foreign.imports.oracle import save

SENTENCE = "the small black cat sleeps ."


def check_same(found: Any, expected: Any) -> None:
    assert found.names() == expected.names()
    assert found.tokens == expected.tokens
    for name, x in expected.items():
        assert torch.equal(found[name], x), name


@pytest.fixture(scope="module")
def translator() -> Checkpoint:
    return load_shipped("everyday-paper-0")


def test_a_translator_reads_ids(translator: Checkpoint) -> None:
    words = translator.info.tokenizers
    ids = words.encode_source(SENTENCE).ids
    expected = loupe.trace(translator, SENTENCE)
    row = torch.tensor([ids])
    given: Any
    for given in (list(ids), row[0], row, np.array(ids), row.to(torch.int32)):
        check_same(loupe.trace(translator, given), expected)
        check_same(loupe.trace(translator, inputs=given), expected)
    aim = "le chat dort ."
    target = words.encode_target(aim).ids
    told = loupe.trace(translator, row, target=list(target))
    check_same(told, loupe.trace(translator, SENTENCE, target=aim))
    assert told.given
    assert loupe.generate(translator, row) == loupe.generate(translator, SENTENCE)


def test_several_rows_of_ids_are_several_texts(translator: Checkpoint) -> None:
    texts = [SENTENCE, "the dog sleeps ."]
    ids = [list(translator.info.tokenizers.encode_source(text).ids) for text in texts]
    for found, expected in zip(
        loupe.trace(translator, ids), loupe.trace(translator, texts), strict=True
    ):
        check_same(found, expected)
    rows = torch.tensor([ids[1], ids[1]])
    assert len(loupe.trace(translator, rows)) == 2


@pytest.mark.parametrize("name", ["GPT-2", "Phi-3"])
def test_a_folder_reads_ids(name: str, tmp_path: Path) -> None:
    opened = loupe.load(save(sharp(DECODERS[name]).eval(), tmp_path))
    assert isinstance(opened, RecordedFolder if name == "Phi-3" else Checkpoint)
    text = "w5 w7 w5"
    ids = opened.info.tokenizers.encode_prompt(text).ids
    check_same(loupe.trace(opened, inputs=torch.tensor([ids])), loupe.trace(opened, text))
    written = loupe.generate(opened, list(ids), max_new_tokens=3)
    assert written == loupe.generate(opened, text, max_new_tokens=3)


def test_a_model_in_memory_reads_ids() -> None:
    model = sharp(DECODERS["GPT-2"])
    expected = loupe.trace(model, Speller(), TEXT)
    check_same(loupe.trace(model, Speller(), ids_of(TEXT)), expected)
    bare = loupe.trace(model, ids_of(TEXT))
    assert torch.equal(bare["logits"], expected["logits"])
    assert bare.tokens.target == tuple(map(str, ids_of(TEXT)))
    written = loupe.generate(model, Speller(), ids_of(TEXT), max_new_tokens=3)
    assert written == loupe.generate(model, Speller(), TEXT, max_new_tokens=3)
    several: Any = [ids_of(TEXT), ids_of("the cat")]
    both: Any = loupe.trace(model, several)
    assert [each["logits"].size(1) for each in both] == [10, 2]


def test_a_translator_in_memory_is_given_a_target_in_ids() -> None:
    model, target = t5(), "a dog"
    found = loupe.trace(model, ids_of, ids_of(TEXT), target=ids_of(target))
    check_same(found, loupe.trace(model, ids_of, TEXT, target=target))


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ([5, 99999], ValueError, "an id of a token must be from 0 to 8604, got 99999"),
        ([5, -1], ValueError, "an id of a token must be from 0 to"),
        (torch.rand(3), TypeError, "ids of tokens must be whole numbers, got torch.float32"),
        (torch.zeros(1, 2, 3, dtype=torch.long), TypeError, r"ids must be \(position\) of one"),
    ],
)
def test_what_are_no_ids_is_said(translator, given, error, said) -> None:
    for ask in (loupe.trace, loupe.generate):
        with pytest.raises(error, match=said):
            ask(translator, given)


def test_inputs_of_a_model_of_loupe_are_ids(translator: Checkpoint) -> None:
    ids: Any = [5, 6]
    with pytest.raises(TypeError, match="ids of one text as inputs="):
        loupe.trace(translator, SENTENCE, inputs=ids)
    with pytest.raises(TypeError, match="give the ids of several texts as the text"):
        loupe.trace(translator, inputs=torch.zeros(2, 3, dtype=torch.long))
    with pytest.raises(ValueError, match="must be from 0 to 19, got 20"):
        loupe.trace(t5(), [3, 20])


def test_ids_are_no_text_of_a_page() -> None:
    model: Tensor = torch.tensor([1, 2])
    with pytest.raises(TypeError, match="the pages need texts as strings"):
        loupe.explore(load_shipped("digits-paper"), model)
