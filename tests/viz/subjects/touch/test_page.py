"""The page of the hand, without a browser: what is sent, and what a change from there does."""

import html
import re

import pytest
import torch

from tests.checkpoints import BY_HEART, DEFAULT
from tests.pages import ok, open_page, sent, texts
from viz.models.session import open_view
from viz.models.weights import offer_model
from viz.run.inputs import Inputs
from viz.subjects.touch.packing import MOST_LIKELY, pack_hand

pytestmark = pytest.mark.usefixtures("tiny_checkpoints")
NAME = "everyday-paper"
WRITTEN = BY_HEART[DEFAULT].split()


def hand(page) -> dict:
    [data] = sent(page, "touch")
    return data


def test_it_sends_the_run_and_where_the_model_is():
    data = hand(open_page("touch"))
    assert offer_model(NAME) == {"key": data["model"], "address": f"/weights/{data['model']}"}
    assert data["tokens"] == [*WRITTEN, "</s>"]
    assert data["interventions"] == []
    assert data["run"] == data["before"]


def test_the_likeliest_words_are_sent_with_their_logits():
    view = open_view(Inputs(NAME, DEFAULT, "", "cpu"))
    data = pack_hand(view, view, "", None, 0)
    logits = view.run.trace.logits[0]
    for row, likely in enumerate(data["likely"]):
        assert likely["ids"][0] == view.run.steps[row].token
        assert len(likely["ids"]) == min(MOST_LIKELY, logits.size(1))
        found = logits[row][likely["ids"]].tolist()
        assert likely["logits"] == pytest.approx(found, abs=1e-4)


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
    assert hand(page)["given"] == hand(page)["written"]


def test_a_model_too_large_for_the_browser_is_run_by_python_alone(monkeypatch):
    monkeypatch.setattr("viz.models.weights.MOST_BYTES", 10)
    page = open_page("touch")
    assert hand(page)["model"] == ""
    assert "when you let go" in texts(page)


def test_rows_that_are_sent_reduced_are_touched_only_where_the_browser_computes_them(monkeypatch):
    monkeypatch.setattr("viz.run.codes.MOST_CODES", 100)
    source = "the big cat sleeps ."  # which no other test has run, and left at its full size
    assert hand(open_page("touch", source=source))["written"]
    monkeypatch.setattr("viz.models.weights.MOST_BYTES", 10)
    page = open_page("touch", source=source)
    assert sent(page, "touch") == []
    assert "too long for this page" in texts(page)


def test_what_stands_behind_the_heading_is_drawn_when_asked():
    assert "softmax" in texts(ok(open_page("touch", more_touch_why="true")))
