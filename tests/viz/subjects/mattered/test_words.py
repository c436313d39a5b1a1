import pytest

from model.attribution.cuts import Part
from sample_data.atlas_record import Atlas, CutScore, PairScore
from viz.run.text_diff import rewording, swaps
from viz.subjects.mattered.damage import Loss, Losses
from viz.subjects.mattered.words.cuts import answer, damage_words, short_words, telling
from viz.subjects.mattered.words.held_out import backup, hurting, summary

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
    assert "Of the 3 single heads, 2 change" in said(*heads)
    whole = said(loss("parce qu'elle dort .", head=None), loss(BEFORE))
    assert "Without the whole self-attention in encoder layer 1" in whole
    assert "No single head is needed" in whole


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
        (0.001, "0", "0.00 nats per token"),
        (-0.001, "0", "0.00 nats per token"),
        (0.27, ".27", "+0.27 nats per token"),
        (-0.27, "−.27", "−0.27 nats per token"),
        (3.18, "3.18", "+3.18 nats per token"),
        (12.34, "12.3", "+12.34 nats per token"),
    ],
)
def test_damages_are_written_short_and_long(damage, short, long):
    assert (short_words(damage), damage_words(damage)) == (short, long)


def atlas(*exact: float, pairs: tuple[PairScore, ...] = ()) -> Atlas:
    cuts = tuple(CutScore(SUBLAYER, i, "zero", 1 - e, e) for i, e in enumerate(exact))
    return Atlas("digest", 300, 100, 300, 0.1, 0.9, cuts, pairs)


def test_many_sentences_say_what_can_be_missed_and_what_cannot():
    found = atlas(0.9, 0.895, 0.5)
    told = summary(found, found.cuts)
    assert "2 of the 3 heads can be cut" in told
    assert "Without head 2 of the self-attention in encoder layer 1 only 50 %" in told
    assert "head 0" in hurting(atlas(0.95, 0.5), atlas(0.95, 0.5).cuts)  # better without it
    assert hurting(atlas(0.9, 0.5), atlas(0.9, 0.5).cuts) == ""
    pair = PairScore((SUBLAYER, 0), (SUBLAYER, 3), 0.2, 0.3, 1.3)
    assert "0.80 more than the sum" in backup(atlas(0.9, pairs=(pair,)))
