"""The everyday grammar: it draws random sentences and translates typed ones."""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path

from sample_data.everyday.adjectives import adjectives
from sample_data.everyday.adverbs import adverbs, prepositions
from sample_data.everyday.auxiliaries import auxiliaries
from sample_data.everyday.determiners import agreeing_words, determiners
from sample_data.everyday.names import names
from sample_data.everyday.nouns import body_parts, counting_nouns, noun_slots, nouns
from sample_data.everyday.numbers import numbers
from sample_data.everyday.phrases import phrases, small_words
from sample_data.everyday.pronouns import pronouns
from sample_data.everyday.spelling import to_pair
from sample_data.everyday.tables import read_words
from sample_data.everyday.verbs import particles, special_verbs, verbs
from sample_data.grammar.drawing import Drawing
from sample_data.grammar.grammar import Grammar
from sample_data.grammar.lexicon import Entry
from sample_data.grammar.notation import Part, Rule
from sample_data.grammar.reading import Reading
from sample_data.grammar.reading import read as read_trees
from sample_data.grammar.trees import Tree
from sample_data.pairs import Pair

_RULES = Path(__file__).parent / "rules.txt"
_SAID = Path(__file__).parent / "said.txt"
_SAID_SHARE = 0.03
"""The share of drawn sentences that come from the list chosen by hand."""
_SOFT = ("kind", "sub", "obj", "had", "why", "deed", "manner", "beside")
_LONGEST = 16
"""The largest number of words of a drawn sentence."""
_OFTEN_ENOUGH = 60
"""The number of times that a word must occur in the training pairs. Of held-out sentences with a
word that occurred ten times or less, nine of ten were wrong."""
_RARE_PARTS = {"Operator": 5.0, "ObjectPronoun": 3.0, "RelativeWord": 4.0, "Gap": 6.0}
"""The factor for rules with such a part when sentences with rare words are drawn. Most of these
words are verb forms after "will" and "was", or participles that agree with an earlier word; the
rarest all do: "the towels that she bought"."""
_RARE_PAST = 2.0
"""The factor for a verb in the past, as most of its participles are rare except the masculine."""
_RARE_FORMS = {"base": 4.0, "ing": 3.0}
"""The factor for a verb's English form: after "will" and "was", French has one for each person."""
_SLOT = re.compile(r"<([dntx])(\d)s?>")


@cache
def grammar() -> Grammar:
    """Return the grammar with its lexicon."""
    return Grammar(_RULES.read_text(encoding="utf-8"), _all_words(), soft=_SOFT)


def _all_words() -> Iterator[Entry]:
    """Make every entry of the lexicon.

    The sentences that a seed draws depend on the order of the entries of a category.
    """
    return chain(
        nouns(),
        adjectives(),
        verbs(),
        small_words(),
        determiners(),
        pronouns(),
        auxiliaries(),
        numbers(),
        names(),
        adverbs(),
        prepositions(),
        phrases(),
        agreeing_words(),
        particles(),
        special_verbs(),
        body_parts(),
        counting_nouns(),
        noun_slots(),
    )


@cache
def _aspirated() -> frozenset[str]:
    return read_words("aspirated")


def sentences(
    rng: random.Random, wanted: Callable[[str], bool] = lambda _source: True
) -> Iterator[Pair]:
    """Yield random sentences without end; reading each gives back the drawn pair.

    Some come from `said`. Only wanted sources are yielded, and this is asked before reading, which
    takes longer than drawing.
    """
    by_hand = said()
    for drawn in _drawn(Drawing(grammar()), rng):
        pair = rng.choice(by_hand) if rng.random() < _SAID_SHARE else drawn
        if wanted(pair.source) and read(pair.source) == pair:
            yield pair


@cache
def said() -> tuple[Pair, ...]:
    """Return the sentences of `said.txt`, a list of common ones chosen by hand.

    Raises ValueError if the grammar does not read one, or reads it in more than one way.
    """
    lines = _SAID.read_text(encoding="utf-8").splitlines()
    sources = [line for line in lines if line and not line.startswith("#")]
    pairs = [read(source) for source in sources]
    if unread := [s for s, pair in zip(sources, pairs, strict=True) if pair is None]:
        raise ValueError(f"the grammar cannot read {', '.join(map(repr, unread))}")
    return tuple(pair for pair in pairs if pair is not None)


def rare_sentences(rng: random.Random, known: Iterable[Pair]) -> Iterator[Pair]:
    """Yield random sentences, each with a word too rare among the known and the yielded ones.

    The generator never ends, but slows down, because in the end nearly all words are frequent
    enough.
    """
    counts = Counter(word for pair in known for word in _words_of(pair))
    for pair in _drawn(Drawing(grammar(), weigh=_for_rare_words), rng):
        rare = min(counts[word] for word in _words_of(pair)) < _OFTEN_ENOUGH
        if rare and read(pair.source) == pair:
            counts.update(_words_of(pair))
            yield pair


def _for_rare_words(drawn: Rule | Entry) -> float:
    """Weigh all words alike, except words with rare forms in French, which weigh more."""
    if isinstance(drawn, Rule):
        return drawn.weight * max(map(_part_for_rare_words, drawn.parts), default=1.0)
    forms = drawn.features.get("form", ()) if "tense" in drawn.features else ()
    return max((_RARE_FORMS.get(form, 1.0) for form in forms), default=1.0)


def _part_for_rare_words(part: Part) -> float:
    form = part.pattern.get("form")
    past = form is not None and form.values == {"past"}
    return _RARE_PARTS.get(part.category or "", 1.0) * (_RARE_PAST if past else 1.0)


def _words_of(pair: Pair) -> Iterator[tuple[str, str]]:
    """Yield the words of a pair, each with its language."""
    yield from (("english", word) for word in pair.source.split())
    yield from (("french", word) for word in pair.target.split())


def _drawn(drawing: Drawing, rng: random.Random) -> Iterator[Pair]:
    """Yield plausible sentences, before they are read back."""
    while True:
        pair = to_pair(drawing.draw("Text", rng), aspirated=_aspirated())
        words = pair.source.split()
        if len(words) <= _LONGEST and _slots_in_order(words) and not _says_twice(words):
            yield pair


def _slots_in_order(words: list[str]) -> bool:
    """Return whether unknown words are numbered in order, each once."""
    last: dict[str, int] = {}
    for word in words:
        if match := _SLOT.fullmatch(word):
            kind, number = match[1], int(match[2])
            if number != last.get(kind, 0) + 1:
                return False
            last[kind] = number
    return True


def _says_twice(words: list[str]) -> bool:
    """Return whether a word is joined to itself: "young and young"."""
    return any(
        one == two and link in ("and", "but", "or")
        for one, link, two in zip(words, words[1:], words[2:], strict=False)
    )


def trees_of(source: str) -> list[Tree]:
    """Return the most likely trees of a text, whose words are separated by single spaces.

    Several trees may have the same French.
    """
    readings = _readings(source)
    return [reading.tree for reading in readings if reading.order == readings[0].order]


def goes_together(source: str) -> bool:
    """Return whether the words of a text make sense together: a table does not eat."""
    readings = _readings(source)
    return bool(readings) and readings[0].clashes == 0


def _readings(source: str) -> list[Reading]:
    words = ["a" if word == "an" else word for word in source.split()]
    return read_trees(grammar(), "Text", words)


def read(source: str) -> Pair | None:
    """Translate a sentence, whose words are separated by single spaces.

    Returns None if the grammar cannot have written it, or if it has more than one translation.
    """
    pairs = {to_pair(tree, aspirated=_aspirated()) for tree in trees_of(source)}
    found = [pair for pair in pairs if pair.source == source]
    return found[0] if len(found) == 1 else None
