"""The twin's formulas of positions and activations return what Python's do, at many points."""

from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
import torch

from model.config import Activation
from model.feed_forward import activate
from model.positions import (
    FORMULAS,
    Stretch,
    alibi_bias,
    fixed_positions,
    relative_bucket,
    rotary_angles,
)
from tests.node import told_by

SCRIPT = Path(__file__).with_name("formulas.js")
UNIT = 2.0**-24
"""The largest relative error of one rounding to float32."""
LENGTH, WIDTH = 40, 12
HEADS = (1, 4, 6, 12, 20)
LONGEST = 600
ROTARY: list[dict[str, Any]] = [
    {"d_k": 64, "rotary_share": 1.0, "rotary_base": 10000.0, "start": 0, "stop": 300},
    {"d_k": 128, "rotary_share": 1.0, "rotary_base": 500000.0, "start": 4000, "stop": 4100},
    {"d_k": 24, "rotary_share": 0.25, "rotary_base": 10000.0, "start": 7, "stop": 90},
    {"d_k": 64, "rotary_share": 1.0, "rotary_base": 1e6, "rotary_factor": 3.0, "stop": 50},
    {"d_k": 64, "rotary_base": 5e5, "rotary_factor": 8.0, "rotary_context": 8192, "stop": 99},
    {"d_k": 64, "rotary_base": 5e5, "rotary_factor": 32.0, "rotary_context": 8192, "stop": 99},
]
USUAL = {
    "rotary_share": 1.0,
    "rotary_factor": 1.0,
    "rotary_context": 0,
    "rotary_low": 1.0,
    "rotary_high": 4.0,
    "start": 0,
}
BUCKETS = [
    {"relative_buckets": buckets, "relative_max_distance": most, "bothWays": both}
    for buckets, most in ((32, 128), (8, 6), (32, 256), (16, 64), (64, 1000), (5, 7))
    for both in (True, False)
    if most > buckets // (4 if both else 2)
]


@pytest.fixture(scope="module")
def told() -> Any:
    x = torch.cat([torch.linspace(-12, 12, 2001), torch.tensor([0.0, 1e-6, -1e-6, 40.0, -40.0])])
    return {"x": x} | told_by(
        SCRIPT,
        {
            "rotary": [USUAL | each for each in ROTARY],
            "buckets": [
                each | {"distances": list(range(-LONGEST, LONGEST + 1))} for each in BUCKETS
            ],
            "heads": HEADS,
            "length": LENGTH,
            "width": WIDTH,
            "activations": {kind: x.tolist() for kind in get_args(Activation)},
        },
    )


def test_rotary_angles_are_those_of_single_precision(told: Any):
    """Both round after the same steps, at most ten; each may err by one more unit in a power."""
    for each, found in zip(ROTARY, told["rotary"], strict=True):
        asked = USUAL | each
        names = ("rotary_factor", "rotary_context", "rotary_low", "rotary_high")
        wanted = rotary_angles(
            asked["start"],
            asked["stop"],
            asked["d_k"],
            share=asked["rotary_share"],
            base=asked["rotary_base"],
            stretch=Stretch(*(asked[name] for name in names)),
        )
        np.testing.assert_allclose(found, wanted.flatten(), rtol=12 * UNIT, atol=0)


def test_every_distance_has_the_same_bucket(told: Any):
    for each, found in zip(BUCKETS, told["buckets"], strict=True):
        both = each["bothWays"]
        rows = relative_bucket(
            0,
            LONGEST + 1,
            both_ways=both,
            buckets=each["relative_buckets"],
            max_distance=each["relative_max_distance"],
        )
        wanted = [*rows[:, 0].flip(0).tolist()[:-1], *rows[0].tolist()]
        assert found == wanted, each


def test_alibi_falls_with_the_distance(told: Any):
    for heads, found in zip(HEADS, told["alibi"], strict=True):
        wanted = alibi_bias(heads, 3, LENGTH).flatten()
        np.testing.assert_allclose(found, wanted, rtol=UNIT, atol=0)


def test_encodings_are_those_of_python(told: Any):
    """An angle has about three roundings in float64, so only the last one, to float32, matters."""
    assert told["fixed"].keys() == {*FORMULAS, "none"}
    for kind, found in told["fixed"].items():
        wanted = fixed_positions(kind, 5 + LENGTH, WIDTH)[5:].flatten()
        np.testing.assert_allclose(found, wanted, rtol=2 * UNIT, atol=1e-12)


def test_activations_are_those_of_float64(told: Any):
    """The approximation of erf errs by at most 1.2e-7 of its distance to 1."""
    for kind, found in told["activations"].items():
        wanted = activate(kind, told["x"].double().clone()).numpy()
        np.testing.assert_allclose(found, wanted, rtol=4 * UNIT, atol=1e-7, err_msg=kind)
