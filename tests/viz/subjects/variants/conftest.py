"""Fixtures: the shipped checkpoints of the variants, and what is measured on them."""

import pytest

from model.checkpoints.checkpoint import Checkpoint
from sample_data.tasks import load_held_out
from tests.checkpoints import VARIANTS, VARIANTS_TASK, load_shipped
from viz.subjects.variants.material import Material

TEXT = "the small black cat does not see the red house ."


@pytest.fixture(scope="session")
def shipped() -> dict[str, Checkpoint]:
    """By variant."""
    names = ("paper", "addnorm", "prenorm", "headlist", "tied")
    return {name: load_shipped(VARIANTS[name]) for name in names}


@pytest.fixture(scope="session")
def material(shipped) -> Material:
    pairs = [(pair.source, pair.target) for pair in load_held_out(VARIANTS_TASK)[:12]]
    return Material(shipped, TEXT, pairs)
