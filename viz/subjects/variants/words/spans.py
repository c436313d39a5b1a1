"""Pieces of sentences that several demonstrations use."""

from collections.abc import Iterable, Sequence

from viz.pictures.numbers import number_text


def span(values: Iterable[float]) -> str:
    """Write the smallest and the largest of some numbers, or one where both read alike."""
    values = list(values)
    low, high = number_text(min(values)), number_text(max(values))
    return low if low == high else f"{low} to {high}"


def listed(names: Sequence[str]) -> str:
    """Write names one after the other, with “and” before the last."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
