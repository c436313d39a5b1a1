"""What a component does when the user chooses something in a picture."""

import pytest
import streamlit as st

from viz.pictures.component import picture, while_there


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ({"hand": {"change": 1}}, [1]),
        ({"hand": {"other": 1}}, []),
        ({"hand": {"change": None}}, []),
        ({"hand": {"change": "1"}}, []),
        ({"hand": {}}, []),
        ({"hand": None}, []),
        ({}, []),
    ],
    ids=["there", "of another event", "reset", "of another shape", "next page's", "none", "gone"],
)
def test_a_choice_is_told_only_with_a_value_of_its_shape(monkeypatch, there, told):
    heard = []
    monkeypatch.setattr(st, "session_state", there)
    while_there("hand", "change", lambda: heard.append(st.session_state["hand"]["change"]), int)()
    assert heard == told


def test_an_event_without_a_declared_shape_is_refused():
    shown = picture("cell", "subjects/attention/browser/cell.js", sends={"known": int})
    with pytest.raises(KeyError, match="unknown"):
        shown(data={}, key="cell", on_unknown_change=lambda: None)
