"""Words for which there is no token, and the known ones that come nearest to them."""

import difflib
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from model.text.normalised import printable
from model.text.piece import Span

_MOST_SUGGESTIONS = 50
"""Unknown words of one text for which the nearest known ones are looked up."""
_MOST_COMPARED = 100_000
"""Pairs of an unknown and a known word that are compared for one text: where more words are known
than this allows for, fewer unknown ones are looked up."""
_LEAST_ALIKE = 0.8
"""From which a known word is taken for what was meant: one that is only spelt a little like it
fits into no sentence."""
_LONGEST_COMPARED = 40
"""Characters of an unknown word that is looked up: comparing takes more than linear time."""


@dataclass(frozen=True)
class UnknownWord:
    """A stretch of text for which there is no token; in a BPE, one character."""

    text: str
    """As typed, but for lone surrogates."""
    start: int
    end: int
    nearest: tuple[str, ...]
    """Up to 3 known words, the most similar first; looked up for the first 50 unknown ones of at
    most 40 characters."""


class Stretch(NamedTuple):
    """A part of a text, as a tokenizer reads it and where it stands."""

    text: str
    span: Span


def describe_unknown(
    typed: str, unknown: Sequence[Stretch], known: Collection[str], *, whole_words: bool
) -> tuple[UnknownWord, ...]:
    """Name what is unknown in a typed text, and what of `known` comes nearest to each."""
    most = min(_MOST_SUGGESTIONS, max(1, _MOST_COMPARED // max(1, len(known))))
    nearest: dict[str, tuple[str, ...]] = {}
    for text, _ in unknown:
        if len(nearest) == most:
            break
        if len(text) <= _LONGEST_COMPARED and text not in nearest:
            nearest[text] = _nearest(text, known, whole_words=whole_words)
    return tuple(
        UnknownWord(
            text=printable(typed[slice(*span)]),
            start=span[0],
            end=span[1],
            nearest=nearest.get(text, ()),
        )
        for text, span in unknown
    )


def _nearest(text: str, known: Collection[str], *, whole_words: bool) -> tuple[str, ...]:
    if whole_words:
        return tuple(difflib.get_close_matches(text, known, n=3, cutoff=_LEAST_ALIKE))
    plain = unicodedata.normalize("NFKD", text)[:1]  # a letter without its accents
    related = dict.fromkeys((text.swapcase(), plain, plain.swapcase()))
    return tuple(character for character in related if character in known)
