"""The page Two heads, tested without a browser."""

import re

import pytest

from tests.pages import figures, ok, open_page, sent, texts
from viz.models.running import open_view
from viz.pages import PAGES
from viz.run.inputs import Inputs
from viz.subjects.induction import page as induction
from viz.subjects.induction.actions import head_cut

NAME = "induction-one-head"
TEXT = "river lamp horse bread moon star river lamp"


def opened(name: str = NAME, text: str = TEXT, **query: str):
    return open_page("induction", name, text, **query)


def test_the_answer_names_both_heads():
    page = opened()
    shown = texts(page)
    assert "<b>L1 H0</b> puts" in shown
    assert "<b>L0 H0</b>, one " in shown
    [data] = sent(page, "trick")
    assert data["copier"]["name"] == "L1 H0"
    assert data["before"]["name"] == "L0 H0"
    assert data["tokens"][:3] == ["<s>", "river", "lamp"]
    assert [len(row) for row in data["copier"]["weights"]] == [*range(1, len(data["tokens"]) + 1)]
    assert [button.label for button in page.button] == ["Cut L0 H0", "Cut L1 H0"]


def test_one_layer_is_said_to_lack_what_it_takes():
    page = opened("induction-one-layer")
    said = re.sub("<[^>]*>", "", texts(page))
    assert "No pair of heads can do this here. The model has one layer" in said
    assert all(button.label.startswith("Cut L0") for button in page.button)


def test_what_a_cut_does_is_said():
    inputs = Inputs(NAME, TEXT, "", "cpu")
    view = open_view(inputs)
    change = head_cut(view, 0, 0)
    assert change.kind == "mean"
    cut = open_view(inputs._replace(interventions=(change,)))
    trick, after = induction.cache.trick_in(view), induction.cache.trick_in(cut)
    said = induction.words.after_cut(trick, after, ["L0 H0"])
    assert said.startswith("Without L0 H0, <b>L1 H0</b> puts")
    assert induction.actions.heads_cut(cut) == [(0, 0)]
    assert after.weight(trick.copier, trick.row, trick.followers[trick.row]) < 0.5


def test_how_it_was_learned():
    page = opened("induction-two-heads", more_induction_lapse="true")
    assert "All at once: at step" in texts(page)
    [figure] = figures(page)
    assert len(figure["data"]) == 4
    first, then = sent(page, "trick")
    assert first["tokens"] == then["tokens"]
    slider = page.select_slider[0]
    ok(slider.set_value(slider.options[0] if isinstance(slider.options[0], int) else 0).run())


def test_a_text_that_does_not_repeat_itself(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("viz.run.record.MAX_CONTINUED", 1)
    page = opened(text="moon")
    assert "No word is repeated" in texts(page)
    assert sent(page, "trick") == []


def test_only_models_that_go_on_from_a_text_have_the_page():
    assert induction in PAGES
    translating = open_view(Inputs("digits-paper", "copy 1 2 3", "", "cpu")).run.anatomy
    guessing = open_view(Inputs("agreement", "the cat <mask> .", "", "cpu")).run.anatomy
    assert "continues its own text" in induction.NEEDS(translating)
    assert "continues its own text" in induction.NEEDS(guessing)
    assert induction.NEEDS(open_view(Inputs(NAME, TEXT, "", "cpu")).run.anatomy) is None
