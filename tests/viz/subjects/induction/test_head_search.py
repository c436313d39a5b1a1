from dataclasses import replace

import numpy as np
import pytest

from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import SHIPPED
from viz.run.record import make_run
from viz.subjects.induction.head_search import find_trick, followers_of, read_heads, same_heads
from viz.subjects.induction.words import answer

SPECIALS = frozenset({0, 1, 2, 3})


def test_followers_stand_after_earlier_copies():
    ids = [1, 7, 8, 7, 9, 7]
    assert followers_of(ids, SPECIALS) == ((), (), (), (2,), (), (2, 4))
    assert followers_of([1, 5, 1, 6, 1], SPECIALS) == ((), (), (), (), ())  # <s> is no word


def test_readings_are_means_over_rows():
    rng = np.random.default_rng(0)
    weights = rng.random((2, 3, 6, 6)) * np.tri(6)
    weights /= weights.sum(axis=-1, keepdims=True)
    followers = ((), (), (), (2,), (), (2, 4))
    for reading in read_heads(weights, followers):
        head = weights[reading.layer, reading.head]
        copies = (head[3, 2] + head[5, 2] + head[5, 4]) / 2
        assert reading.copies == pytest.approx(copies)
        previous = [head[row, row - 1] for row in range(1, 6)]
        assert reading.previous == pytest.approx(sum(previous) / 5)


def run_of(name, text):
    return make_run(load_checkpoint(SHIPPED / name), text)


def test_the_two_heads_of_the_shipped_model():
    trick = find_trick(run_of("induction-one-head", "river lamp horse bread moon star river lamp"))
    assert trick is not None
    assert (trick.copier.layer, trick.copier.head) == (1, 0)
    assert (trick.before.layer, trick.before.head) == (0, 0)
    assert trick.tokens[trick.row] == "lamp"
    assert trick.row == 8  # the last word typed, after <s>
    assert [trick.tokens[place] for place in trick.followers[trick.row]] == ["horse"]
    assert trick.likeliest[trick.row] == "horse"
    assert trick.chances[trick.row] > 0.5
    assert trick.weight(trick.copier, trick.row, trick.followers[trick.row]) > 0.5


def test_the_share_that_is_told_is_that_of_the_word_that_is_named():
    run = run_of("induction-one-head", "moon ship moon lamp moon star moon")
    trick = find_trick(run)
    assert trick is not None
    row = next(n for n in reversed(range(7)) if trick.tokens[n] == "moon")
    weights = np.zeros_like(trick.weights)
    weights[trick.copier.layer, trick.copier.head, row, [2, 4]] = 0.55, 0.44
    told = answer(replace(trick, row=row, weights=weights), run.info.config).striptags()
    assert "puts 55 % of its weight on what came next: ship." in told


def test_one_layer_has_no_head_below():
    trick = find_trick(run_of("induction-one-layer", "moon ship moon ship moon"))
    assert trick is not None
    assert trick.before is None
    assert same_heads(trick, trick).before is None


def test_a_text_without_a_copy(monkeypatch):
    monkeypatch.setattr("viz.run.record.MAX_CONTINUED", 1)
    assert find_trick(run_of("induction-one-head", "moon")) is None
