"""The claims of the lessons hold for the checkpoints that they open."""

import pytest

from tests.viz.lessons.claims import CLAIMS, measure

FEW = 19
"""The number of sentences; fewer say nothing about a head that is cut."""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "checkpoint", "least", "most"), CLAIMS)
def test_what_a_lesson_states_holds(name, checkpoint, least, most, runs):
    assert least <= measure(name, runs.checkpoint(checkpoint), FEW) <= most
