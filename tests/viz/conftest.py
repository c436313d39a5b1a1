"""Fixtures: real runs of tiny models. No test changes them."""

import pytest

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from tests.checkpoints import DEFAULT
from viz.run.making import make_run
from viz.run.record import Run


@pytest.fixture(scope="session")
def checkpoint(checkpoints_folder) -> Checkpoint:
    return load_checkpoint(checkpoints_folder / "everyday-paper")


@pytest.fixture(scope="session")
def run(checkpoint: Checkpoint) -> Run:
    return make_run(checkpoint, DEFAULT)


@pytest.fixture(scope="session")
def unmasked_run(checkpoints_folder) -> Run:
    """Return a run of the variant that has no causal mask."""
    return make_run(load_checkpoint(checkpoints_folder / "everyday-headlist"), DEFAULT)
