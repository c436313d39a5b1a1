import math

import pytest

from tests.shipped import PAPER, shipped
from texts import speaking
from viz.subjects.compare import words
from viz.subjects.compare.heads import kind_changes
from viz.subjects.compare.pairing import pair_runs
from viz.subjects.compare.shared import what_is_shared
from viz.subjects.compare.telling import answer
from viz.subjects.compare.words import Likeness, Told

TIRED = "the animal did not cross the street because it was too tired ."
WIDE = TIRED.replace("tired", "wide")
ENCODER, CROSS = "encoder self-attention", "cross-attention"


def said(a, b, *, matched: bool = False) -> str:
    pairing = pair_runs(a, b, "tokens", (None, None))
    changes = kind_changes(a, b, pairing, by_likeness=matched)
    return answer(a, b, changes, pairing.target, matched=matched).striptags()


def test_the_answer_names_the_two_heads_and_the_words():
    assert said(shipped(PAPER, TIRED)[0], shipped(PAPER, WIDE)[0]) == (
        "Two of 24 heads look elsewhere: heads 1 and 3 of encoder layer 1, both at it. A writes il "
        "where B writes elle and fatigué where B writes large."
    )


def test_the_same_run_looks_where_it_looked(run):
    assert said(run, run) == (
        "Every head looks where it looked, with the same weights. Both write the same."
    )


def test_two_models_are_told_by_their_likeness():
    told = said(shipped(PAPER, TIRED)[0], shipped("english-french-paper-3", TIRED)[0], matched=True)
    assert told.startswith("Beside the head of B that is most like it, a head of A still puts ")
    assert told.endswith("Both write the same.")


@pytest.mark.parametrize(
    ("far", "expected"),
    [
        (
            [Told(CROSS, 1, 0, "il", 0.3, 0.38)],
            "No head looks elsewhere. The one that moved most is head 0 of the cross-attention in "
            "layer 1: writing il it puts 38 % of its weight on other words.",
        ),
        (
            [Told(ENCODER, 0, 2, ".", 0.8, 0.9), Told(CROSS, 1, 0, "il", 0.3, 0.38)],
            "One of 2 heads looks elsewhere: head 2 of encoder layer 0 at “.”.",
        ),
        (
            [Told(ENCODER, 0, 2, "it", 0.8, 0.9), Told(CROSS, 1, 0, "il", 0.6, 0.7)],
            "All 2 heads look elsewhere: head 2 of encoder layer 0 at it and head 0 of the "
            "cross-attention in layer 1 writing il.",
        ),
        (
            [Told(ENCODER, 0, head, "it", 0.9, 0.9) for head in range(8)]
            + [Told(CROSS, 0, 0, "il", 0.1, 0.2)],
            "8 of 9 heads look elsewhere. Head 0 of encoder layer 0 has moved most, at it.",
        ),
    ],
)
def test_few_heads_are_named_and_many_counted(far, expected: str):
    assert words.say_heads(far).striptags() == expected


def test_what_someone_typed_is_escaped():
    told = [Told(ENCODER, 0, 0, "<script>", 0.9, 0.9)]
    assert "<script>" not in words.say_heads(told)
    assert "<script>" not in words.say_outputs([("<script>", "b")], 1, 2, given=False)


def test_a_word_that_only_one_has_is_told_apart():
    replaced = [("il", "elle"), ("", "très"), ("bien", "")]
    told = words.say_outputs(replaced, 5, 8, given=False).striptags()
    assert told == "A writes il where B writes elle. Only A writes bien. Only B writes très."


def test_many_replaced_words_are_counted():
    replaced = [(str(i), "") for i in range(4)]
    told = words.say_outputs(replaced, 5, 9, given=True)
    assert told == "Of 9 words of the output, 5 are the same in both."


def test_a_head_without_a_partner_is_not_told():
    assert words.say_matched([]) == "No head of one stands for a head of the other."
    alike = [Likeness(ENCODER, 0, 1, 0.001), Likeness(CROSS, 1, 2, 0.6)]
    assert words.say_matched(alike).endswith(
        "Most alike is head 1 of encoder layer 0 (0.1 %), least head 2 of the cross-attention in "
        "layer 1 (60 %)."
    )


def test_models_of_other_languages_share_no_heads():
    a, digits = shipped(PAPER, TIRED)[0], shipped("digits-paper")[0]
    shared = what_is_shared(a, digits, one_model=False)
    assert not shared.heads
    assert not shared.outputs
    assert "One goes from English to French" in shared.why_not


def test_likelier_is_a_ratio_of_probabilities():
    assert words.likelier(-1.0, -2.0).startswith("A gives its own output about 2.7 times")
    assert "its own output about 410,000 times" in words.likelier(-2.0, -14.9231644)
    assert "its own output about 100 times" in words.likelier(-2.0, -2.0 - math.log(99.96))
    assert words.likelier(-30.0, -2.0).startswith("A gives the output of B more than a million")


def test_heads_and_words_are_told_in_french():
    far = [
        Told(ENCODER, 0, 2, ".", 0.8, 0.9),
        Told(CROSS, 1, 0, "il", 0.6, 0.7),
        Told(CROSS, 1, 1, "il", 0.1, 0.2),
    ]
    with speaking("fr"):
        assert words.say_heads(far).striptags() == (
            "Deux têtes sur 3 regardent ailleurs : la tête 2 de la couche 0 de l'encodeur sur "
            "« . » et la tête 0 de l'attention croisée de la couche 1 en écrivant il."
        )
        assert words.say_outputs([("il", "elle")], 5, 6, given=False).striptags() == (
            "A écrit il là où B écrit elle."
        )
        assert words.likelier(-1.0, -2.0) == (
            "A donne à sa propre sortie environ 2,7 fois la probabilité de l'autre."
        )


def test_unknown_words_are_listed_and_counted():
    assert "know “a” and “b”, and reads <unk>" in words.unknown_in_other(["a", "b"])
    assert "“d” and 3 more, and" in words.unknown_in_other(list("abcdefg"))
