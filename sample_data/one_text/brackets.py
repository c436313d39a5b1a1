"""Nested brackets of three kinds: the innermost open one decides which one closes next."""

import random
from collections.abc import Iterator

from sample_data.one_text.text import Known, Text

PAIRS = {"(": ")", "[": "]", "{": "}"}
LENGTHS = range(6, 31, 2)
DEPTH = 8
"""The largest number of open brackets."""
FAR = 3
"""The distance from which a pair of brackets counts as far."""


def random_texts(rng: random.Random) -> Iterator[Text]:
    """Yield balanced texts without end."""
    while True:
        yield _random_text(rng, rng.choice(LENGTHS))


def _random_text(rng: random.Random, length: int) -> Text:
    signs: list[str] = []
    opened: list[int] = []
    known: list[Known] = []
    while len(signs) < length:
        must_close = len(opened) in (DEPTH, length - len(signs))
        if opened and (must_close or rng.random() < 0.5):
            known.append(_closing(opened.pop(), len(signs)))
            signs.append(PAIRS[signs[known[-1].looks[0]]])
        else:
            opened.append(len(signs))
            signs.append(rng.choice(list(PAIRS)))
    return Text("".join(signs), tuple(known))


def read(text: str) -> Text | None:
    """Match the brackets of any text; None if one has no partner, or on other characters.

    Brackets may stay open at the end, because a model continues the text.
    """
    opening = {close: sign for sign, close in PAIRS.items()}
    opened: list[int] = []
    known: list[Known] = []
    for place, sign in enumerate(text):
        if sign in PAIRS:
            opened.append(place)
        elif opened and text[opened[-1]] == opening.get(sign):
            known.append(_closing(opened.pop(), place))
        else:
            return None
    return Text(text, tuple(known)) if text else None


def _closing(opened: int, closed: int) -> Known:
    return Known(closed, (opened,), "far" if closed - opened > FAR else "near")
