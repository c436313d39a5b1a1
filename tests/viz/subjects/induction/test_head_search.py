from dataclasses import replace

import numpy as np
import pytest

from model.attribution.copying import (
    LEAST_SHARE,
    LEAST_TIMES,
    HeadReading,
    Share,
    followers_of,
    read_heads,
)
from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import SHIPPED
from viz.run.making import make_run
from viz.subjects.induction.head_search import best_pair, find_trick, same_heads
from viz.subjects.induction.words import answer

SPECIALS = frozenset({0, 1, 2, 3})


def test_followers_stand_after_earlier_copies():
    ids = [1, 7, 8, 7, 9, 7]
    assert followers_of(ids, SPECIALS) == ((), (), (), (2,), (), (2, 4))
    assert followers_of([1, 5, 1, 6, 1], SPECIALS) == ((), (), (), (), ())  # <s> is not a word


def test_readings_are_means_over_rows():
    rng = np.random.default_rng(0)
    weights = rng.random((2, 3, 6, 6)) * np.tri(6)
    weights /= weights.sum(axis=-1, keepdims=True)
    followers = ((), (), (), (2,), (), (2, 4))
    for reading in read_heads(weights, followers, np.arange(1, 7)):
        head = weights[reading.layer, reading.head]
        copies = (head[3, 2] + head[5, 2] + head[5, 4]) / 2
        assert reading.copies == pytest.approx(copies)
        each = (head[3, 2] + (head[5, 2] + head[5, 4]) / 2) / 2
        others = ((1 - head[3, 2]) / 3 + (1 - head[5, 2] - head[5, 4]) / 4) / 2
        assert reading.on_copies.each == pytest.approx(each)
        assert reading.on_copies.others == pytest.approx(others)
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
    assert trick.row == 8  # the last typed word, counted from <s>
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
    told = answer(replace(trick, row=row, weights=weights)).striptags()
    assert "puts 55% of its weight on the word that came next: ship." in told


def test_one_layer_has_no_head_below():
    trick = find_trick(run_of("induction-one-layer", "moon ship moon ship moon"))
    assert trick is not None
    assert trick.before is None
    assert not trick.is_there
    assert same_heads(trick, trick).before is None
    assert answer(trick).startswith("No pair of heads can do this here. The model has one layer")


def test_a_half_counts_from_both_thresholds_on():
    """A half counts from 0.3 of the weight and from ten times the weight of another token."""
    assert LEAST_SHARE == 0.3
    assert LEAST_TIMES == 10
    assert Share(0.3, 0.3, 0.03).counts
    assert not Share(0.29, 0.29, 0.01).counts
    assert not Share(0.5, 0.5, 0.051).counts


def test_the_pair_is_the_one_whose_weaker_half_is_strongest():
    strong, weak = Share(0.9, 0.9, 0.01), Share(0.1, 0.1, 0.1)
    middle = Share(0.6, 0.6, 0.02)
    heads = (
        HeadReading(0, 0, weak, strong),  # copies best, but no layer is below it
        HeadReading(0, 1, middle, weak),
        HeadReading(1, 0, strong, middle),
        HeadReading(1, 1, weak, weak),
    )
    assert best_pair(heads) == (heads[2], heads[1])
    assert best_pair(heads, (1, 1)) == (heads[3], heads[1])
    assert best_pair(heads, (0, 0)) == (heads[0], None)


def test_weights_that_a_window_hides_are_no_others():
    """Only two of forty tokens may be read, so half of the weight on one is an even share."""
    weights = np.zeros((1, 1, 40, 40))
    for row in range(1, 40):
        weights[0, 0, row, [row - 1, row]] = 0.5
    followers = tuple((row - 1,) if row else () for row in range(40))
    allowed = np.minimum(np.arange(1, 41), 2)
    [reading] = read_heads(weights, followers, allowed)
    assert reading.previous == 0.5
    assert not reading.on_previous.counts
    assert reading.on_previous.others == pytest.approx(0.5)
    assert read_heads(weights, followers, np.arange(1, 41))[0].on_previous.others < 0.06


def test_a_text_without_a_copy(monkeypatch):
    monkeypatch.setattr("viz.run.record.MAX_CONTINUED", 1)
    assert find_trick(run_of("induction-one-head", "moon")) is None
