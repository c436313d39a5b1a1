"""Finds every number in what is sent, whoever named it."""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa


def numbers_in(sent: Any) -> set[float]:
    """Return the numbers in data for the browser: in its lists, its names and its tables."""
    if isinstance(sent, pa.Table):
        return {number for column in sent.columns for number in column.to_pylist()}
    if isinstance(sent, Mapping):
        return set().union(*map(numbers_in, sent.values()))
    if isinstance(sent, list | tuple):
        return set().union(*map(numbers_in, sent))
    return {sent} if isinstance(sent, int | float) else set()
