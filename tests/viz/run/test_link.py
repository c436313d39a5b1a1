"""What a choice that comes from the browser selects."""

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from viz.run.link import carry_along, tell_address

CELL = {"kind": "cross-attention", "layer": 1, "head": 2, "query": 2, "key": 1, "step": 2}


def take(made: dict, shown: str | None) -> None:
    import streamlit as st

    from viz.run.link import take_choice

    st.session_state["card"] = {"commit": made}
    take_choice("card", shown)


@pytest.mark.parametrize(("shown", "is_taken"), [("here", True), (None, True), ("another", False)])
def test_a_cell_is_taken_where_it_was_chosen(shown: str | None, is_taken: bool):
    made = CELL | {"run": "here", "number": 7}
    page = AppTest.from_function(take, kwargs={"made": made, "shown": shown}, default_timeout=60)
    page.run()
    assert not page.exception
    state = page.session_state
    assert state["selection_number"] == 7
    assert ("selection" in state) == is_taken
    assert ("key" in page.query_params) == is_taken
    if is_taken:
        assert state["selection"] == CELL
        assert state["selection_chosen_in"] == "here"


def test_the_whole_address_is_told_again_but_by_the_first_run(monkeypatch):
    told: list[dict] = []

    class Address(dict):
        def update(self, other):  # pyright: ignore[reportIncompatibleMethodOverride]
            super().update(other)
            told.append(dict(self))

    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st, "query_params", Address(query="3"))
    tell_address()
    assert told == []
    for _ in range(2):
        tell_address()
    assert told == [{"query": "3"}] * 2
    carry_along({"edits": "new"}, ("edits", "lesson"))
    for name in ("edits", "lesson"):
        st.query_params[name] = "old"  # as the browser has them still
    tell_address()
    assert told[-1] == {"query": "3", "edits": "new"}
