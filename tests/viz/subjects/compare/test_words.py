import math

import pytest

from tests.shipped import PAPER, shipped
from viz.subjects.compare import words
from viz.subjects.compare.heads import kind_changes
from viz.subjects.compare.pairing import pair_runs
from viz.subjects.compare.summary import answer
from viz.subjects.compare.words import Told

TIRED = "the animal did not cross the street because it was too tired ."
WIDE = TIRED.replace("tired", "wide")
ENCODER, CROSS = "encoder self-attention", "cross-attention"


def said(a, b, *, matched: bool = False) -> str:
    pairing = pair_runs(a, b)
    changes = kind_changes(a, b, pairing, by_likeness=matched)
    return answer(a, b, changes, pairing.target, matched=matched).striptags()


def test_the_answer_names_the_two_heads_and_the_words():
    told = said(shipped(PAPER, TIRED)[0], shipped(PAPER, WIDE)[0])
    assert "heads 1 and 3 of encoder layer 1, both at it" in told
    assert "il where B writes elle and fatigué where B writes large" in told


@pytest.mark.parametrize(
    ("far", "expected"),
    [
        (
            [Told(CROSS, 1, 0, "il", 0.3, 0.38)],
            "head 0 of the cross-attention in layer 1: writing il it puts 38 %",
        ),
        (
            [Told(ENCODER, 0, 2, ".", 0.8, 0.9), Told(CROSS, 1, 0, "il", 0.3, 0.38)],
            "One of 2 heads looks elsewhere: head 2 of encoder layer 0 at “.”.",
        ),
        ([Told(ENCODER, 0, head, "it", 0.9, 0.9) for head in range(8)], "All 8 heads"),
    ],
)
def test_few_heads_are_named_and_many_counted(far, expected: str):
    assert expected in words.say_heads(far).striptags()


def test_what_someone_typed_is_escaped():
    told = [Told(ENCODER, 0, 0, "<script>", 0.9, 0.9)]
    assert "<script>" not in words.say_heads(told)
    assert "<script>" not in words.say_outputs([("<script>", "b")], 1, 2, given=False)


def test_likelier_is_a_ratio_of_probabilities():
    assert words.likelier(-1.0, -2.0).startswith("A gives its own output about 2.7 times")
    assert "its own output about 410,000 times" in words.likelier(-2.0, -14.9231644)
    assert "its own output about 100 times" in words.likelier(-2.0, -2.0 - math.log(99.96))
    assert words.likelier(-30.0, -2.0).startswith("A gives the output of B more than a million")
