"""The two heads on random words, compared with loupe's scores of the same weights."""

import re
from dataclasses import replace

import pytest

import loupe
from tests.checkpoints import load_shipped
from tests.pages import open_page, texts
from tests.viz.subjects.induction.test_rule import TEXT, save_random
from viz.subjects.induction.random_scores import LENGTH, random_scores


@pytest.mark.parametrize("name", ["induction-one-head", "induction-two-heads"])
def test_scores_are_those_that_python_gives(name: str) -> None:
    model = load_shipped(name)
    found = random_scores(model)
    assert found is not None
    assert found.is_there
    copies = loupe.induction_scores(model, length=LENGTH)
    previous = loupe.previous_token_scores(model, length=LENGTH)
    for head in found.readings:
        place = head.layer, head.head
        assert head.copies == pytest.approx(float(copies.values[place]), abs=1e-6)
        assert head.previous == pytest.approx(float(previous.values[place]), abs=1e-6)
        assert head.on_copies.counts == bool(copies.counts[place])


def test_of_one_layer_and_of_random_weights_nothing_is_claimed(tmp_path) -> None:
    one = random_scores(load_shipped("induction-one-layer"))
    assert one is not None
    assert one.before is None
    assert not one.is_there
    found = random_scores(loupe.load(save_random(tmp_path, 0, 0.3)))
    assert found is not None
    assert not found.is_there
    assert found.length == LENGTH
    assert len(found.told) >= 8


def test_a_model_without_room_says_so(tmp_path) -> None:
    model = loupe.load(save_random(tmp_path, 0, 0.3))
    info = replace(model.info, config=replace(model.info.config, max_length=3))
    assert random_scores(replace(model, info=info)) is None


def shown(page) -> str:
    return re.sub(r"<[^>]*>|\s+", " ", texts(page))


def test_the_page_tells_of_random_words_only_when_it_is_asked(tmp_path, monkeypatch) -> None:
    told = "On repeated random words"
    assert told not in shown(open_page("induction", "induction-one-head", TEXT))
    page = open_page("induction", "induction-one-head", TEXT, more_induction_random="true")
    said = shown(page)
    assert told in said
    assert "whatever the words mean" in said
    save_random(tmp_path / "random", 0, 0.3)
    monkeypatch.setenv("LOUPE_MODELS", str(tmp_path))
    page = open_page("induction", "models/random", TEXT, more_induction_random="true")
    said = shown(page)
    assert "No pair of heads does this on repeated random words" in said
    assert "whatever the words mean" not in said
