"""Checkpoints and runs for the tests of lessons, loaded once."""

import pytest

from tests.file_runs import FileRuns, shipped_runs


@pytest.fixture(scope="session")
def runs() -> FileRuns:
    return shipped_runs()
