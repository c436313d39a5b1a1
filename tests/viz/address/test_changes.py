import math

import pytest

from model.interventions.kinds import Intervention
from viz.address.changes import LONGEST_LINK, Change, change_for, read_changes, write_changes

RUN = ("everyday-paper-0", "the cat sleeps .", "")

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


def test_a_change_of_positions_is_of_one_run():
    off, pull, paint = (change_for(one, *RUN) for one in CHANGES[:3])
    assert off.applies("another", "text", "")
    for change in (pull, paint):
        assert change.applies(*RUN)
        for place, other in enumerate(("another", "the dog sleeps .", "le chien dort .")):
            assert not change.applies(*RUN[:place], other, *RUN[place + 1 :])


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


def test_a_change_made_for_other_texts_names_them_and_is_none_of_those_in_view():
    hidden = Intervention("cut", "decoder.layers.*.cross_attn.weights", rows=(5,), columns=(0,))
    made = (
        change_for(hidden, *RUN),
        change_for(hidden, RUN[0], "l'été ; a~b!", ""),
        change_for(hidden, *RUN[:2], "le chat dort .", is_on=False),
        change_for(hidden, "digits-paper", *RUN[1:]),
        change_for(CHANGES[0], *RUN),
    )
    here = f"cut!{hidden.name};r5;c0"
    for texts in {one.made_for for one in made if one.made_for}:
        written = write_changes(made, texts)
        assert read_changes(written, *texts) == made
        assert written.split("~").count(here) == (texts[2] == "")
    assert write_changes(made[:1], RUN) == here
    assert (
        write_changes(made[:1], (RUN[0], "the dog sleeps .", "x")) == f"{here};sthe cat sleeps .;t"
    )


@pytest.mark.parametrize("amount", [-123.456789012345, 1e-7])
def test_a_link_keeps_all_digits(amount: float):
    made = (
        Intervention("scale", "encoder.output", amount=amount),
        Intervention("paint", "encoder.layers.0.self_attn.weights", values=(abs(amount), 0.0)),
    )
    linked = read_changes(write_changes([Change(one) for one in made]), *RUN)
    assert linked[0].intervention.amount == amount
    assert linked[1].intervention.values == (abs(amount), 0.0)
    assert read_changes("scale!encoder.output;a0.123456", *RUN)[0].intervention.amount == 0.123456


@pytest.mark.parametrize(
    ("count", "refused"),
    [(10_000, "the link has 10,000 changes"), (24, "take 7,[0-9]{3} characters")],
)
def test_what_is_refused_is_what_is_wrong(count: int, refused: str):
    text = "~".join(["zero!encoder.layers.0.self_attn.heads;r" + "_".join(["1"] * 138)] * count)
    with pytest.raises(ValueError, match=refused):
        read_changes(text, *RUN)


def test_many_changes_are_refused():
    changes = [Change(CHANGES[0])] * 25
    with pytest.raises(ValueError, match="the limit is 24"):
        read_changes(write_changes(changes), *RUN)
