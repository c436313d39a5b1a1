import io

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from texts import say_of
from viz.heads.head_roles import find_roles
from viz.heads.head_summary import METRICS, metrics_by_head
from viz.heads.head_table import summarise_heads
from viz.run.alignment import gold_links


def show(frame):  # AppTest runs only this source: no annotations, imports inside
    import streamlit as st

    from viz.subjects.attention.sections.table import show_head_table

    st.text(repr(show_head_table(frame, key="table")))


@pytest.fixture(scope="module")
def frame(run, checkpoint) -> pd.DataFrame:
    roles = find_roles(checkpoint)
    return summarise_heads(run, metrics_by_head(run, gold_links(run)), roles)


@pytest.fixture
def page(frame) -> AppTest:
    return AppTest.from_function(show, kwargs={"frame": frame}).run(timeout=30)


def select(page, row):
    selection = {"rows": [row], "columns": [], "cells": []}
    page.session_state[page.dataframe[0].key] = {"selection": selection}
    return again(page)


def again(page):
    page.run(timeout=30)
    assert not page.exception
    return page


def worded(frame: pd.DataFrame) -> pd.DataFrame:
    """Write the jobs in words; the English names of kinds are those of the trace."""
    said = ["; ".join(say_of("job.words", name) for name in names) for names in frame["roles"]]
    return frame.assign(roles=said)


def returned(page) -> str:
    return page.text[0].value


@pytest.mark.slow
def test_shows_every_head_and_each_number_under_a_name(page, frame):
    assert not page.exception
    pd.testing.assert_frame_equal(page.dataframe[0].value.reset_index(drop=True), worded(frame))
    columns = page.dataframe[0].proto.columns
    for name in METRICS:
        assert say_of("metric.name", name) in columns
    assert returned(page) == "None"


def test_a_selected_row_is_a_head(page, frame):
    row = frame.iloc[9]
    select(page, 9)
    assert returned(page) == repr((row["kind"], int(row["layer"]), int(row["head"])))


def test_what_is_shown_can_be_downloaded_and_no_token_is_a_formula(frame, monkeypatch):
    import streamlit as st

    files = []
    monkeypatch.setattr(st, "download_button", lambda _, data, **__: files.append(data))
    page = AppTest.from_function(show, kwargs={"frame": frame.assign(most_read="=1+1")})
    again(page)
    (everything,) = (pd.read_csv(io.StringIO(file)) for file in files)
    assert set(everything["most_read"]) == {"'=1+1"}
    expected = worded(frame).assign(most_read="'=1+1")
    pd.testing.assert_frame_equal(everything, expected, check_exact=False)
