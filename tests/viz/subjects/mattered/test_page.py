"""The page What mattered: its words, the parts that it opens, and its refusals."""

import json
import re

import pytest

from tests.checkpoints import DEFAULT, SHIPPED
from tests.pages import ok, open_page, sent, texts
from texts import say

pytestmark = pytest.mark.usefixtures("tiny_checkpoints")


def cuts(page) -> dict:
    return sent(page, "mattered_cuts")[0]


def test_the_page_answers_and_shows_every_part():
    page = open_page("mattered")
    assert say("mattered.question") in texts(page)
    assert "24 " in texts(page)
    data = cuts(page)
    assert len(data["cuts"]) == 6 * 5 + 4
    chosen = data["cuts"][data["chosen"]]
    said = re.sub("<[^>]*>", "", texts(page))
    assert chosen["changed"]
    assert f"Without {chosen['name']}, " in said


@pytest.mark.slow
def test_what_is_in_the_place_of_a_cut_can_be_chosen():
    page = open_page("mattered")
    before = [cut["damage"] for cut in cuts(page)["cuts"]]
    page = ok(page.segmented_control(key="cut_how").set_value("mean").run())
    assert [cut["damage"] for cut in cuts(page)["cuts"]] != before
    page = ok(page.segmented_control(key="cut_how").set_value("even").run())
    assert all(cut["kind"] for cut in cuts(page)["cuts"])
    page = open_page("mattered", cut_how="even")
    assert page.segmented_control(key="cut_how").value == "even"


@pytest.mark.parametrize("asked", ["anything", "Zero", "uniform", "", "zero&cut_how=even"])
def test_a_link_that_asks_for_another_way_to_cut_gets_the_first(asked: str):
    page = open_page("mattered", cut_how=asked)
    assert page.segmented_control(key="cut_how").value == "zero"
    assert len(cuts(page)["cuts"]) == 6 * 5 + 4


def test_patching_begins_with_a_sentence_that_is_answered_otherwise(monkeypatch):
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(SHIPPED))
    page = open_page("mattered", "everyday-paper-0")
    assert page.text_input(key="other_sentence").value == DEFAULT.replace("tired", "wide")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (DEFAULT, "writes the same for both sentences"),
        ("the cat " * 45, "limited to sentences of 60 tokens"),
        ("\N{ZERO WIDTH SPACE}", ""),
    ],
)
def test_what_cannot_be_compared_is_said(typed, said):
    page = open_page("mattered")
    page = ok(page.text_input(key="other_sentence").set_value(typed).run())
    assert say("mattered.cannot_patch") in texts(page)
    assert said in texts(page)
    assert sent(page, "mattered_patching") == []


def test_another_sentence_can_be_linked():
    page = open_page("mattered", other_sentence="the dog sees the cat .")
    assert page.text_input(key="other_sentence").value == "the dog sees the cat ."
    assert say("mattered.other_length") in texts(page)
    assert "NaN" not in texts(page)
    assert say("mattered.grids_note") in texts(page)
    (meta,) = sent(page, "mattered_patching")
    assert len(json.dumps(meta)) > 100


def test_hostile_words_are_escaped():
    page = open_page("mattered", other_sentence="<script>alert(1)</script> dog")
    assert "<script>" not in texts(page)
