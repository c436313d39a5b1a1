import math

import numpy as np
import pytest

from viz.subjects.training.schedules import SCHEDULES, Setting, rates, shown_steps

SETTING = Setting(d_model=64, warmup=100, factor=0.5, steps=1000)
PEAK = 0.5 / math.sqrt(64 * 100)


def expected(name: str, step: int) -> float:
    """Write each schedule out: equation 3, and what its others are known as."""
    rise = PEAK * step / 100
    match name:
        case "noam":
            return 0.5 * 64**-0.5 * min(step**-0.5, step * 100**-1.5)
        case "constant":
            return rise if step < 100 else PEAK
        case "cosine":
            turned = math.pi * (step - 100) / 900
            return rise if step < 100 else PEAK * (1 + math.cos(turned)) / 2
        case "inverse_root":
            return 0.5 / math.sqrt(64 * step)
    raise AssertionError(name)


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_schedule_is_its_formula(name: str):
    steps = np.array([1, 2, 50, 99, 100, 101, 400, 1000])
    wanted = [expected(name, int(step)) for step in steps]
    np.testing.assert_allclose(rates(name, steps, SETTING), wanted, rtol=1e-12, atol=1e-18)


@pytest.mark.parametrize("steps", [2, 399, 100_000])
def test_curves_are_drawn_from_the_first_step_to_the_last_through_the_peak(steps: int):
    shown = shown_steps(Setting(d_model=64, warmup=317, factor=1.0, steps=steps))
    assert (shown[0], shown[-1]) == (1, steps)
    assert (np.diff(shown) > 0).all()
    assert (317 in shown) == (steps >= 317)
    assert len(shown) <= 500


def test_a_warm_up_longer_than_the_training_never_peaks():
    short = Setting(d_model=64, warmup=400, factor=1.0, steps=50)
    for name in list(SCHEDULES)[:3]:
        found = rates(name, np.arange(1, 51), short)
        assert (np.diff(found) > 0).all()
        assert found.max() < short.peak
