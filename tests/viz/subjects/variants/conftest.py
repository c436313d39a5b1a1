"""Fixtures: the shipped checkpoints of the English-French task, and what is measured on them."""

from pathlib import Path

import pytest

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from sample_data.tasks import load_held_out
from viz.subjects.variants.material import Material

SHIPPED = Path(__file__).parents[4] / "sample_data" / "checkpoints"
NAMES = {"paper": "paper-0", "addnorm": "addnorm", "prenorm": "prenorm", "headlist": "headlist"}
TEXT = "the small black cat does not see the red house ."


@pytest.fixture(scope="session")
def shipped() -> dict[str, Checkpoint]:
    """By variant."""
    found = {v: load_checkpoint(SHIPPED / f"english-french-{n}") for v, n in NAMES.items()}
    return found | {"tied": load_checkpoint(SHIPPED / "english-french-tied")}


@pytest.fixture(scope="session")
def material(shipped) -> Material:
    pairs = [(pair.source, pair.target) for pair in load_held_out("english-french")[:12]]
    return Material(shipped, TEXT, pairs)
