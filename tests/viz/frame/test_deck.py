import pytest
import streamlit as st

from model.intervention import Intervention
from tests.checkpoints import DEFAULT
from viz.frame import deck, reach
from viz.frame.bar import LONGEST_TYPED
from viz.frame.deck import inputs_of_link
from viz.run import session
from viz.run.view import Inputs

pytestmark = pytest.mark.usefixtures("tiny_checkpoints")
PAPER = "english-french-paper"


def test_a_slides_link_says_what_is_run():
    link = f"attention?checkpoint={PAPER}&source=the+cat&target=le+chat&kind=cross-attention"
    assert inputs_of_link(link) == Inputs(PAPER, "the cat", "le chat", "cpu")


def test_a_slide_of_a_changed_run_is_run_with_its_changes():
    off = "zero%21encoder.layers.0.self_attn.heads%3Bh1"
    link = f"masks?checkpoint={PAPER}&source=the+cat&edits={off}~-{off}"
    inputs = inputs_of_link(link)
    assert inputs is not None
    assert inputs.interventions == (
        Intervention("zero", "encoder.layers.0.self_attn.heads", head=1),
    )


def test_what_a_link_leaves_out_is_what_the_page_begins_with():
    inputs = inputs_of_link(f"masks?checkpoint={PAPER}")
    assert inputs == Inputs(PAPER, DEFAULT, "", "cpu")
    first = inputs_of_link("masks")
    assert first is not None
    assert first.checkpoint == session.listed_names()[0]


@pytest.mark.parametrize(
    "link",
    [
        "masks?checkpoint=none",
        "masks?checkpoint=../../etc/passwd",
        f"masks?checkpoint={PAPER}&edits=nonsense",
        f"masks?checkpoint={PAPER}&source={'a' * (LONGEST_TYPED + 1)}",
    ],
)
def test_what_cannot_be_run_is_none(link: str):
    assert inputs_of_link(link) is None


@pytest.mark.parametrize(
    ("address", "local"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("", False)],
)
def test_who_can_open_the_pages_follows_from_the_address(monkeypatch, address: str, local: bool):
    monkeypatch.setattr(st, "get_option", lambda _name: address)
    found = reach.reach()
    assert found["local"] is local
    assert found["number"] is None or not reach.is_local(found["number"])


def test_a_server_of_one_address_is_reached_there(monkeypatch):
    monkeypatch.setattr(st, "get_option", lambda _name: "192.168.1.20")
    assert reach.reach() == {"local": False, "number": "192.168.1.20"}


def test_the_next_slide_is_run_while_this_one_stands_and_nothing_else_is(monkeypatch):
    opened: list[Inputs] = []
    monkeypatch.setattr(session, "open_view", opened.append)
    link = f"attention?checkpoint={PAPER}&source=the+cat"
    for asked in (link, "attention?checkpoint=none", 7, None, "a" * 20_000):
        monkeypatch.setattr(st, "session_state", {"slides": {"ahead": asked}})
        deck._read_ahead()
    assert opened == [Inputs(PAPER, "the cat", "", "cpu")]


def test_a_next_slide_that_cannot_be_run_waits_for_its_turn(monkeypatch):
    def refuse(_inputs: Inputs) -> None:
        raise ValueError("no such head")

    monkeypatch.setattr(session, "open_view", refuse)
    link = f"attention?checkpoint={PAPER}&source=the+cat"
    monkeypatch.setattr(st, "session_state", {"slides": {"ahead": link}})
    deck._read_ahead()
