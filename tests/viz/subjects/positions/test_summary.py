import math

import pytest

from viz.subjects.positions.summary import summarise


def test_sums_a_formula_up():
    paper, twice, one, none = (
        summarise(kind, 64) for kind in ("sinusoidal", "double_sine", "single_frequency", "none")
    )
    assert (paper.rotates, paper.by_offset, paper.still, paper.nearest) == (True, True, 25, None)
    assert (twice.rotates, twice.by_offset, twice.still) == (False, False, 35)
    assert (one.rotates, one.by_offset, one.nearest.shift) == (True, True, 44)
    assert one.longest_wave == pytest.approx(2 * math.pi)
    assert none.alike
    assert none.longest_wave is None
