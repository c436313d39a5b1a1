"""The picture of a run selects the same cell at first as the pages of the app."""

from pathlib import Path

import numpy as np
import pytest

import loupe
from loupe.picture import first_choice
from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import DEFAULT, SHIPPED
from viz.address.selection import default_selection
from viz.heads.telling_cells import sharpest_reading
from viz.run.making import make_run


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("everyday-paper-0", DEFAULT),
        ("everyday-paper-0", "The girl reads a book."),
        ("digits-paper", "reverse 3 1 4 1 5 9"),
        ("induction-two-heads", "river lamp horse bread moon star river lamp horse"),
    ],
)
def test_it_is_the_cell_of_the_pages(tmp_path: Path, name: str, text: str):
    checkpoint = load_checkpoint(SHIPPED / name)
    shown = default_selection(make_run(checkpoint, text)).to_dict()
    wanted = {each: shown[each] for each in ("kind", "layer", "head", "query", "key")}
    run = loupe.trace(checkpoint, text)
    assert first_choice(run) == wanted
    run.save(tmp_path / "run")
    assert first_choice(loupe.load_run(tmp_path / "run")) == wanted


def test_the_row_of_a_hidden_word_comes_first():
    names = ("[CLS]", "the", "[MASK]", "sat", "here", "[SEP]")
    weights = np.full((1, 1, 6, 6), 0.1)
    weights[0, 0, 1, 4] = 0.9
    weights[0, 0, 2, 4] = 0.3
    weights[0, 0, 2, 5] = 0.8  # this column is no word
    weights[0, 0, 0, 3] = 1.0  # this row is no word
    assert sharpest_reading(weights, names, names) == (0, 0, 2, 4)
    plain = ("[CLS]", "the", "cat", "sat", "here", "[SEP]")
    assert sharpest_reading(weights, plain, plain) == (0, 0, 1, 4)
    assert sharpest_reading(weights, plain, plain, last=0) == (0, 0, 0, 3)
