import random
from collections import Counter
from dataclasses import replace
from itertools import islice

import pytest

from sample_data import digits
from sample_data.tasks import TASKS, is_held_out, load_held_out, load_training

COUNT = 400


@pytest.fixture(scope="module", params=TASKS)
def task(request):
    return TASKS[request.param]


@pytest.fixture(scope="module")
def training(task):
    return load_training(task.name, COUNT)


def test_the_tasks():
    assert list(TASKS) == ["everyday", "digits"]
    assert all(name == task.name for name, task in TASKS.items())


@pytest.mark.slow
def test_training_and_held_out_share_no_source(task, training):
    for pair in [*training, *load_held_out(task.name)]:
        sources, targets = len(pair.source.split(" ")), len(pair.target.split(" "))
        assert pair.alignment
        assert all(0 <= i < sources and 0 <= j < targets for i, j in pair.alignment), pair
    held_out = {pair.source for pair in load_held_out(task.name)}
    sources = Counter(pair.source for pair in training)
    assert len(held_out) == 1000
    assert sources.total() == COUNT
    assert len(sources) > 0.9 * COUNT
    assert max(sources.values()) <= task.most_repeats
    assert not held_out & sources.keys()
    assert all(is_held_out(source) for source in held_out)
    assert not any(is_held_out(source) for source in sources)
    if task.rare_share:  # the task adds rare words
        as_said = islice(task.knowledge.pairs(random.Random(0)), COUNT)
        words = [{w for p in pairs for w in p.target.split()} for pairs in (training, as_said)]
        assert len(words[0]) > len(words[1])


@pytest.mark.slow
def test_training_depends_on_the_seed_alone(task, training):
    few = load_training(task.name, 50)
    assert load_training(task.name, 50) == few
    assert load_training(task.name, 50, seed=1) != few
    assert load_training(task.name, 0) == []
    said = round(50 * (1 - task.rare_share))
    assert few[:said] == training[:said]


def test_an_unknown_name_is_told_the_nearest():
    with pytest.raises(ValueError, match=r"one of everyday, digits, .* the nearest is 'digi"):
        load_training("digit")
    with pytest.raises(ValueError, match="got 'every day'; the nearest is 'everyday'"):
        load_held_out("every day")


def test_more_pairs_than_there_are(monkeypatch):
    few = replace(digits.KNOWLEDGE, pairs=lambda rng: list(islice(digits.random_pairs(rng), 50)))
    monkeypatch.setitem(TASKS, "digits", replace(TASKS["digits"], load=lambda: few))
    with pytest.raises(ValueError, match=r"digits has only \d\d to train on, got a count of 99"):
        load_training("digits", 99)
    with pytest.raises(ValueError, match="count must not be negative, got -1"):
        load_training("digits", -1)
