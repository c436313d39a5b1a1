import pytest

from model.attribution.sublayers import Part
from viz.run.text_diff import rewording, swaps
from viz.subjects.mattered.damage import Loss, Losses
from viz.subjects.mattered.words.cuts import answer, damage_words, telling, two_decimals

BEFORE = "parce qu'il dort ."
SUBLAYER = "encoder.layers.1.self_attn"


def loss(text: str, damage: float = 0.1, head: int | None = 0, sublayer: str = SUBLAYER) -> Loss:
    changes = rewording(BEFORE, text), swaps(BEFORE, text)
    return Loss(Part(sublayer, head), damage, text, *changes)


def said(*of: Loss) -> str:
    return answer(Losses("zero", 0.1, BEFORE, of)).striptags()


def test_the_change_that_says_most_is_told():
    heads = [loss(BEFORE, head=1), loss("parce qu'elle dort ."), loss("un chien court vite .")]
    assert "head 0 of the self-attention in encoder layer 1, qu'il becomes qu'elle" in said(*heads)
    assert "2 of 3 heads change" in said(*heads)
    whole = said(loss("parce qu'elle dort .", head=None), loss(BEFORE))
    assert "Without the whole self-attention in encoder layer 1" in whole
    assert "The model can do without its only head" in whole


def test_what_was_written_is_escaped():
    told = answer(Losses("zero", 0.1, BEFORE, (loss("parce <b>x</b> dort ."),)))
    assert "<b>" not in told
    assert "&lt;b&gt;" in told


def test_a_word_in_the_place_of_another_says_more_than_one_that_is_gone():
    gone, swapped = loss("parce qu'il ."), loss("parce qu'elle dort .", head=1)
    assert telling(Losses("zero", 0.1, BEFORE, (gone, swapped))) is swapped


@pytest.mark.parametrize(
    ("damage", "short", "long"),
    [
        (0.001, "0.00", "worse by 0.00"),
        (-0.001, "0.00", "worse by 0.00"),
        (0.27, "0.27", "worse by 0.27"),
        (-0.27, "−0.27", "better by 0.27"),
        (12.34, "12.34", "worse by 12.34"),
    ],
)
def test_damages_are_written_short_and_long(damage, short, long):
    assert (two_decimals(damage), damage_words(damage)) == (short, long)
