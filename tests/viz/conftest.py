"""Fixtures: real runs of tiny models. Nobody writes to them."""

import pytest

from model.checkpoint import Checkpoint, load_checkpoint
from tests.checkpoints import DEFAULT, write_checkpoints
from viz.run.record import Run, make_run


@pytest.fixture(scope="session")
def checkpoints(tmp_path_factory: pytest.TempPathFactory):
    return write_checkpoints(tmp_path_factory.mktemp("checkpoints"))


@pytest.fixture(scope="session")
def checkpoint(checkpoints) -> Checkpoint:
    return load_checkpoint(checkpoints / "english-french-paper")


@pytest.fixture(scope="session")
def run(checkpoint: Checkpoint) -> Run:
    return make_run(checkpoint, DEFAULT)


@pytest.fixture(scope="session")
def unmasked_run(checkpoints) -> Run:
    """Of the variant that has no causal mask."""
    return make_run(load_checkpoint(checkpoints / "english-french-headlist"), DEFAULT)
