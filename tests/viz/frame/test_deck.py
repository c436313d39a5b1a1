import pytest
import streamlit as st

from viz.frame import deck
from viz.models import running
from viz.run.inputs import Inputs

pytestmark = pytest.mark.usefixtures("tiny_checkpoints")
PAPER = "everyday-paper"


@pytest.mark.parametrize(
    ("address", "local"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False), ("", False)],
)
def test_who_can_open_the_pages_follows_from_the_address(monkeypatch, address: str, local: bool):
    monkeypatch.setattr(st, "get_option", lambda _name: address)
    found = deck.reach()
    assert found["local"] is local
    assert found["number"] is None or not deck.is_local(found["number"])


def test_a_server_of_one_address_is_reached_there(monkeypatch):
    monkeypatch.setattr(st, "get_option", lambda _name: "192.168.1.20")
    assert deck.reach() == {"local": False, "number": "192.168.1.20"}


def test_the_next_slide_is_run_while_this_one_stands_and_nothing_else_is(monkeypatch):
    opened: list[Inputs] = []
    monkeypatch.setattr(running, "open_view", opened.append)
    link = f"attention?checkpoint={PAPER}&source=the+cat"
    for asked in (link, "attention?checkpoint=none", 7, None, "a" * 20_000):
        monkeypatch.setattr(st, "session_state", {"slides": {"ahead": asked}})
        deck._read_ahead()
    assert opened == [Inputs(PAPER, "the cat", "", "cpu")]


def test_a_next_slide_that_cannot_be_run_waits_for_its_turn(monkeypatch):
    def refuse(_inputs: Inputs) -> None:
        raise ValueError("no such head")

    monkeypatch.setattr(running, "open_view", refuse)
    link = f"attention?checkpoint={PAPER}&source=the+cat"
    monkeypatch.setattr(st, "session_state", {"slides": {"ahead": link}})
    deck._read_ahead()
