from dataclasses import replace

import pytest

from viz.run.record import KINDS, attention_trace
from viz.run.selection import FIELDS, Selection, default_selection, matrix_size, nearest


def test_starts_at_the_best_head_and_the_token_it_reads_most(run):
    selection = default_selection(run)
    assert (selection.kind, selection.layer, selection.head) == ("cross-attention", 1, 2)
    row = attention_trace(run, "cross-attention", 1).weights[0, 2, selection.query]
    assert row[selection.key] == row.max()
    assert selection.step == selection.query


@pytest.mark.parametrize("best", [None, {}, {"layer": 7, "head": 0}, {"layer": 0, "head": 99}, "x"])
def test_starts_in_the_last_layer_where_no_best_head_is_known(run, best):
    info = replace(run.info, scores={"best_head": best})
    selection = default_selection(replace(run, info=info))
    assert (selection.layer, selection.head) == (1, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_what_exists_is_selected_as_asked(run, kind):
    rows, columns = matrix_size(run, kind)
    asked = {"kind": kind, "layer": "0", "head": 3, "query": rows - 1, "key": str(columns - 1)}
    selection, notes = nearest(run, asked | {"step": 0})
    assert selection == Selection(kind, 0, 3, rows - 1, columns - 1, 0)
    assert notes == ()
    assert nearest(run, selection.to_dict()) == (selection, ())


def test_nothing_asked_is_the_default(run):
    assert nearest(run, {}) == (default_selection(run), ())


@pytest.mark.parametrize(
    ("name", "asked", "shown"),
    [
        ("layer", "9", 1),
        ("head", "-3", 0),
        ("query", 500, 15),
        ("key", "9" * 5000, 13),
        ("step", "99", 15),
        ("layer", "x", 1),
        ("key", "", None),
        ("head", "1.5", 2),
    ],
)
def test_what_does_not_exist_becomes_the_nearest_and_is_said(run, name, asked, shown):
    selection, notes = nearest(run, {name: asked})
    if shown is None:
        shown = default_selection(run).to_dict()[name]
    assert selection.to_dict()[name] == shown
    assert len(notes) == 1
    assert notes[0].startswith(f"The link asks for {name} {str(asked)[:39]}")
    assert notes[0].endswith(f"Showing {name} {shown}.")
    assert len(notes[0]) < 150


def test_an_unknown_kind_becomes_cross_attention(run):
    selection, notes = nearest(run, {"kind": "<b>nonsense</b>"})
    assert selection.kind == "cross-attention"
    assert "there are encoder self-attention, decoder self-attention, cross-attention" in notes[0]


def test_its_names_are_those_of_the_link():
    assert FIELDS == ("kind", "layer", "head", "query", "key", "step")
