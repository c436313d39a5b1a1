from dataclasses import replace

import pytest
import torch

from viz.run.record import KINDS, Run, attention_trace, axis_tokens, make_run
from viz.run.selection import (
    FIELDS,
    Selection,
    Texts,
    carry_over,
    default_selection,
    matrix_size,
    nearest,
    telling_cell,
)

CROSS = "cross-attention"


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


@pytest.fixture(scope="module")
def cat(checkpoint) -> Run:
    """the cat sleeps . </s> -> le chat dort . </s>"""
    return make_run(checkpoint, "the cat sleeps .")


@pytest.fixture(scope="module")
def dog(checkpoint) -> Run:
    """the dog sees the cat . </s> -> le chien voit le chat . </s>"""
    return make_run(checkpoint, "the dog sees the cat .")


def with_weights(run: Run, *rows: tuple[float, ...]) -> Run:
    """Put weights into layer 1, head 2 of cross-attention."""
    first, second = run.trace.decoder.layers
    weights = second.cross_attn.weights.clone()
    weights[0, 2] = torch.tensor(rows)
    second = replace(second, cross_attn=replace(second.cross_attn, weights=weights))
    decoder = replace(run.trace.decoder, layers=(first, second))
    return replace(run, trace=replace(run.trace, decoder=decoder))


def test_a_telling_row_is_the_sharpest_of_a_word_that_reads_a_word(cat):
    assert axis_tokens(cat, CROSS) == (
        ("le", "chat", "dort", ".", "</s>"),
        ("the", "cat", "sleeps", ".", "</s>"),
    )
    made = with_weights(
        cat,
        (0.6, 0.1, 0.1, 0.1, 0.1),
        (0.1, 0.1, 0.7, 0.1, 0.0),  # chat, by reading sleeps
        (0.0, 0.1, 0.0, 0.0, 0.9),  # sharper, but reads </s>
        (0.0, 0.0, 0.0, 1.0, 0.0),  # sharper, but is a full stop
        (1.0, 0.0, 0.0, 0.0, 0.0),  # sharper, but is </s>
    )
    assert telling_cell(made, CROSS, 1, 2) == (1, 2)
    assert default_selection(made) == Selection(CROSS, 1, 2, 1, 2, 1)


def test_where_no_word_reads_a_word_the_sharpest_row_of_a_word_tells_most(cat):
    even = (0.1, 0.2, 0.2, 0.2, 0.3)
    made = with_weights(cat, even, (0.0, 0.1, 0.1, 0.8, 0.0), even, (1.0, 0, 0, 0, 0), even)
    assert telling_cell(made, CROSS, 1, 2) == (1, 3)


def test_a_row_without_a_choice_or_without_numbers_tells_nothing(cat):
    nan = (torch.nan,) * 5
    made = with_weights(cat, nan, nan, nan, (0.2, 0.8, 0.0, 0.0, 0.0), nan)
    assert telling_cell(made, CROSS, 1, 2)[0] in (0, 1, 2)
    weights = attention_trace(cat, "decoder self-attention", 0).weights[0, 0]
    assert weights[0, 0] == 1.0  # the first row may read only itself
    assert telling_cell(cat, "decoder self-attention", 0, 0)[0] != 0


def test_what_no_link_asks_for_is_the_strongest_cell(cat):
    made = with_weights(
        cat, *((0.2, 0.2, 0.2, 0.2, 0.2),) * 2, (0.0, 0.9, 0.1, 0.0, 0.0), *((0.2,) * 5,) * 2
    )
    assert nearest(made, {"layer": 1, "head": 2})[0] == Selection(CROSS, 1, 2, 2, 1, 2)
    weights = attention_trace(made, CROSS, 1).weights[0, 2]
    selection, _ = nearest(made, {"layer": 1, "head": 2, "query": 4})
    assert (selection.query, selection.key) == (4, int(weights[4].argmax()))


def carried(before: Run, selection: Selection, now: Run, **changes: object) -> dict:
    there = selection.to_dict()
    return carry_over(texts(now), there | changes, texts(before).at(there))


def texts(run: Run) -> Texts:
    return Texts(run.source.tokens, run.target_tokens)


def test_a_place_is_named_by_its_tokens(cat):
    assert texts(cat).at(Selection(CROSS, 1, 2, 1, 2, 3).to_dict()) == {
        "query": "chat",
        "key": "sleeps",
        "step": ".",
    }
    asked = {"kind": "decoder self-attention", "query": "4", "key": "0", "step": "5"}
    assert texts(cat).at(asked) == {"query": "</s>", "key": "<s>"}


def test_a_cell_is_kept_where_the_same_tokens_stand(cat, dog):
    there = Selection(CROSS, 1, 2, 0, 0, 0)  # le reads the, in both
    assert carried(cat, there, dog) == there.to_dict()


def test_a_row_of_another_token_is_dropped_with_its_key(cat, dog):
    there = Selection(CROSS, 1, 2, 1, 0, 1)  # chat reads the: now it would be chien
    assert carried(cat, there, dog) == {"kind": CROSS, "layer": 1, "head": 2}


def test_a_key_of_another_token_is_dropped_alone(cat, dog):
    there = Selection(CROSS, 1, 2, 0, 1, 0)  # le reads cat: now it would be dog
    assert carried(cat, there, dog) == {
        "kind": CROSS,
        "layer": 1,
        "head": 2,
        "query": 0,
        "step": 0,
    }


def test_a_place_beyond_the_end_is_dropped(cat, dog):
    there = Selection(CROSS, 1, 2, 6, 6, 6)  # </s> reads </s>
    assert carried(dog, there, cat) == {"kind": CROSS, "layer": 1, "head": 2}


def test_another_kind_keeps_what_it_shares(cat):
    there = Selection(CROSS, 1, 2, 1, 1, 1)  # chat reads cat
    now = carried(cat, there, cat, kind="decoder self-attention")  # its second key is le
    assert now == {"kind": "decoder self-attention", "layer": 1, "head": 2, "query": 1, "step": 1}
    now = carried(cat, there, cat, kind="encoder self-attention")  # its second row is cat
    assert now == {"kind": "encoder self-attention", "layer": 1, "head": 2, "step": 1}


def test_what_was_selected_elsewhere_without_its_tokens_is_not_carried_over(cat):
    there = Selection(CROSS, 1, 2, 1, 1, 1).to_dict()
    assert carry_over(texts(cat), there, {}) == {"kind": CROSS, "layer": 1, "head": 2}


def test_a_place_that_is_no_number_is_dropped(cat):
    asked = {"kind": "<b>", "query": "x", "key": "-1", "step": "9" * 5000}
    assert carry_over(texts(cat), asked, {"query": "le"}) == {"kind": "<b>"}
