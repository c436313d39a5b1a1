"""What is done about a choice in a picture."""

import pytest
import streamlit as st

from viz.pictures.component import while_there


@pytest.mark.parametrize(("there", "told"), [({"hand": {"change": 1}}, [1]), ({}, [])])
def test_a_choice_in_a_picture_that_has_gone_is_told_to_nobody(monkeypatch, there, told):
    heard = []
    monkeypatch.setattr(st, "session_state", there)
    while_there("hand", lambda: heard.append(st.session_state["hand"]["change"]))()
    assert heard == told
