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


def test_the_answer_names_the_words_and_the_head():
    told = said(shipped(PAPER, TIRED)[0], shipped(PAPER, WIDE)[0])
    assert "changed most: at it, " in told
    assert "il where B writes elle and fatigué where B writes large" in told


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        (
            Told(CROSS, 1, 0, "il", 0.38),
            "Head 0 of the cross-attention in layer 1 changed most: when it writes il, 38% of its",
        ),
        (Told(ENCODER, 0, 2, ".", 0.9), "Head 2 of encoder layer 0 changed most: at “.”, 90%"),
        (None, "Every head attends to the same words in both."),
    ],
)
def test_the_head_that_changed_most_is_named(first, expected: str):
    assert expected in words.say_heads(first).striptags()


def test_what_someone_typed_is_escaped():
    assert "<script>" not in words.say_heads(Told(ENCODER, 0, 0, "<script>", 0.9))
    assert "<script>" not in words.say_outputs([("<script>", "b")], 1, 2, given=False)
