from dataclasses import replace

from viz.subjects.variants.differences import Difference
from viz.subjects.variants.report import Table
from viz.subjects.variants.tables import (
    demonstration_table,
    difference_table,
    outputs_table,
    verdict,
)

DIFFERENCE = Difference(
    "mask_fill", "masks", "a hidden score", {"paper": "−∞", "x": "−1e9"}, frozenset({"x"})
)


def test_outputs_have_each_token_with_its_probability(run):
    shown = outputs_table([run])
    assert f"<p>{run.text.replace(chr(39), '&#x27;')}</p>" in shown
    assert shown.count("<li title=") == len(run.steps)
    assert '<li title="probability 0.9' in shown
    assert "&lt;/s&gt;" in shown
    assert "L1 H2" not in shown  # its scores have no share: not taken for a scored head
    assert "none scored" in shown


def test_scores_are_those_of_the_checkpoint(run):
    best = {"layer": 1, "head": 2, "all_tokens": 0.875}
    scores = {"exact_match": 0.5, "loss": 0.25, "best_head": best}
    shown = outputs_table([replace(run, info=replace(run.info, scores=scores))])
    for words in (
        '<td class="loupe-number">0.500</td>',
        '<td class="loupe-number">0.250</td>',
        "L1 H2",
        "0.875 right",
    ):
        assert words in shown


def test_only_what_is_not_the_papers_is_marked():
    shown = difference_table([DIFFERENCE], ["paper", "x"])
    assert "<td>−∞</td>" in shown
    assert '<td class="variants-differs" title="not as in the paper">−1e9</td>' in shown


def test_a_part_is_named_once():
    again = replace(DIFFERENCE, field="causal_mask")
    assert difference_table([DIFFERENCE, again], ["paper", "x"]).count(">masks<") == 1


def test_numbers_are_written_for_people_and_text_is_escaped():
    table = Table(
        "<t>",
        ("", "a"),
        (("<r>", 0.0), ("i", 12345), ("b", 1.23456), ("c", -2.5e-7), ("d", float("nan"))),
    )
    shown = demonstration_table(table)
    for words in ("&lt;t&gt;", "&lt;r&gt;", ">0<", ">12,345<", ">1.235<", ">−2.5e−7<", ">NaN<"):
        assert words in shown
    assert "<r>" not in shown
    assert "&lt;b&gt;" in verdict("<b>")
