from pathlib import Path

import pytest

from model.checkpoints.checkpoint import save_checkpoint
from tests.model.saving import info_of


@pytest.fixture
def saved(model, tmp_path) -> Path:
    """One tiny checkpoint, for tests that change its files."""
    save_checkpoint(tmp_path / "tiny", model, info_of(model), half=False)
    return tmp_path / "tiny"
