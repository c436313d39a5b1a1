"""Checks shapes in all that the tests import, and tells which tests were skipped."""

from tests.shapes import check_shapes
from tests.skips import pytest_terminal_summary

__all__ = ["pytest_terminal_summary"]

check_shapes("model", "viz")
