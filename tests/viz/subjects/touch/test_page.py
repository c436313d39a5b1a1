"""The page Touch, tested without a browser: the data sent, and the effect of a change."""

import dataclasses
import html
import re

import pytest
import torch

from model.interventions.kinds import Intervention
from tests.checkpoints import BY_HEART, DEFAULT
from tests.pages import ok, open_page, sent, texts
from viz.models.running import open_view
from viz.run.inputs import Inputs
from viz.subjects.touch.page import pack_hand

pytestmark = pytest.mark.usefixtures("tiny_checkpoints")
NAME = "everyday-paper"


def hand(page) -> dict:
    [data] = sent(page, "touch")
    return data


def test_it_names_both_runs_and_the_changes_between_them():
    data = hand(open_page("touch"))
    before = open_view(Inputs(NAME, DEFAULT, "", "cpu"))
    assert data["interventions"] == []
    assert (data["run"], data["before"]) == (before.parcel.key, before.parcel.key)
    made = Intervention("cut", "encoder.layers.0.self_attn.weights", 1, (1,), (0,))
    changed = open_view(Inputs(NAME, DEFAULT, "", "cpu", (made,)))
    packed = pack_hand(changed, before, None, 2)
    assert (packed["run"], packed["before"]) == (changed.parcel.key, before.parcel.key)
    assert packed["interventions"] == [dataclasses.asdict(made)]
    assert not packed["isPrompted"]


@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_the_answer_is_about_the_row_in_view(side):
    page = open_page(
        "touch", kind=f"{side} self-attention", layer="0", head="1", query="2", key="0"
    )
    run = open_view(Inputs(NAME, DEFAULT, "", "cpu")).run
    layers = getattr(run.trace, side).layers
    weights = torch.cat([layer.self_attn.weights for layer in layers]).mean((0, 1))
    share, key = weights[2].max(0)
    rows, read = {
        "encoder": (run.source.tokens, run.source.tokens),
        "decoder": (run.target_tokens[1:], run.target_tokens),
    }[side]
    said = " ".join(html.unescape(re.sub("<[^>]*>", "", texts(page))).split())
    assert re.search(
        rf"{re.escape(rows[2])},? .*looks most at {re.escape(read[key])}: "
        rf"{100 * share.item():.3g}% of its attention, on average over all heads\.",
        said,
    ), said


def test_a_given_target_is_said_to_stay():
    page = open_page("touch", target=BY_HEART[DEFAULT])
    assert "The target was given" in texts(page)
    assert hand(page)["pull"] is None


def test_a_model_too_large_for_the_browser_is_run_by_python_alone(monkeypatch):
    monkeypatch.setattr("viz.models.weights.MOST_BYTES", 10)
    page = open_page("touch")
    assert hand(page)["run"]
    assert "when you let go" in texts(page)


def test_rows_that_are_sent_reduced_are_touched_only_where_the_browser_computes_them(monkeypatch):
    monkeypatch.setattr("viz.run.codes.MOST_CODES", 100)
    source = "the big cat sleeps ."  # run by no other test, and kept at full size
    assert hand(open_page("touch", source=source))["run"]
    monkeypatch.setattr("viz.models.weights.MOST_BYTES", 10)
    page = open_page("touch", source=source)
    assert sent(page, "touch") == []
    assert "too long for this page" in texts(page)


def test_what_stands_behind_the_heading_is_drawn_when_asked():
    assert "softmax" in texts(ok(open_page("touch", more_touch_why="true")))
