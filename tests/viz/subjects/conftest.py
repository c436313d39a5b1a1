"""What the tests of the pages share."""

import pytest

from tests.checkpoints import write_checkpoints


@pytest.fixture
def tiny_checkpoints(tmp_path, monkeypatch):
    """A folder of small checkpoints, instead of those that are shipped."""
    write_checkpoints(tmp_path)
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(tmp_path))
    return tmp_path
