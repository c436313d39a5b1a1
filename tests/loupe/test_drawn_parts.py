"""Pictures of selected layers and rows of a run."""

from typing import Any

import numpy as np
import pytest
import torch

import loupe
from loupe.picture import MOST_CELLS, _notes, _wire, heads_of
from tests.checkpoints import load_shipped
from tests.loupe.test_foreign import ids_of, sharp
from tests.model.foreign.huggingface.families import DECODERS

TEXT = "the cat sat on the mat because it was tired"


@pytest.fixture(scope="module")
def run() -> loupe.Run:
    return loupe.trace(sharp(DECODERS["GPT-2"]), ids_of(TEXT))


def test_some_layers_and_rows_are_drawn(run: loupe.Run) -> None:
    (heads,) = heads_of(run, [2, 0], slice(4, 7))
    assert heads.layers == (2, 0)
    weights = [run[f"decoder.layers.{i}.self_attn.weights"][0, :, 4:7, :7] for i in (2, 0)]
    assert np.array_equal(heads.weights, torch.stack(weights).numpy())
    rows, columns = heads.names(run.tokens)
    assert rows == run.tokens.target[4:7]
    assert columns == run.tokens.target[:7]
    stack: Any = _wire(run, [heads], "key")["kinds"]["decoder self-attention"]
    assert (stack["numbers"], stack["first"], stack["reads"]) == ([2, 0], 4, True)
    assert (stack["layers"], stack["rows"], stack["columns"]) == (2, 3, 7)
    notes = " ".join(_notes(run, [heads]))
    assert "Layers drawn of the decoder self-attention: 2, 0." in notes
    assert "Rows drawn: 4 to 6 of 10." in notes
    whole = run.html()
    few = run.html(layers=[1], rows=[-2, -1])
    assert len(few) < len(whole)
    assert run.html(layers=range(3), rows=slice(None)).count("decoder.layers") > 0


def test_a_translator_is_drawn_by_kind() -> None:
    run = loupe.trace(load_shipped("everyday-paper-0"), "the small black cat sleeps .")
    kinds = {heads.kind: heads for heads in heads_of(run, [1], slice(1, 3))}
    assert set(kinds) == {"encoder self-attention", "decoder self-attention", "cross-attention"}
    cross = kinds["cross-attention"]
    expected = run["decoder.layers.1.cross_attn.weights"][0, :, 1:3]
    assert np.array_equal(cross.weights[0], expected.numpy())
    assert cross.names(run.tokens)[0] == run.tokens.target[2:4]  # named by the tokens they write
    stack: Any = _wire(run, list(kinds.values()), "key")["kinds"]["cross-attention"]
    assert stack["reads"] is False


def test_many_rows_are_cut_to_what_a_picture_holds(run: loupe.Run) -> None:
    from loupe.drawn_parts import some_of

    (heads,) = heads_of(run)
    (found,) = some_of([heads], [0, 1, 2], slice(2, 10), MOST_CELLS)
    assert found.weights.shape[2:] == (8, 10)
    (found,) = some_of([heads], [0, 1, 2], slice(2, 10), heads.weights.size // 2)
    assert found.weights.size <= heads.weights.size // 2
    assert found.weights.shape[3] == 10
    assert found.first == 2


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"layers": [3]}, ValueError, r"layers must be from 0 to 2, got \[3\]"),
        ({"layers": []}, ValueError, r"layers must be from 0 to 2, got \[\]"),
        ({"layers": "01"}, TypeError, "layers must be a list of numbers"),
        ({"layers": [0.5]}, TypeError, "layers must be a list of numbers"),
        ({"rows": [10]}, ValueError, r"rows must be from -10 to 9, got \[10\]"),
        ({"rows": [0, 2]}, ValueError, "rows must be adjacent, and at least one of 10"),
        ({"rows": slice(5, 5)}, ValueError, "rows must be adjacent, and at least one of 10"),
        ({"rows": 3}, TypeError, "rows must be a slice or a list of adjacent rows, got 3"),
        ({"rows": ["a"]}, ValueError, "rows must be from -10 to 9"),
    ],
)
def test_what_is_not_there_is_said(run: loupe.Run, given, error, said) -> None:
    with pytest.raises(error, match=said):
        run.html(**given)
