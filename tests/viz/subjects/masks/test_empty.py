import math

import numpy as np
import pytest

from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import SHIPPED
from viz.subjects.masks.empty import fully_masked_row
from viz.subjects.masks.lab import FILLS, Switches

TEXT = "the cat sleeps ."


def _tried(name):
    return fully_masked_row(load_checkpoint(SHIPPED / f"english-french-{name}"), TEXT)


@pytest.fixture(scope="module")
def paper():
    return _tried("paper-0")


def test_tries_the_variant_then_each_fill_with_all_masks_on(paper):
    assert [result.own for result in paper] == [True, False, False, False]
    assert [result.switches.fill for result in paper[1:]] == list(FILLS)
    own = _tried("headlist")[0]
    assert own.switches == Switches(
        encoder_padding=False, causal=False, target_padding=False, cross_padding=False
    )


def test_minus_inf_gives_nan_that_stays_in_its_sentence(paper):
    result = paper[1]
    assert result.switches.fill == -math.inf
    for rows in result.rows:
        assert rows.masked
        assert rows.outcome == "NaN"
        assert np.isnan(rows.first_row).all()
    assert result.undefined_positions == result.positions == 5  # le chat dort . </s>
    assert result.neighbour_difference < 1e-4
    assert "5 of 5 positions" in result.verdict


@pytest.mark.parametrize("place", [2, 3])
def test_a_finite_fill_spreads_evenly_over_the_five_keys(paper, place):
    result = paper[place]
    for rows in result.rows:
        assert rows.outcome == "uniform"
        np.testing.assert_allclose(rows.first_row, [0.2] * 5, atol=1e-6)
    assert result.undefined_positions == 0
    assert result.neighbour_difference < 1e-4
    assert "each of the 5 keys weighs 1/5" in result.verdict


@pytest.mark.parametrize(
    ("name", "encoder", "cross"),
    [
        ("addnorm", (True, "uniform"), (True, "uniform")),
        ("headlist", (False, "uneven"), (False, "uneven")),
        ("tied", (False, "uneven"), (True, "NaN")),
    ],
)
def test_each_variant_does_as_its_config_says(name, encoder, cross):
    own = _tried(name)[0]
    assert [(rows.masked, rows.outcome) for rows in own.rows] == [encoder, cross]
    assert (own.undefined_positions > 0) == (cross[1] == "NaN")
    assert ("no key is masked, so <pad> is read like any token" in own.verdict) != encoder[0]
    assert own.neighbour_difference < 1e-4
