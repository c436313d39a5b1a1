from dataclasses import replace

import pytest
import torch

from viz.subjects.variants.material import source_ids, target_ids
from viz.subjects.variants.padding import EmptyRow, Padding, compare_fills, compare_padding
from viz.subjects.variants.words.padding import report_empty_row, report_padding

SAY = {Padding: report_padding, EmptyRow: report_empty_row}


def said(found):
    return SAY[type(found)](found).verdict


@pytest.fixture(scope="module")
def padding(material):
    return compare_padding(material)


@pytest.mark.slow
def test_only_encoders_that_hide_no_padding_are_changed_by_it(padding):
    assert {v.name: v.same for v in padding.variants} == {
        "paper": True,
        "addnorm": True,
        "prenorm": True,
        "headlist": False,
        "tied": False,
    }
    assert {v.name for v in padding.variants if not v.encoder_masks} == {"headlist", "tied"}
    assert "tied gives other probabilities when 16 <pad> follow" in said(padding)
    assert "paper, addnorm and prenorm: as without padding, up to rounding." in said(padding)


def test_the_change_is_that_of_two_plain_runs(padding, material):
    checkpoint = material.checkpoints["tied"]
    largest, changed = 0.0, 0
    for source, target in material.pairs[:10]:
        ids, given = source_ids(checkpoint, source), target_ids(checkpoint, target)[:, :-1]
        longer = torch.cat([ids, torch.zeros(1, 16, dtype=torch.long)], dim=1)
        with torch.inference_mode():
            alone = checkpoint.model(ids, given).output  # log-softmax, as this variant hands on
            padded = checkpoint.model(longer, given).output
        largest = max(largest, (alone - padded).abs().max().item())
        changed += int((alone.argmax(-1) != padded.argmax(-1)).sum())
    tied = padding.variants[-1]
    assert tied.differences[-1] == pytest.approx(largest, rel=1e-4)
    assert tied.differences[0] == 0
    assert tied.changed == changed


def test_the_verdict_counts_tokens_as_measured(padding):
    one = replace(padding, variants=(replace(padding.variants[-1], changed=3, positions=9),))
    assert "3 of 9 most probable tokens changed" in said(one)
    sound = replace(padding, variants=padding.variants[:1])
    assert said(sound) == "paper: as without padding, up to rounding."


def test_a_row_without_keys_is_nan_or_even(material):
    found = compare_fills(material)
    keys = source_ids(material.checkpoints["paper"], material.text).size(1)
    assert [row[0] for row in report_empty_row(found).tables[0].rows] == ["−∞", "−1e9"]
    assert [row[1] for row in report_empty_row(found).tables[0].rows] == ["NaN", "uniform"]
    assert f"each of the {keys} keys weighs 1/{keys}" in said(found)
