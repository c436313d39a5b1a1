"""What the session reads from an address, and what it writes there."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import ok


def page():
    import streamlit as st

    from viz.address import address

    address.follow()
    address.open_link(st.session_state.get("opened", {}))
    st.session_state["opened"] = {}
    news = address.said("edits") if address.is_news("edits") else None
    st.session_state["news"] = [*st.session_state.get("news", []), news]
    st.slider("width", 1, 10, key=address.bound("width", 4, within=(1, 10)))
    st.slider("share", 0.0, 1.0, step=0.05, key=address.bound("share", 0.5, within=(0.0, 1.0)))
    st.number_input("rate", 1, 100, None, key=address.bound("rate", None, within=(1, 100)))
    st.toggle("on", key=address.bound("on", usual=True))
    usual = st.session_state.get("usual", "first")
    st.text_input("text", key=address.bound("text", usual, longest=5))
    options = ["first", "second", "third"]
    st.selectbox("one", options, key=address.bound("one", usual, options, str.upper))
    st.multiselect("some", options, key=address.bound("some", options[:2], options))
    address.end_run()


NAMES = ("width", "share", "rate", "on", "text", "one", "some")
USUAL = (4, 0.5, None, True, "first", "first", ["first", "second"])


def opened(**query) -> AppTest:
    app = AppTest.from_function(page, default_timeout=60)
    for name, text in query.items():
        app.query_params[name] = text
    return ok(ok(app.run()).run())  # the first run of a session writes nothing


def held(app: AppTest) -> tuple:
    return tuple(app.session_state[name] for name in NAMES)


def written(app: AppTest) -> dict:
    return dict(app.query_params.items())


def test_what_is_as_usual_is_not_written():
    app = opened()
    assert held(app) == USUAL
    assert written(app) == {}


LINKS = [
    ({"width": "7"}, "width", 7),
    ({"width": "999"}, "width", 10),
    ({"width": "-1"}, "width", 1),
    ({"width": "1e999"}, "width", 4),
    ({"width": "nan"}, "width", 4),
    ({"width": "many"}, "width", 4),
    ({"share": "0.25"}, "share", 0.25),
    ({"share": "1"}, "share", 1.0),
    ({"rate": "20"}, "rate", 20),
    ({"on": "false"}, "on", False),
    ({"on": "perhaps"}, "on", True),
    ({"text": "abcdefgh"}, "text", "abcde"),
    ({"text": ""}, "text", ""),
    ({"one": "third"}, "one", "third"),
    ({"one": "THIRD"}, "one", "third"),
    ({"one": "fourth"}, "one", "first"),
    ({"some": ["third"]}, "some", ["third"]),
    ({"some": ["first", "third"]}, "some", ["first", "third"]),
    ({"some": [""]}, "some", []),
    ({"some": ["fourth"]}, "some", ["first", "second"]),
]


@pytest.mark.parametrize(("link", "name", "value"), LINKS, ids=str)
def test_what_a_field_holds_is_what_its_link_gives_again(link, name, value):
    app = opened(**link)
    assert app.session_state[name] == value
    again = opened(**written(app))
    assert held(again) == held(app)
    assert written(again) == written(app)
    assert (name in written(app)) == (value != USUAL[NAMES.index(name)])


def test_an_address_of_a_moment_ago_changes_nothing():
    app = opened(width="7", unknown="x")
    assert "unknown" not in app.query_params  # no part of the page has read it
    app.slider(key="width").set_value(3).run()
    app.query_params["width"] = "7"  # the browser still has the old address
    app.query_params["one"] = "third"
    ok(app.run())
    assert (app.session_state["width"], app.session_state["one"]) == (3, "first")
    assert written(app) == {"width": "3"}


def test_a_link_that_is_opened_within_the_app_is_taken_once():
    app = opened(width="7")
    app.session_state["opened"] = {"width": "2", "one": "second"}
    ok(app.run())
    assert (app.session_state["width"], app.session_state["one"]) == (2, "second")
    app.slider(key="width").set_value(9).run()
    assert (app.session_state["width"], app.session_state["one"]) == (9, "second")
    app.session_state["opened"] = {"edits": "zero!logits"}
    ok(ok(app.run()).run())
    assert app.session_state["news"][-2:] == ["zero!logits", None]


def test_what_nobody_chose_follows_what_is_usual():
    app = opened()
    app.session_state["usual"] = "third"
    ok(app.run())
    assert (app.session_state["text"], app.session_state["one"]) == ("third", "third")
    app.selectbox(key="one").set_value("second").run()
    app.session_state["usual"] = "first"
    ok(app.run())
    assert (app.session_state["text"], app.session_state["one"]) == ("first", "second")
    assert written(app) == {"one": "second"}


def page_of_a_slow_server():
    import streamlit as st

    from viz.address import address

    address.follow()
    if st.session_state.get("waits"):
        st.stop()
    st.text_input("text", key=address.bound("text", "usual"))
    st.text_input("other", key=address.bound("other", "usual"))
    address.end_run()


def test_what_is_typed_before_a_way_back_is_read_stays(monkeypatch):
    """A busy server reads the address that Back leads to only after a while."""
    app = AppTest.from_function(page_of_a_slow_server, default_timeout=60)
    ok(ok(app.run()).run())
    app.session_state["waits"] = True
    app.query_params["text"], app.query_params["other"] = "back", "back"
    monkeypatch.setattr("viz.address.address.is_returned", lambda: True)
    ok(app.run())
    monkeypatch.setattr("viz.address.address.is_returned", lambda: False)
    app.session_state["waits"] = False
    app.session_state["text"] = "typed"
    ok(app.run())
    assert (app.session_state["text"], app.session_state["other"]) == ("typed", "back")
    assert written(app) == {"text": "typed", "other": "back"}
