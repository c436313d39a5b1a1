"""A cut that is kept: the change of the run that does the same."""

import pytest

from model.ablation import Part
from model.intervention import Intervention
from viz.subjects.mattered.keeping import as_change

CROSS = "decoder.layers.1.cross_attn"


@pytest.mark.parametrize(
    ("part", "how", "change"),
    [
        (Part(CROSS, 2), "zero", Intervention("zero", f"{CROSS}.heads", head=2)),
        (Part(CROSS), "zero", Intervention("zero", f"{CROSS}.output")),
        (Part(CROSS, 0), "mean", Intervention("mean", f"{CROSS}.heads", head=0)),
        (Part(CROSS, 1), "even", Intervention("scale", f"{CROSS}.scores", head=1, amount=0.0)),
    ],
)
def test_a_cut_is_said_as_a_change(part, how, change):
    assert as_change(part, how) == change
