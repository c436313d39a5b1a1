"""Folds, parts of a page that open by a click on their heading: the address lists the open ones."""

from streamlit.testing.v1 import AppTest


def page():
    import streamlit as st

    from viz.address import address
    from viz.frame.expander import fold, open_fold

    address.follow()
    if st.session_state.pop("open_it", False):
        open_fold("one")
    fold("One", lambda: st.write("inside"), key="one")
    fold("Two", lambda: st.write("usual"), key="two", opened=True)
    address.end_run()


def test_a_run_that_was_asked_for_with_an_older_address_keeps_what_is_open():
    app = AppTest.from_function(page).run()
    app.session_state["open_it"] = True
    app.run()
    assert app.query_params["more_one"] == "true"
    del app.query_params["more_one"]
    app.run()
    assert not app.exception
    assert [text.value for text in app.markdown] == ["inside", "usual"]
    assert app.query_params["more_one"] == "true"
    assert "more_two" not in app.query_params
