"""Finds every number in data for the browser, whatever its name."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa


def numbers_in(sent: Any) -> set[float]:
    """Return the numbers in data for the browser: in its lists, mappings and tables."""
    if isinstance(sent, pa.Table):
        return {number for column in sent.columns for number in column.to_pylist()}
    if isinstance(sent, Mapping):
        return set().union(*map(numbers_in, sent.values()))
    if isinstance(sent, list | tuple):
        return set().union(*map(numbers_in, sent))
    return {sent} if isinstance(sent, int | float) else set()
