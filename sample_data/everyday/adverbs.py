"""Adverbs, and the prepositions of places and times."""

from collections.abc import Callable, Iterator, Mapping

from sample_data.everyday.entries import features, kinds, make_entry, parsed, say, weight
from sample_data.everyday.tables import Row, read_table
from sample_data.grammar.features import Values
from sample_data.grammar.lexicon import Entry

_AFTER_NOT = frozenset({"always", "often", "usually", "really", "very", "too", "so", "completely"})
"""Adverbs after "not": "not often", never "not rarely" or "not a bit"."""
_FOND = frozenset({"a lot", "very much"})
"""Adverbs for how much one likes something."""
_WELL = frozenset({"well", "very well", "badly", "better"})
"""Adverbs for how one speaks a language."""
_MUCH = _FOND | _WELL | {"too much", "so much", "enough", "more", "less", "a little", "a bit"}
"""Adverbs for how much one does, without an object unless one is fond of it."""
_SIDES = {"left": "yes", "right": "yes", "to the left": "yes|no", "to the right": "yes|no"}
"""Whether one turns there; with "no" among the values, one can also come there."""
_IN_RULES = frozenset(
    {"to", "from", "with", "without", "for", "of", "about", "like", "into", "except"}
    | {"because of", "thanks to"}
)
"""Prepositions whose places have their own rules."""
_OF_MOTION = frozenset({"towards", "toward", "through", "along"})
_AROUND = frozenset({"before", "after", "during"})


def adverbs() -> Iterator[Entry]:
    """Make entries of adverbs, one for each of their kinds."""
    for row in read_table("adverbs"):
        for kind in row["kinds"].split():
            yield from _MAKERS[kind](row)


def _adverb(category: str, row: Row, of: Mapping[str, Values]) -> Entry:
    return make_entry(category, row["english"], of, say(row["french"]), weight(row))


def _plain(category: str) -> Callable[[Row], Iterator[Entry]]:
    def make(row: Row) -> Iterator[Entry]:
        yield _adverb(category, row, {})

    return make


def _never(row: Row) -> Iterator[Entry]:
    said = say(ne="ne", pas=row["french"])
    for category in ("Often", "Never"):
        of = parsed("neg=yes never=yes")
        yield make_entry(category, row["english"], of, said, weight(row))


def _frequency(row: Row) -> Iterator[Entry]:
    negated = "yes|no" if row["english"] in _AFTER_NOT else "no"
    yield _adverb("Often", row, features(neg="no", never="no", negated=negated))


def _manner(row: Row) -> Iterator[Entry]:
    english = row["english"]
    if english not in _MUCH:
        yield _adverb("Manner", row, {})
        return
    fond, well = ("yes" if english in words else "no" for words in (_FOND, _WELL))
    yield _adverb("Much", row, features(fond=fond, well=well))


def _goal(row: Row) -> Iterator[Entry]:
    yield _adverb("ToPlace", row, features(side=_SIDES.get(row["english"], "no")))


def _degree(row: Row) -> Iterator[Entry]:
    graded = "yes|some" if row["english"] in ("really", "so") else "yes"
    neg = "yes|no|ask" if row["english"] in _AFTER_NOT else "no|ask"
    yield _adverb("Degree", row, features(graded=graded, neg=neg))


def _time(row: Row) -> Iterator[Entry]:
    tenses = row["tenses"].split()
    times = set(tenses) or {"habit", "present", "past", "future", "perfect"}
    if {"present", "past"} <= times:  # "today": "i have seen him today"
        times.add("perfect")
    day = "no" if tenses == ["habit", "past", "future"] else "yes"
    yield _adverb("Time", row, {"time": frozenset(times), **features(day=day)})


_MAKERS = {
    "never": _never,
    "ever": _plain("Ever"),
    "frequency": _frequency,
    "manner": _manner,
    "place": _plain("AtPlace"),
    "goal": _goal,
    "degree": _degree,
    "time": _time,
}


def prepositions() -> Iterator[Entry]:
    """Make entries of prepositions, and of ways of travelling ("by car")."""
    for row in read_table("prepositions"):
        english = row["english"]
        if row["kinds"] == "transport":
            yield _adverb("Transport", row, {})
        elif english not in _IN_RULES:
            proper = "no" if english == "in" else "yes|no"  # "in paris" has a rule of its own
            of = {"kind": kinds(row["kinds"]), **features(proper=proper)}
            often = weight(row) * (0.1 if english in _OF_MOTION else 1)
            category = "Around" if english in _AROUND else "Preposition"
            yield make_entry(category, english, of, say(row["french"]), often)
