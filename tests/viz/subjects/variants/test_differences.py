import dataclasses

import pytest

from model.presets import PRESETS, preset
from viz.subjects.variants.differences import differences

SIZES = {"source_vocab_size": 20, "target_vocab_size": 20}
PAPER = preset("paper", **SIZES)


@pytest.mark.parametrize("variant", [name for name in PRESETS if name != "paper"])
def test_every_field_in_which_a_variant_differs_is_told_beside_the_papers(variant):
    config = preset(variant, **SIZES)
    found = differences({"paper": PAPER, variant: config})
    other = dataclasses.asdict(config)
    differing = {name for name, value in dataclasses.asdict(PAPER).items() if value != other[name]}
    assert found.keys() == {variant}
    assert {each.field for each in found[variant]} == differing
    assert all(each.own != each.papers for each in found[variant])


def test_values_are_put_into_words():
    found = differences({"paper": PAPER, "addnorm": preset("addnorm", **SIZES)})["addnorm"]
    by_field = {each.field: each for each in found}
    assert by_field["norm"].papers == "√(variance + eps), over n: LayerNorm"
    assert (by_field["mask_fill"].own, by_field["mask_fill"].papers) == ("−1e9", "−∞")
