"""The everyday grammar: sentences drawn at random, and the translation of what someone typed."""

import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from sample_data.everyday.spelling import to_pair
from sample_data.everyday.tables import read_words
from sample_data.everyday.words import all_words
from sample_data.grammar.drawing import Drawing
from sample_data.grammar.grammar import Grammar
from sample_data.grammar.reading import read as read_trees
from sample_data.grammar.trees import Tree
from sample_data.pairs import Pair

_RULES = Path(__file__).parent / "rules.txt"
_SOFT = ("kind", "sub", "obj")
_LONGEST = 16
"""Words of a sentence that is drawn."""
_SLOT = re.compile(r"<([dntx])(\d)s?>")


@cache
def grammar() -> Grammar:
    """Return the grammar with its lexicon."""
    return Grammar(_RULES.read_text(encoding="utf-8"), all_words(), soft=_SOFT)


@cache
def _aspirated() -> frozenset[str]:
    return read_words("aspirated")


def sentences(rng: random.Random) -> Iterator[Pair]:
    """Yield random sentences without end; each is read back as what it was drawn as."""
    drawing = Drawing(grammar())
    while True:
        pair = to_pair(drawing.draw("Text", rng), aspirated=_aspirated())
        words = pair.source.split()
        if len(words) > _LONGEST or not _slots_in_order(words) or _says_twice(words):
            continue
        if read(pair.source) == pair:
            yield pair


def _slots_in_order(words: list[str]) -> bool:
    """Say whether unknown words are numbered as they come, each once."""
    last: dict[str, int] = {}
    for word in words:
        if match := _SLOT.fullmatch(word):
            kind, number = match[1], int(match[2])
            if number != last.get(kind, 0) + 1:
                return False
            last[kind] = number
    return True


def _says_twice(words: list[str]) -> bool:
    """Say whether a word is joined to itself: "young and young"."""
    return any(
        one == two and link in ("and", "but", "or")
        for one, link, two in zip(words, words[1:], words[2:], strict=False)
    )


def trees_of(source: str) -> list[Tree]:
    """Return the trees of a text, its words separated by single spaces, that are as likely meant.

    More than one may still say the same in French.
    """
    words = ["a" if word == "an" else word for word in source.split()]
    readings = read_trees(grammar(), "Text", words)
    return [reading.tree for reading in readings if reading.order == readings[0].order]


def read(source: str) -> Pair | None:
    """Translate a sentence, its words separated by single spaces.

    None where the grammar cannot have written it, or where it has more than one translation.
    """
    pairs = {to_pair(tree, aspirated=_aspirated()) for tree in trees_of(source)}
    found = [pair for pair in pairs if pair.source == source]
    return found[0] if len(found) == 1 else None
