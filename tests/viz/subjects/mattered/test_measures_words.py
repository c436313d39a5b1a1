import math
from dataclasses import replace
from typing import get_args

import pytest
from markupsafe import Markup

from model.attribution.logits import Addend, PartKind
from model.attribution.measures import MEASURES
from sample_data.agreement import Agreement, Agreements
from viz.subjects.mattered.row_measures import RunAgain
from viz.subjects.mattered.row_parts import Lead
from viz.subjects.mattered.words import lead as lead_words
from viz.subjects.mattered.words import measures as words

SOURCE = ("it", "was", "tired")


def found(**swaps: float) -> Agreements:
    shares = dict.fromkeys(MEASURES, 0.9) | {"swapped": 1.0} | swaps
    measures = {name: Agreement(0.85, share, 0.4) for name, share in shares.items()}
    measures["position"] = Agreement(0.7, 0.7, 0.3)
    return Agreements("", 100, 900, 800, 0.5, 64, 0.17, 1.97, measures)


def plain(markup) -> str:
    return markup.striptags()


def test_where_all_agree_nothing_else_is_said():
    assert plain(words.verdict("il", SOURCE, dict.fromkeys(MEASURES, 0))) == (
        "For il, all 6 measures put it first."
    )


def test_a_single_measure_is_not_called_all_of_them():
    assert (
        plain(words.agreed("il", Markup("it"), 1, 1)) == "For il, the only measure puts it first."
    )


def test_attention_is_held_against_the_swap():
    firsts = dict.fromkeys(MEASURES, 0) | {"gradient": 2, "swapped": 2, "integrated": 1}
    without = plain(words.verdict("il", SOURCE, firsts))
    assert without == "For il, 3 of 6 measures put it first."
    assert plain(words.verdict("il", SOURCE, firsts, elsewhere=True)) == (
        f"{without} The last layer attends most to it, but replacing tired costs most."
    )


def test_nothing_may_speak_for_a_token():
    said = plain(words.verdict("il", SOURCE, dict.fromkeys(MEASURES, None)))
    assert said == "Nothing in the input supports il."


def test_tokens_are_escaped():
    said = words.verdict("<b>", ("<i>",), {"attention": 0})
    assert "&lt;b&gt;" in said
    assert "&lt;i&gt;" in said


def test_one_of_several_like_tokens_is_named_with_its_place():
    said = plain(words.verdict("il", ("it", "was", "it"), dict.fromkeys(MEASURES, 2)))
    assert said == "For il, all 6 measures put it at position 2 first."


def test_agreement_is_said_in_whole_percents():
    assert words.agreement_text(0.244) == "24%"
    assert words.agreement_text(None) == ""


@pytest.mark.parametrize(("error", "close"), [(0.05, True), (-0.05, True), (0.4, False)])
def test_completeness_is_a_number(error, close):
    passed, said, measured = words.completeness(RunAgain({}, 128, 4.63, error))
    assert passed == close
    assert "4.630 nats" in said
    assert "128 steps" in said
    assert measured == f"± {abs(error):g}"


def test_each_part_of_the_decoder_has_a_name():
    names = {"norm bias": "decoder.layers.1.cross_attn_norm.bias"}
    labels = {
        kind: lead_words.part_label(Addend(kind, names.get(kind, kind), 0.0, 1))
        for kind in get_args(PartKind)
    }
    assert len(set(labels.values())) == len(labels)
    assert labels["norm bias"] == "Bias of the norm after cross-attention, L1"
    head = Addend("cross-attention", "", 0.0, 1, 3)
    assert lead_words.part_label(head) == "Cross-attention, L1 H3"
    last = Addend("norm bias", "decoder.norm.bias", 0.0)
    assert lead_words.part_label(last) == "Bias of the final norm"


def lead(*parts: Addend) -> Lead:
    total = math.fsum(part.value for part in parts)
    return Lead("il", "elle", total, parts, rest=0.0, rest_count=0)


def test_the_part_that_adds_most_is_named():
    parts = (
        Addend("feed-forward", "", 5.5, 1),
        Addend("cross-attention", "", 1.0, 1, 3),
        Addend("norm bias", "decoder.layers.1.feed_forward_norm.bias", -6.0, 1),
    )
    said = plain(lead_words.lead_answer(lead(*parts)))
    assert said.startswith("il leads elle by 0.5000.")
    assert "“Feed-forward network, L1” contributes most directly: 5.500." in said
    assert plain(lead_words.lead_answer(lead())) == "No part of the decoder separates il from elle."


def test_a_sum_that_misses_is_said_to():
    parts = (Addend("token", "", 1.0),)
    assert lead_words.sum_check(lead(*parts))[0]
    wrong = replace(lead(*parts), lead=1.5)
    passed, said, measured = lead_words.sum_check(wrong)
    assert (passed, measured) == (False, "± 0.5")
    assert "1.500" in said
