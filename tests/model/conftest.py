from pathlib import Path

import pytest

from model.checkpoints.checkpoint import save_checkpoint
from model.config import TransformerConfig
from tests.model.saving import info_of
from tests.tiny import tiny_config

STACKS = {
    "post-norm": {},
    "post-norm with a final norm": {"final_norm": True},
    "pre-norm": {"norm_placement": "pre"},
    "pre-norm with a final norm": {"norm_placement": "pre", "final_norm": True},
}


@pytest.fixture
def saved(model, tmp_path) -> Path:
    """Save one tiny checkpoint, for tests that change its files."""
    save_checkpoint(tmp_path / "tiny", model, info_of(model), half=False)
    return tmp_path / "tiny"


@pytest.fixture(scope="module", params=STACKS.values(), ids=STACKS)
def stack(request: pytest.FixtureRequest) -> TransformerConfig:
    """Give a config for each norm placement that torch also has."""
    return tiny_config(**request.param)
