"""Stand-ins: tokens that copy an unknown word unchanged into the translation.

A model trained on "the <x1> is broken ." and "le <x1> est cassé ." translates a sentence about a
laptop without knowing the word.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import chain
from typing import Any, Literal, NamedTuple

from model.files.json_fields import check_fields, shorten
from model.text.normalised import normalise, printable

CopiedKind = Literal["noun", "plural noun", "name", "number", "time"]

_NOUNS: tuple[CopiedKind, ...] = ("noun", "plural noun")

LONGEST_CARRIED = 40
"""The largest length of a copied word, as it names a row or a column of every picture."""

_KINDS = ("nouns", "plurals", "names", "numbers", "times")
_MOST_OF_A_KIND = 100
_MOST_WORDS = 100_000
_LONGEST_WORD = 100

_TIME = re.compile(r"[0-9]{1,2}(?::[0-9]{2}){1,2}")
_NUMBER = re.compile(r"-?[0-9]+(?:st|nd|rd|th)?")
_ENDS = frozenset(".?!")


@dataclass(frozen=True)
class CopiedWord:
    """A copied word."""

    index: int
    """The index of its stand-in among the text's tokens."""
    text: str
    """The typed word without invisible characters; a noun at a sentence's start is lower-cased."""
    kind: CopiedKind


class Word(NamedTuple):
    """A word in a typed text."""

    text: str
    """The word as the vocabulary would spell it."""
    typed: str
    """The word with its capitals."""
    known: bool


_NONE = Word("<unk>", "", known=False)
"""The token read if the user typed a stand-in."""


class Carried(NamedTuple):
    """The stand-in of a copied word, and its kind."""

    token: str
    kind: CopiedKind


@dataclass(frozen=True)
class Carrier:
    """A rule that copies the unknown words of one text."""

    reserved: frozenset[str]
    """The stand-ins; users cannot type them, and are never offered them."""
    choose: Callable[[Sequence[Word]], Mapping[int, Carried]]
    """A function that chooses the stand-ins of copied words, by word index."""

    def carry(self, words: Sequence[Word]) -> tuple[dict[int, str], tuple[CopiedWord, ...]]:
        """Return the tokens to read instead of some words, by index, and the copied words."""
        typed = {i for i, word in enumerate(words) if word.text in self.reserved}
        words = [_NONE if i in typed else word for i, word in enumerate(words)]
        chosen = self.choose(words)
        read = dict.fromkeys(typed, _NONE.text)
        read |= {i: carried.token for i, carried in chosen.items()}
        return read, tuple(
            CopiedWord(i, _shown(words, i, carried.kind), carried.kind)
            for i, carried in chosen.items()
        )


@dataclass(frozen=True, kw_only=True)
class StandIns:
    """The stand-ins of each kind, and the words that show the kind of an unknown word."""

    nouns: tuple[str, ...] = ()
    plurals: tuple[str, ...] = ()
    """The plurals, numbered with `nouns`: the second unknown noun has the second one of its
    list."""
    names: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    times: tuple[str, ...] = ()
    noun_after: frozenset[str] = frozenset()
    """Words that precede a noun: determiners, adjectives, numbers."""
    not_before: frozenset[str] = frozenset()
    """Words before which an unknown word is not a noun: nouns, which it would modify."""
    verb_after: frozenset[str] = frozenset()
    """Words after which an unknown word is a verb: pronouns, auxiliaries."""

    @cached_property
    def tokens(self) -> frozenset[str]:
        """All stand-ins."""
        return frozenset(chain.from_iterable(getattr(self, kind) for kind in _KINDS))

    def check(self, *vocabularies: Collection[str]) -> None:
        """Raise ValueError unless each stand-in has one kind and is a token of all `vocabularies`.

        Also raises it if there are too many words, or strings that cannot be words.
        """
        for name, words in self._lists().items():
            _check_words(name, words, most=_MOST_OF_A_KIND if name in _KINDS else _MOST_WORDS)
        counts = Counter(chain.from_iterable(getattr(self, kind) for kind in _KINDS))
        for token, count in counts.items():
            if count > 1:
                raise ValueError(f"a stand-in must have one kind, got {shorten(token)!r} twice")
            if not all(token in known for known in vocabularies):
                raise ValueError(
                    f"a stand-in must be a token of both sides, which {shorten(token)!r} is not"
                )

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {n: sorted(w) if n not in _KINDS else w for n, w in self._lists().items()}

    @classmethod
    def from_dict(cls, values: object) -> "StandIns":
        """Undo `to_dict`. Raises ValueError if `to_dict` cannot have written this."""
        types = dict.fromkeys((field.name for field in fields(cls)), list)
        given = check_fields(values, types, where="the stand-ins")
        for name, words in given.items():
            _check_words(name, words, most=_MOST_WORDS)
        read: dict[str, Any] = {
            name: tuple(words) if name in _KINDS else frozenset(words)
            for name, words in given.items()
        }
        return cls(**read)

    def _lists(self) -> dict[str, list[str]]:
        return {field.name: list(getattr(self, field.name)) for field in fields(self)}

    def carrier(self) -> Carrier:
        """Return the rule that copies the unknown words of a source."""
        return Carrier(self.tokens, self._choose)

    def repeater(self, carried: Mapping[str, Carried]) -> Carrier:
        """Return the rule that copies the words of a target already copied in its source."""

        def choose(words: Sequence[Word]) -> dict[int, Carried]:
            return {
                i: carried[word.text]
                for i, word in enumerate(words)
                if not word.known and word.text in carried
            }

        return Carrier(self.tokens, choose)

    def _choose(self, words: Sequence[Word]) -> dict[int, Carried]:
        """Choose a stand-in for each unknown word that can be copied, in the order of the text."""
        told_by_capitals = any(c.islower() for word in words for c in word.typed)
        chosen: dict[int, Carried] = {}
        of_word: dict[str, Carried] = {}
        for i, word in enumerate(words):
            if word.known or not _can_be_carried(word.text):
                continue
            before = chosen[i - 1].token if i - 1 in chosen else words[i - 1].text if i else ""
            after = words[i + 1].text if i + 1 < len(words) else ""
            capital = told_by_capitals and word.typed[:1].isupper()
            kind = self._kind(word.text, before, after, capital=capital)
            carried = of_word.get(word.text) or self._next(kind, of_word.values())
            if kind and carried:
                chosen[i] = of_word[word.text] = carried
        return chosen

    def _kind(self, word: str, before: str, after: str, *, capital: bool) -> CopiedKind | None:
        """Return the kind of an unknown word from the words around it; None without a stand-in."""
        is_first = not before or before in _ENDS
        if _TIME.fullmatch(word):
            return "time"
        if _NUMBER.fullmatch(word):
            return "number"
        plural = word.endswith("s") and not word.endswith("ss")
        if before in self.noun_after or before in self.numbers:
            return None if after in self.not_before else "plural noun" if plural else "noun"
        if capital and not is_first:
            return "name"  # after a verb too: "my name is Zoltan"
        if before in self.verb_after:
            return None
        if (is_first or before in self.not_before) and after in self.noun_after:
            return None  # as in "google the answer", "the dog gobbled the cake"
        return "plural noun" if plural else "name"

    def _next(self, kind: CopiedKind | None, taken: Collection[Carried]) -> Carried | None:
        """Take the next stand-in of a kind; return None if all are taken."""
        if kind is None:
            return None
        tokens: Mapping[CopiedKind, tuple[str, ...]] = {
            "noun": self.nouns,
            "plural noun": self.plurals,
            "name": self.names,
            "number": self.numbers,
            "time": self.times,
        }
        numbered = _NOUNS if kind in _NOUNS else (kind,)
        place = sum(carried.kind in numbered for carried in taken)
        return Carried(tokens[kind][place], kind) if place < len(tokens[kind]) else None


def _shown(words: Sequence[Word], index: int, kind: CopiedKind) -> str:
    """Write a word for both languages; a noun loses its capital at a sentence's start."""
    typed = normalise(words[index].typed, lower_case=False).text
    is_first = index == 0 or words[index - 1].text in _ENDS
    if is_first and kind in _NOUNS and typed[1:].islower():
        return typed[:1].lower() + typed[1:]
    return typed


def _can_be_carried(word: str) -> bool:
    """Return whether a word fits a label, and has letters or digits but no markup."""
    return (
        len(word) <= LONGEST_CARRIED and not {"<", ">"} & set(word) and any(map(str.isalnum, word))
    )


def _check_words(name: str, words: Sequence[object], *, most: int) -> None:
    if len(words) > most:
        raise ValueError(
            f"{name} of the stand-ins must be at most {most:,} words, got {len(words):,}"
        )
    for word in words:
        if not (isinstance(word, str) and 0 < len(word) <= _LONGEST_WORD):
            raise ValueError(
                f"{name} of the stand-ins must be strings of 1 to {_LONGEST_WORD} characters, "
                f"got {shorten(ascii(word))}"
            )
        if printable(word) != word:
            raise ValueError(f"{name} of the stand-ins must be characters, got {word!a}")
