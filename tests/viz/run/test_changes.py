import math

import pytest

from model.intervention import Intervention
from viz.run.changes import LONGEST_LINK, Change, change_for, read_changes, write_changes

RUN = ("english-french-paper-0", "the cat sleeps .", "")

CHANGES = (
    Intervention("zero", "encoder.layers.0.self_attn.heads", head=0),
    Intervention(
        "point", "decoder.layers.*.cross_attn.weights", rows=(4, 5), columns=(2,), amount=0.7
    ),
    Intervention("paint", "encoder.layers.1.self_attn.weights", values=(0.5, 0.0, 1.25)),
    Intervention("fill", "decoder.layers.*.self_attn.scores", amount=-math.inf),
    Intervention("scale", "logits", amount=-0.25),
    Intervention("patch", "encoder.output", rows=(1,), origin="a; b~c!d | é", origin_rows=(0,)),
    Intervention("patch", "encoder.layers.0.self_attn.heads", head=1, origin_head=3),
)


@pytest.mark.parametrize("is_on", [True, False])
def test_a_link_gives_back_what_was_written(is_on: bool):
    changes = tuple(change_for(one, *RUN, is_on) for one in CHANGES)
    assert read_changes(write_changes(changes), *RUN) == changes


def test_no_changes_are_an_empty_text():
    assert write_changes(()) == ""
    assert read_changes("", *RUN) == ()


def test_a_change_of_positions_is_of_one_run():
    off, pull = (change_for(one, *RUN) for one in CHANGES[:2])
    assert off.applies("another", "text", "")
    assert pull.applies(*RUN)
    assert not pull.applies(RUN[0], "the dog sleeps .", "")


@pytest.mark.parametrize(
    "text",
    [
        "x" * (LONGEST_LINK + 1),
        "~" * 60,
        "zero",
        "burn!logits",
        "zero!logits;z1",
        "zero!logits;r-1",
        "zero!logits;r" + "9" * 4400,
        "zero!logits;r１",
        "scale!logits;anan",
        "scale!logits;aten",
        "point!decoder.layers.0.cross_attn.weights;c1;a7",
        "paint!encoder.layers.1.self_attn.weights;v" + "_".join(["1"] * 2000),
        "zero!logits;h",
    ],
)
def test_what_no_link_of_ours_says_is_refused_in_words(text: str):
    with pytest.raises(ValueError, match=r"\w+ \w+"):
        read_changes(text, *RUN)


def test_many_changes_are_refused():
    changes = [Change(CHANGES[0])] * 25
    with pytest.raises(ValueError, match="at most 24"):
        read_changes(write_changes(changes), *RUN)
