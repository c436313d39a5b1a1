"""Check tensor shapes in every module that the tests import, and list the skipped tests."""

from tests.shapes import check_shapes
from tests.skips import pytest_terminal_summary
from tests.spreading import pytest_xdist_make_scheduler

__all__ = ["pytest_terminal_summary", "pytest_xdist_make_scheduler"]

check_shapes("model", "viz")
