"""English spelling to phonemes: words of the CMU Pronouncing Dictionary.

The committed file has one word a line with what each letter sounds: a phoneme, two
("mix": "M IH K|S"), "+" for "one sound with the letter before", "_" for nothing
("photo": "F + OW T OW").
"""

import random
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from sample_data.pairs import Pair
from sample_data.sounds import Scores, Spoken, align, learn

WORDS_PATH = Path(__file__).parent / "cmudict" / "words.tsv"

_WORD = re.compile("[a-z]{3,10}")


def random_pairs(rng: random.Random) -> list[Pair]:
    """Return all pairs, shuffled."""
    return rng.sample(_all_pairs(), len(_all_pairs()))


@cache
def _all_pairs() -> list[Pair]:
    return [to_pair(*line.split("\t")) for line in _lines()]


def read_words() -> list[Spoken]:
    """Return the committed words with their phonemes."""
    words = (line.split("\t") for line in _lines())
    return [(word, tuple(re.findall("[A-Z]+", sounds))) for word, sounds in words]


def write_words(words: Sequence[Spoken]) -> None:
    """Write the committed file, without the words that the aligner cannot cut."""
    scores = learn(words)
    lines = [format_word(word, scores) for word in words if align(word, scores)]
    WORDS_PATH.write_text("".join(lines), encoding="utf-8", newline="\n")
    _all_pairs.cache_clear()


def format_word(word: Spoken, scores: Scores) -> str:
    """Return the line of a word: its spelling and what each letter sounds."""
    return f"{word[0]}\t{' '.join(align(word, scores))}\n"


def select(dictionary: Iterable[str], common_words: frozenset[str]) -> list[Spoken]:
    """Return the common words of the dictionary, each with its first pronunciation.

    Args:
        dictionary: The lines of "cmudict.dict".
        common_words: The words to keep, in lower case; this is what leaves out the names.
    """
    entries = (line.partition("#")[0].split() for line in dictionary)
    return [
        (word, tuple(re.sub("[0-9]", "", phoneme) for phoneme in phonemes))
        for word, *phonemes in filter(None, entries)
        if _WORD.fullmatch(word) and word in common_words
    ]


def _lines() -> list[str]:
    return WORDS_PATH.read_text(encoding="utf-8").splitlines()


def to_pair(word: str, sounds: str) -> Pair:
    """Make a pair of a word and its phonemes, with the letters that sound each of them."""
    phonemes: list[str] = []
    links: set[tuple[int, int]] = set()
    for letter, sound in enumerate(sounds.split(" ")):
        if sound == "+":
            links.add((letter, len(phonemes) - 1))
        elif sound != "_":
            for phoneme in sound.split("|"):
                links.add((letter, len(phonemes)))
                phonemes.append(phoneme)
    return Pair(word, " ".join(phonemes), frozenset(links))
