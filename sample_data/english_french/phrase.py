"""Phrases in both languages at once: each French word knows the English words it translates."""

from dataclasses import dataclass
from itertools import pairwise

from sample_data.pairs import Pair

_ELISIONS = {"le": "l'", "la": "l'", "ne": "n'", "je": "j'", "que": "qu'", "de": "d'"}
_VOWELS = tuple("aeiouyàâéèêëîïôùûœh")  # every h of this lexicon is mute


@dataclass(frozen=True, eq=False, slots=True)
class English:
    """One English word of one sentence: two of the same text are two words."""

    text: str


@dataclass(frozen=True, eq=False, slots=True)
class French:
    """One French word and the English words it translates."""

    text: str
    of: tuple[English, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Phrase:
    """The same phrase in English and in French, each in its own word order."""

    source: tuple[English, ...] = ()
    target: tuple[French, ...] = ()

    def __add__(self, other: "Phrase") -> "Phrase":
        return Phrase(self.source + other.source, self.target + other.target)


NOTHING = Phrase()


def word(english: str, french: str) -> Phrase:
    """Return one English word with its French, which may be several words ("parce que")."""
    source = English(english)
    return Phrase((source,), tuple(French(text, (source,)) for text in french.split()))


def starts_with_vowel(text: str) -> bool:
    """Return whether a French word takes the elided forms before it."""
    return text.startswith(_VOWELS)


def to_pair(phrase: Phrase) -> Pair:
    """Spell the phrase out: elision in French, a or an in English, alignment by index."""
    position = {source: index for index, source in enumerate(phrase.source)}
    return Pair(
        " ".join(_with_an([source.text for source in phrase.source])),
        " ".join(_elide([target.text for target in phrase.target])),
        frozenset(
            (position[source], index)
            for index, target in enumerate(phrase.target)
            for source in target.of
        ),
    )


def _elide(words: list[str]) -> list[str]:
    following = [*words[1:], ""]
    return [
        _ELISIONS.get(text, text) if starts_with_vowel(after) else text
        for text, after in zip(words, following, strict=True)
    ]


def _with_an(words: list[str]) -> list[str]:
    spelled = [
        "an" if text == "a" and after.startswith(("a", "e", "i", "o")) else text
        for text, after in pairwise(words)
    ]
    return [*spelled, *words[-1:]]
