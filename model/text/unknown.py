"""Unknown words, and the known words nearest to them."""

import difflib
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from model.text.normalised import printable
from model.text.piece import Span

_MOST_SUGGESTIONS = 50
"""The number of unknown words in one text for which known ones are looked up."""
_MOST_COMPARED = 100_000
"""The number of pairs of an unknown and a known word compared for one text. If the vocabulary is
larger, fewer unknown words are looked up."""
_LEAST_ALIKE = 0.8
"""The similarity from which a known word is suggested; less similar words rarely fit."""
_LONGEST_COMPARED = 40
"""The largest length of an unknown word for lookup, as comparing takes more than linear time."""


@dataclass(frozen=True)
class UnknownWord:
    """A piece of text without a token; in a BPE, one character."""

    text: str
    """The typed text of the piece, without lone surrogates."""
    start: int
    end: int
    nearest: tuple[str, ...]
    """Up to 3 known words, the most similar first; only for the first 50 unknown words of at most
    40 characters."""


class Stretch(NamedTuple):
    """A part of a text, as a tokenizer reads it, and its place."""

    text: str
    span: Span


def describe_unknown(
    typed: str, unknown: Sequence[Stretch], known: Collection[str], *, whole_words: bool
) -> tuple[UnknownWord, ...]:
    """Return the unknown parts of a typed text, each with the nearest words of `known`."""
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
