"""How much longer a foreign tokenizer may make a text, before it is let near one."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

MOST_GROWTH = 32
"""Times as long: more than any real normaliser does, and a text of 20,000 characters still fits."""
_MOST_PREFIX = 100
_MOST_STEPS = 100
_LONGEST_MAP = 4_000_000
_LONGEST_WORD = 1_000
"""Characters of a word that WordPiece looks at: it takes the square of them."""


def check_growth(normaliser: bytes | None, longest_word: int | None) -> None:
    """Raise ValueError on a normaliser, given as JSON, that could blow a text up."""
    if longest_word is not None and longest_word > _LONGEST_WORD:
        raise ValueError(
            f"its tokenizer looks at words of {longest_word:,} characters, at most "
            f"{_LONGEST_WORD:,} are read"
        )
    if normaliser is None:
        return
    steps = list(_steps(json.loads(normaliser)))
    growth, prefix = 1.0, 0
    for step in steps:
        growth *= _growth(step)
        prefix += len(str(step.get("prepend", "")))
    if growth > MOST_GROWTH or prefix > _MOST_PREFIX or len(steps) > _MOST_STEPS:
        raise ValueError(
            f"its tokenizer could make a text more than {MOST_GROWTH} times as long before it is "
            "read"
        )


def _steps(value: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield value
    for step in value.get("normalizers") or ():
        yield from _steps(step)


def _growth(step: Mapping[str, Any]) -> float:
    if step.get("type") == "Replace":
        pattern = step.get("pattern") or {}
        least = max(1, len(pattern.get("String", "") or ""))
        return max(1.0, len(step.get("content", "")) / least)
    if len(step.get("precompiled_charsmap") or "") > _LONGEST_MAP:
        return float("inf")
    return 1.0
