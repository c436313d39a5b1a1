"""What a choice that comes from the browser selects."""

import pytest
from streamlit.testing.v1 import AppTest

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
    assert dict(page.query_params) == ({n: str(v) for n, v in CELL.items()} if is_taken else {})
    if is_taken:
        assert state["selection_chosen_in"] == "here"
