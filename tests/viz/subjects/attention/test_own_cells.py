"""Cells that the browser computes from its own run are those that Python computes from torch's."""

from pathlib import Path

import pytest

from model.checkpoints.checkpoint import load_checkpoint
from model.interventions.kinds import Intervention
from tests.checkpoints import DEFAULT, SHIPPED, VARIANTS
from tests.node import told_by
from tests.viz.subjects.attention.holding import by_python, hold, places_of, view_of
from viz.models.browser_inputs import pack_inputs

SCRIPT = Path(__file__).with_name("own_cells.js")
CUT = Intervention("cut", "decoder.layers.1.cross_attn.weights", 2, (1,), (0,))
ZERO = Intervention("zero", "encoder.layers.0.self_attn.heads", 1)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("everyday-paper-0", ()),
        ("everyday-paper-0", (CUT, ZERO)),
        (VARIANTS["prenorm"], ()),
        (VARIANTS["headlist"], ()),
    ],
)
def test_each_cell_is_pythons(name: str, changes: tuple[Intervention, ...]):
    view = view_of(load_checkpoint(SHIPPED / name), DEFAULT, *changes)
    places = places_of(view)
    asked = {
        "checkpoint": str(SHIPPED / name),
        "inputs": pack_inputs(view, {"key": "", "address": ""}),
        "run": view.parcel.said["meta"],
        "selections": places,
    }
    told = told_by(SCRIPT, asked)["computed"]
    assert len(told) == len(places)
    for place, own in zip(places, told, strict=True):
        hold(own, by_python(view, place), place, rtol=1e-3, atol=1e-4)
