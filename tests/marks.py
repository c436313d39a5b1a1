"""Marks for the cases of a parametrised test."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def slow_except(quick: Collection[str], names: Iterable[str]) -> list[Any]:
    """Return the cases by name; all but the quick ones get the mark `slow`."""
    return [name if name in quick else pytest.param(name, marks=pytest.mark.slow) for name in names]
