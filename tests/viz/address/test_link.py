"""What the session selects when the browser sends a choice."""

import pytest
from streamlit.testing.v1 import AppTest

CELL = {"kind": "cross-attention", "layer": 1, "head": 2, "query": 2, "key": 1, "step": 2}


def take_raw(states: list) -> None:
    """Take each state as that of a component whose callback has been called."""
    import streamlit as st

    from viz.address.link import take_choice

    for state in states:
        st.session_state.pop("selection_sync", None)
        if state is not None:
            st.session_state["selection_sync"] = state
        take_choice()


WHOLE = CELL | {"run": "here", "number": 7}
WRONG = {
    "number": [None, "7", 7.5, True, [], {}, float("nan"), float("inf")],
    "kind": ["nothing", 3, None, ["cross-attention"]],
    "layer": ["1", 1.5, None, [1], {"at": 1}],
    "query": [None, "2", True],
    "run": [3, None, ["here"]],
    "tensor": [1, None, {}],
    "page": [7, None, ["map"]],
    "adrift": ["yes", 1, None],
}


def test_a_choice_that_is_malformed_or_half_selects_nothing():
    """An event that was reset while the other never came once ended in a traceback."""
    bad = [WHOLE | {name: value} for name, values in WRONG.items() for value in values]
    halves = [{name: value for name, value in WHOLE.items() if name != "number"}, {}, [], "x", 1]
    states = [{event: made} for made in (*bad, *halves) for event in ("commit", "go")]
    states += [None, {}, {"go": None}, {"commit": None}, {"go": None, "commit": None}, {"other": 1}]
    page = AppTest.from_function(take_raw, kwargs={"states": states}, default_timeout=60).run()
    assert not page.exception
    assert "selection_number" not in page.session_state
    assert not dict(page.query_params)


def test_of_two_events_the_one_that_is_whole_is_taken():
    states = [{"go": {"page": "map"}, "commit": WHOLE}]
    page = AppTest.from_function(take_raw, kwargs={"states": states}, default_timeout=60).run()
    assert not page.exception
    assert page.session_state["selection_number"] == 7
    assert page.session_state["selection_chosen_in"] == "here"
    assert dict(page.query_params) == {name: str(value) for name, value in CELL.items()}


def test_a_choice_of_no_cell_opens_its_page_alone():
    states = [{"go": {"number": 3, "page": "map"}}]
    page = AppTest.from_function(take_raw, kwargs={"states": states}, default_timeout=60).run()
    assert not page.exception
    assert page.session_state["go_to"] == "map"
    assert not dict(page.query_params)


def page_that_may_be_stopped():
    """Draw a page up to its text, or with the link's selection and messages about its changes."""
    import streamlit as st

    from viz.address import address, history
    from viz.address.link import follow_selection
    from viz.models import running
    from viz.run.inputs import Inputs

    address.follow()
    source = st.text_input("text", key=address.bound("source", "the dog sleeps ."))
    if st.session_state.get("is_stopped"):
        st.stop()
    inputs = Inputs("everyday-paper", source, "", "cpu")
    history.follow_link(inputs)
    view = running.open_view(inputs)
    st.session_state["selected"] = follow_selection(view.run, view.parcel.key, "attention")
    address.end_run()


LONG, SHORT = "the small black cat sleeps because it is tired .", "the dog sleeps ."
LINK = {name: str(value) for name, value in CELL.items()} | {"source": LONG, "key": "9"}


def opened_and_stopped(**more: str) -> AppTest:
    page = AppTest.from_function(page_that_may_be_stopped, default_timeout=60)
    for name, text in (LINK | more).items():
        page.query_params[name] = text
    page.session_state["is_stopped"] = True
    page.run()
    page.session_state["is_stopped"] = False
    return page


@pytest.mark.usefixtures("tiny_checkpoints")
def test_a_link_selects_its_cell_in_its_own_text_alone():
    """The run of a link can be stopped before it is read, and some pages read no selection."""
    page = opened_and_stopped()
    page.text_input(key="source").set_value(SHORT).run()
    assert not page.exception
    selected = page.session_state["selected"]
    assert [warning.value for warning in page.warning] == []
    assert (selected.kind, selected.layer, selected.head) == ("cross-attention", 1, 2)
    fresh = AppTest.from_function(page_that_may_be_stopped, default_timeout=60)
    place = {"kind": "cross-attention", "layer": "1", "head": "2", "source": SHORT}
    for name, text in place.items():
        fresh.query_params[name] = text
    fresh.run()
    assert (selected.query, selected.key) == (
        fresh.session_state["selected"].query,
        fresh.session_state["selected"].key,
    )


@pytest.mark.usefixtures("tiny_checkpoints")
def test_a_link_read_late_still_selects_in_its_own_text():
    page = opened_and_stopped().run()
    selected = page.session_state["selected"]
    assert (selected.query, selected.key) == (2, 9)
    assert not page.warning


@pytest.mark.usefixtures("tiny_checkpoints")
def test_positions_of_a_links_changes_are_of_its_own_text():
    page = opened_and_stopped(edits="cut!decoder.layers.*.cross_attn.weights;r2;c2")
    page.text_input(key="source").set_value(SHORT).run()
    assert not page.exception
    (change,) = page.session_state["changes"].now
    assert change.made_for == ("everyday-paper", LONG, "")
