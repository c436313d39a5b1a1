from dataclasses import replace

import pytest
import torch

from tests.shipped import shipped
from viz.address.selection import (
    Selection,
    Texts,
    aligned_selection,
    carry_over,
    default_selection,
    matrix_size,
    nearest,
)
from viz.heads.telling_cells import telling_cell, telling_reading
from viz.run.axes import KINDS, attention_trace, axis_tokens
from viz.run.making import make_run
from viz.run.record import Run

CROSS = "cross-attention"


ENCODER = "encoder self-attention"


@pytest.mark.parametrize(("word", "meant"), [("tired", "animal"), ("wide", "street")])
def test_starts_where_it_reads_what_it_means(word, meant):
    text = f"the animal did not cross the street because it was too {word} ."
    there, _ = shipped("everyday-paper-0", text)
    selection = default_selection(there)
    assert selection.kind == ENCODER
    tokens = there.source.tokens
    assert (tokens[selection.query], tokens[selection.key]) == ("it", meant)
    weights = attention_trace(there, ENCODER, selection.layer).weights[0, selection.head]
    assert weights[selection.query].argmax() == selection.key
    assert weights[selection.query, selection.key] >= 0.5


@pytest.mark.parametrize("source", ["reverse 3 1 4 1 5 9", "copy 7 0 7"])
def test_starts_at_the_head_that_aligns_best_where_words_have_no_classes(source):
    there, _ = shipped("digits-paper", source)
    assert default_selection(there) == aligned_selection(there)
    best = there.info.scores["best_head"]
    selection = default_selection(there)
    assert (selection.kind, selection.layer, selection.head) == (CROSS, best["layer"], best["head"])


@pytest.mark.slow
def test_the_aligned_start_is_the_best_head_and_the_token_it_reads_most(run):
    selection = aligned_selection(run)
    assert (selection.kind, selection.layer, selection.head) == (CROSS, 1, 2)
    row = attention_trace(run, CROSS, 1).weights[0, 2, selection.query]
    assert row[selection.key] == row.max()
    assert selection.step == selection.query


@pytest.mark.parametrize("best", [None, {}, {"layer": 7, "head": 0}, {"layer": 0, "head": 99}, "x"])
def test_the_aligned_start_is_in_the_last_layer_where_no_best_head_is_known(run, best):
    info = replace(run.info, scores={"best_head": best})
    selection = aligned_selection(replace(run, info=info))
    assert (selection.layer, selection.head) == (1, 0)


def reading(run: Run, **cells: float) -> Run:
    """Let rows of encoder layer 0, head 1 read one key each: `r4k1=0.9`; the rest is even."""
    size = len(run.source.tokens)
    weights = torch.full((1, 4, size, size), 1 / size)
    for name, weight in cells.items():
        row, key = map(int, name.removeprefix("r").split("k"))
        weights[0, 1, row] = (1 - weight) / (size - 1)
        weights[0, 1, row, key] = weight
    even = torch.full_like(weights, 1 / size)
    layers = [
        replace(layer, self_attn=replace(layer.self_attn, weights=made))
        for layer, made in zip(run.trace.encoder.layers, (weights, even), strict=True)
    ]
    encoder = replace(run.trace.encoder, layers=tuple(layers))
    return replace(run, trace=replace(run.trace, encoder=encoder))


# 0 the 1 animal 2 did 3 not 4 cross 5 the 6 street 7 because 8 it 9 was 10 too 11 tired 12 .
@pytest.mark.parametrize(
    ("cells", "cell"),
    [
        ({"r8k1": 0.6, "r11k1": 0.9}, (8, 1)),  # "it" before all others
        ({"r8k1": 0.4, "r11k1": 0.9}, (11, 1)),  # but not if "it" has no clear favourite
        ({"r8k11": 0.99, "r8k1": 0.0, "r11k1": 0.6}, (11, 1)),  # nor if it reads a later word
        ({"r4k6": 0.6, "r11k1": 0.9}, (11, 1)),  # the sharper row
        ({"r4k6": 0.6, "r2k4": 0.99}, (4, 6)),  # content words before others
        ({"r4k6": 0.6, "r1k1": 1.0, "r6k5": 1.0, "r5k0": 1.0, "r4k13": 0.0}, None),
        ({"r4k6": 0.6, "r6k6": 1.0, "r3k2": 1.0, "r5k0": 1.0, "r7k13": 1.0}, (4, 6)),
        ({"r12k1": 1.0, "r13k11": 1.0, "r4k6": 0.35}, (4, 6)),  # only rows of words count
        ({"r4k6": 0.2, "r6k12": 1.0}, None),  # no row is sharp enough
    ],
)
def test_a_telling_reading_is_of_another_word_farther_away(run, cells, cell):
    made = reading(run, **cells)
    found = telling_reading(made)
    assert (found and found[2:]) == cell
    assert found is None or found[:2] == (0, 1)
    expected = ENCODER if cell else CROSS
    assert default_selection(made).kind == expected


@pytest.mark.parametrize(
    "asked",
    [
        {"kind": ENCODER},
        {"layer": 0},
        {"head": 3},
        {"step": 2},
    ],
)
def test_a_link_that_asks_for_a_part_has_the_rest_of_the_aligned_head(run, asked):
    """Links from before Start existed still open the same cell."""
    selection, notes = nearest(run, asked)
    aligned = aligned_selection(run)
    kind = asked.get("kind", aligned.kind)
    layer, head = asked.get("layer", aligned.layer), asked.get("head", aligned.head)
    assert (selection.kind, selection.layer, selection.head) == (kind, layer, head)
    assert (selection.query, selection.key) == telling_cell(run, kind, layer, head)
    assert notes == ()


def test_what_moved_to_another_sentence_goes_to_the_row_that_says_most(run):
    made = reading(run, r1k1=1.0, r8k1=0.9)
    asked = {"kind": ENCODER, "layer": 0, "head": 1}
    assert telling_cell(made, ENCODER, 0, 1) == (1, 1)  # the sharpest row, which reads itself
    assert nearest(made, asked)[0].query == 1
    moved, _ = nearest(made, asked, moved=True)
    assert (moved.query, moved.key) == (8, 1)
    kept, _ = nearest(made, asked | {"query": 4}, moved=True)
    assert kept.query == 4


@pytest.mark.parametrize("kind", KINDS)
def test_what_exists_is_selected_as_asked(run, kind):
    rows, columns = matrix_size(run, kind)
    asked = {"kind": kind, "layer": "0", "head": 3, "query": rows - 1, "key": str(columns - 1)}
    selection, notes = nearest(run, asked | {"step": 0})
    assert selection == Selection(kind, 0, 3, rows - 1, columns - 1, 0)
    assert notes == ()
    assert nearest(run, selection.to_dict()) == (selection, ())


@pytest.mark.parametrize(
    ("name", "asked", "shown"),
    [
        ("head", "-3", 0),
        ("query", 500, 15),
        ("key", "9" * 5000, 13),
        ("layer", "x", 1),
        ("key", "", None),
    ],
)
def test_what_does_not_exist_becomes_the_nearest_and_is_said(run, name, asked, shown):
    selection, notes = nearest(run, {name: asked})
    if shown is None:
        shown = aligned_selection(run).to_dict()[name]
    assert selection.to_dict()[name] == shown
    assert len(notes) == 1
    assert notes[0].startswith(f"The link asks for {name} {str(asked)[:39]}")
    assert notes[0].endswith(f"Showing {shown}.")
    assert len(notes[0]) < 150


def test_an_unknown_kind_becomes_cross_attention(run):
    selection, notes = nearest(run, {"kind": "<b>nonsense</b>"})
    assert selection.kind == "cross-attention"
    kinds = "encoder self-attention, decoder self-attention, cross-attention"
    assert f"this model has {kinds}" in notes[0]


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
    assert aligned_selection(made) == Selection(CROSS, 1, 2, 1, 2, 1)


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


def test_a_cell_is_kept_where_the_same_tokens_stand(cat, dog):
    there = Selection(CROSS, 1, 2, 0, 0, 0)  # le reads the, in both
    assert carried(cat, there, dog) == there.to_dict()


def test_a_place_goes_on_with_its_token_and_is_dropped_where_that_is_gone(cat, dog):
    head = {"kind": CROSS, "layer": 1, "head": 2}
    row = Selection(CROSS, 1, 2, 1, 0, 1)  # chat reads the: chat is the fifth written token now
    assert carried(cat, row, dog) == head | {"query": 4, "key": 0, "step": 4}
    key = Selection(CROSS, 1, 2, 0, 1, 0)  # le reads cat: cat is the fifth word now
    assert carried(cat, key, dog) == head | {"query": 0, "key": 4, "step": 0}
    nearer = Selection(CROSS, 1, 2, 3, 3, 3)  # the second le reads the second the
    assert carried(dog, nearer, cat) == head | {"query": 0, "key": 0, "step": 0}
    gone = Selection(CROSS, 1, 2, 1, 4, 1)  # chien reads cat: the row is gone, and so is its key
    assert carried(dog, gone, cat) == head
    read = Selection(CROSS, 1, 2, 4, 2, 4)  # chat reads sees
    assert carried(dog, read, cat) == head | {"query": 1, "step": 1}


@pytest.mark.parametrize(
    ("one", "other", "is_like"),
    [
        ("the cat sleeps .", "the old cat sleeps .", True),
        ("the cat sleeps .", "the cat", True),  # as while a sentence is being typed
        ("the cat sleeps .", "the dog eats .", False),  # punctuation does not count as a word
        ("the cat sees the dog .", "the the the", True),  # 2 of 3
        ("the cat sees a dog .", "the the the", False),  # 1 of 3
        ("", "the dog", True),
    ],
)
def test_a_text_is_like_another_that_has_half_of_its_words(one, other, is_like):
    both = [Texts((*text.split(), "</s>"), ("<s>",)) for text in (one, other)]
    assert both[0].is_like(both[1]) is is_like
    assert both[1].is_like(both[0]) is is_like


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


def test_one_head_alone_can_be_asked(run):
    made = reading(run, r8k1=0.9)
    assert telling_reading(made, (0, 1)) == (0, 1, 8, 1)
    assert telling_reading(made, (1, 1)) is None


def test_where_no_word_reads_a_word_the_sharpest_row_of_a_word_tells_most(cat):
    even = (0.1, 0.2, 0.2, 0.2, 0.3)
    made = with_weights(cat, even, (0.0, 0.1, 0.1, 0.8, 0.0), even, (1.0, 0, 0, 0, 0), even)
    assert telling_cell(made, CROSS, 1, 2) == (1, 3)
