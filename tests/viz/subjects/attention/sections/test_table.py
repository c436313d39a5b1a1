import io
from collections import Counter

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from texts import say_of
from viz.run.alignment import gold_links
from viz.run.head_roles import find_roles
from viz.run.head_summary import METRICS, metrics_by_head, summarise_heads
from viz.run.record import KINDS


def show(frame):  # AppTest runs its source alone: no annotations, imports inside
    import streamlit as st

    from viz.subjects.attention import words
    from viz.subjects.attention.sections.table import show_head_table

    st.text(repr(show_head_table(frame, key="table", how=words.roles(None))))


@pytest.fixture(scope="module")
def frame(run, checkpoint) -> pd.DataFrame:
    roles = find_roles(checkpoint)
    return summarise_heads(run, metrics_by_head(run, gold_links(run)), roles)


@pytest.fixture
def page(frame) -> AppTest:
    return AppTest.from_function(show, kwargs={"frame": frame}).run(timeout=30)


def choose(page, key, *values):
    next(pills for pills in page.get("pills") if pills.key == key).set_value(list(values))
    return again(page)


def select(page, row):
    selection = {"rows": [row], "columns": [], "cells": []}
    page.session_state[page.dataframe[0].key] = {"selection": selection}
    return again(page)


def again(page):
    page.run(timeout=30)
    assert not page.exception
    return page


def worded(frame: pd.DataFrame) -> pd.DataFrame:
    """Kinds are called in English what they are in the trace; jobs have words of their own."""
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


def test_filters_by_kind_and_by_role_and_counts_the_heads(page, frame):
    kinds, roles = page.get("pills")
    of_kind = int((frame["kind"] == KINDS[2]).sum())
    assert f"{KINDS[2]} ({of_kind})" in kinds.options
    counts = Counter(name for names in frame["roles"] for name in names)
    assert any(len(names) > 1 for names in frame["roles"])
    assert roles.options == [
        f"{say_of('job.words', name)} ({count})" for name, count in counts.items()
    ]
    choose(page, "table_kinds", KINDS[2])
    assert page.dataframe[0].value["kind"].unique().tolist() == [KINDS[2]]
    assert len(page.dataframe[0].value) == of_kind
    name = frame["roles"].iloc[-3][-1]
    choose(page, "table_roles", name)
    does_it = frame["roles"].map(lambda names: name in names)
    expected = frame[(frame["kind"] == KINDS[2]) & does_it]
    assert page.dataframe[0].value["head"].tolist() == expected["head"].tolist()


def test_a_selected_row_is_a_head_and_goes_with_its_filter(page, frame):
    row = frame.iloc[9]
    select(page, 9)
    assert returned(page) == repr((row["kind"], int(row["layer"]), int(row["head"])))
    choose(page, "table_kinds", KINDS[2])
    assert returned(page) == "None"
    first = frame[frame["kind"] == KINDS[2]].iloc[1]
    select(page, 1)
    assert returned(page) == repr((KINDS[2], int(first["layer"]), int(first["head"])))


def test_says_where_no_head_is_left(frame):
    changed = frame.assign(roles=[("none",)] * (len(frame) - 1) + [("reads_before",)])
    page = AppTest.from_function(show, kwargs={"frame": changed}).run(timeout=30)
    choose(page, "table_kinds", KINDS[0])
    choose(page, "table_roles", "reads_before")
    assert not page.dataframe
    assert page.caption[0].value == "No head of these kinds does one of these."


def test_what_is_shown_can_be_downloaded_and_no_token_is_a_formula(frame, monkeypatch):
    import streamlit as st

    files = []
    monkeypatch.setattr(st, "download_button", lambda _, data, **__: files.append(data))
    page = AppTest.from_function(show, kwargs={"frame": frame.assign(most_read="=1+1")})
    choose(page.run(timeout=30), "table_kinds", KINDS[0])
    everything, one_kind = (pd.read_csv(io.StringIO(file)) for file in files)
    assert set(everything["most_read"]) == {"'=1+1"}
    expected = worded(frame).assign(most_read="'=1+1")
    pd.testing.assert_frame_equal(everything, expected, check_exact=False)
    assert one_kind["kind"].unique().tolist() == [KINDS[0]]
