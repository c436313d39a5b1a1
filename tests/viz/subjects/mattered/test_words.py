import pytest

from model.cuts import Part
from sample_data.atlas_record import Atlas, CutScore, PairScore
from texts import speaking
from viz.run.rewording import rewording, swaps
from viz.subjects.mattered.damage import Loss, Losses
from viz.subjects.mattered.naming import attention_name, attention_title, line_name, part_name
from viz.subjects.mattered.words.cuts import answer, damage_words, short_words, telling
from viz.subjects.mattered.words.edges import edge_words
from viz.subjects.mattered.words.held_out import backup, hurting, pair_short, summary

BEFORE = "parce qu'il dort ."
SUBLAYER = "encoder.layers.1.self_attn"


def loss(text: str, damage: float = 0.1, head: int | None = 0, sublayer: str = SUBLAYER) -> Loss:
    changes = rewording(BEFORE, text), swaps(BEFORE, text)
    return Loss(Part(sublayer, head), damage, text, *changes)


def said(*of: Loss) -> str:
    return answer(Losses("zero", 0.1, BEFORE, of)).striptags()


def test_the_change_that_says_most_is_told():
    heads = [loss(BEFORE, head=1), loss("parce qu'elle dort ."), loss("un chien court vite .")]
    assert said(*heads) == (
        "Without head 0 of the self-attention in encoder layer 1, qu'il becomes qu'elle. "
        "Of the 3 single heads, 2 change a word when they are cut; without the other one, every "
        "word stays."
    )


def test_a_head_that_alone_matters_is_the_only_one():
    told = said(loss("parce qu'elle dort ."), loss(BEFORE, head=1))
    assert told.endswith("It is the only one of the 2 heads without which a word changes.")


def test_a_sublayer_may_matter_where_no_head_does():
    told = said(loss("parce qu'elle dort .", head=None), loss(BEFORE))
    assert told.startswith("Without the whole self-attention in encoder layer 1, qu'il becomes")
    assert told.endswith("No single head is needed: without any one of the 1, every word stays.")


def test_nothing_that_matters_is_said():
    assert said(loss(BEFORE), loss(BEFORE, head=None)).startswith("None by itself")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("parce qu'il .", "dort is left out."),
        ("parce qu'il dort bien .", "bien is added."),
        ("parce qu'elle dormait .", "qu'il dort becomes qu'elle dormait."),
    ],
)
def test_words_that_come_and_go_are_told(text, words):
    assert words in said(loss(text), loss(text, head=1))


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


def test_parts_are_named_as_they_are_counted():
    assert part_name(Part("decoder.layers.0.feed_forward")) == (
        "the feed-forward network in decoder layer 0"
    )
    assert part_name(Part("decoder.layers.1.cross_attn", 3)) == (
        "head 3 of the cross-attention in decoder layer 1"
    )


def test_edges_say_what_changes():
    told = edge_words(
        ("il", True), "it", "the cross-attention in decoder layer 1", 0.5, ("il", "le")
    )
    assert told.striptags() == (
        "The row that writes il may not read it, in the cross-attention in decoder layer 1: "
        "0.50 nats per token, and il becomes le."
    )
    told = edge_words(("<i>", False), "it", "the self-attention in encoder layer 1", 0.02, None)
    assert "though every word stays" in told
    assert "<i>" not in told


def atlas(*exact: float, pairs: tuple[PairScore, ...] = ()) -> Atlas:
    cuts = tuple(CutScore(SUBLAYER, i, "zero", 1 - e, e) for i, e in enumerate(exact))
    return Atlas("digest", 300, 100, 300, 0.1, 0.9, cuts, pairs)


def test_many_sentences_say_what_can_be_missed_and_what_cannot():
    found = atlas(0.9, 0.895, 0.5)
    assert summary(found, found.cuts) == (
        "Of 300 held-out sentences, 90 % are right to the last token. 2 of the 3 heads can be "
        "cut, one at a time, and fewer than 1 % more go wrong. Without head 2 of the "
        "self-attention in encoder layer 1 only 50 % are right."
    )


def test_a_part_that_hurts_is_told():
    found = atlas(0.95, 0.5)
    assert hurting(found, found.cuts).startswith("Not every part helps here: without head 0")
    assert hurting(atlas(0.9, 0.5), atlas(0.9, 0.5).cuts) == ""


def test_heads_that_stand_in_for_each_other_are_told():
    pair = PairScore((SUBLAYER, 0), (SUBLAYER, 3), 0.2, 0.3, 1.3)
    told = backup(atlas(0.9, pairs=(pair,)))
    assert "heads 0 and 3 of the self-attention in encoder layer 1 cost 0.20 and 0.30" in told
    assert "0.80 more than the sum" in told
    assert pair_short(pair) == "Encoder self-attention L1 H0 + H3"
    assert backup(atlas(0.9)).startswith("No two heads")


def test_cuts_are_told_in_french():
    heads = [loss(BEFORE, head=1), loss("parce qu'elle dort ."), loss("un chien court vite .")]
    with speaking("fr"):
        assert said(*heads) == (
            "Sans la tête 0 de l'auto-attention de la couche 1 de l'encodeur, qu'il devient "
            "qu'elle. Des 3 têtes prises une à une, 2 changent un mot quand on les coupe ; "
            "on peut couper l'autre sans qu'un mot change."
        )
        assert short_words(0.27) == ",27"
        assert short_words(-0.27) == "−,27"
        assert damage_words(0.27) == "+0,27 nats par token"
        found = atlas(0.9, 0.895, 0.5)
        assert summary(found, found.cuts).startswith("Sur 300 phrases de test, 90")


@pytest.mark.parametrize("sublayer", ["encoder.layers.0.self_attn", "decoder.layers.0.cross_attn"])
def test_every_part_has_a_name_of_each_length(sublayer: str):
    for part in (Part(sublayer), Part(sublayer, 2)):
        assert line_name(part) == part_name(part).removeprefix("the ")
        begun = attention_name(part).removeprefix("the ").capitalize()
        assert attention_title(part).startswith(begun)
