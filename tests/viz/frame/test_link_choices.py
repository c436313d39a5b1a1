"""Choices by name: old links and links in another language are understood; ids are written."""

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.pages import ok
from texts import LANGUAGES, say, speaking
from viz.frame.link_choices import choose_one


def show():
    from texts import say_of
    from viz.address import address
    from viz.frame.link_choices import choose_one

    address.follow()
    names = ("zeroed", "shuffled", "reversed")
    choose_one("one", names, lambda name: say_of("positions.change_to", name), key="one")
    address.end_run()


def opened(**query) -> AppTest:
    """Run the page twice, because the first run writes nothing to the address."""
    page = AppTest.from_function(show, default_timeout=60)
    for key, value in query.items():
        page.query_params[key] = value
    return ok(ok(page.run()).run())


def called(language: str) -> str:
    with speaking(language):
        return say("positions.change_to.shuffled")


@pytest.mark.parametrize("asked", ["shuffled", *map(called, LANGUAGES)])
def test_a_link_names_a_choice_by_its_id_or_as_any_language_calls_it(asked):
    page = opened(one=asked)
    assert page.session_state["one"] == "shuffled"
    assert page.query_params["one"] == "shuffled"


def test_what_is_usual_and_what_nobody_knows_leave_the_link():
    for asked in ({}, {"one": "nobody's"}):
        page = opened(**asked)
        assert page.session_state["one"] == "zeroed"
        assert "one" not in page.query_params


def test_a_choice_goes_into_the_link():
    page = opened()
    page.session_state["one"] = "reversed"
    assert page.run().query_params["one"] == "reversed"


@pytest.mark.parametrize(("held", "called"), [(None, []), ("zeroed", ["called"])])
def test_a_field_that_a_browser_sends_as_empty_calls_nothing_back(monkeypatch, held, called):
    found: list[str] = []
    fields: dict = {}
    monkeypatch.setattr(st, "session_state", {"one": "zeroed"})
    monkeypatch.setattr(st, "query_params", {})
    monkeypatch.setattr(st, "segmented_control", lambda *_, **given: fields.update(given) or "x")
    choose_one("one", ["zeroed"], key="one", on_change=lambda: found.append("called"))
    st.session_state["one"] = held
    fields["on_change"]()
    assert found == called
