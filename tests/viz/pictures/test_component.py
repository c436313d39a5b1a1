"""What is done about a choice in a picture."""

import pytest
import streamlit as st

from viz.pictures.component import while_there


@pytest.mark.parametrize(
    ("there", "told"),
    [({"hand": {"change": 1}}, [1]), ({"hand": {"other": 1}}, []), ({"hand": {}}, []), ({}, [])],
    ids=["there", "of another event", "of the next page's picture", "gone"],
)
def test_a_choice_whose_value_is_not_there_is_told_to_nobody(monkeypatch, there, told):
    heard = []
    monkeypatch.setattr(st, "session_state", there)
    while_there("hand", "change", lambda: heard.append(st.session_state["hand"]["change"]))()
    assert heard == told
