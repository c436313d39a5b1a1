"""The map that the browser makes of what is typed is the one that Python makes of it."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from model.checkpoints.checkpoint import load_checkpoint
from model.interventions.kinds import Intervention
from tests.checkpoints import DEFAULT, SHIPPED, VARIANTS
from tests.node import told_by
from viz.run.making import make_run
from viz.subjects.map.picture import map_payload

SCRIPT = Path(__file__).with_name("own_map.js")
TEXTS = ("the cat sleeps .", f"{DEFAULT[:-2]} and the dog sees the cat .", "the gnu", "")
"""Others than the one of Python's map: shorter, longer than the rows that are drawn, unknown."""
ZERO = Intervention("zero", "encoder.layers.0.self_attn.heads", 1)
COOLER = Intervention("scale", "logits", amount=0.5)


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        (VARIANTS["paper"], ()),
        (VARIANTS["paper"], (ZERO, COOLER)),
        (VARIANTS["prenorm"], ()),
        (VARIANTS["headlist"], (COOLER,)),
    ],
)
def test_it_is_pythons(name: str, changes: tuple[Intervention, ...]):
    checkpoint = load_checkpoint(SHIPPED / name)
    runs = [make_run(checkpoint, text, interventions=changes) for text in (DEFAULT, *TEXTS)]
    first, *wanted = [map_payload(run, "typed") for run in runs]
    asked = {
        "checkpoint": str(SHIPPED / name),
        "map": first["meta"],
        "texts": TEXTS,
        "interventions": [asdict(change) for change in changes],
    }
    for own, held in zip(told_by(SCRIPT, asked), wanted, strict=True):
        hold(own["map"], json.loads(json.dumps(held["meta"])))
        codes = held["codes"].column("code").to_numpy().astype(int)
        np.testing.assert_allclose(own["codes"], codes, atol=1)


def hold(own: dict[str, Any], held: dict[str, Any]) -> None:
    """The same but for the last digits of numbers."""
    pictures, wanted = own.pop("pictures"), held.pop("pictures")
    assert list(pictures) == list(wanted)
    for name, picture in pictures.items():
        assert picture.pop("largest") == pytest.approx(wanted[name].pop("largest"), rel=2e-4)
        assert picture == wanted[name]
    candidates, expected = own.pop("candidates"), held.pop("candidates")
    for step, rows in zip(candidates, expected, strict=True):
        assert [(text, written) for text, _, written in step] == [
            (text, written) for text, _, written in rows
        ]
        assert [p for _, p, _ in step] == pytest.approx([p for _, p, _ in rows], abs=1e-4)
    assert own == held
