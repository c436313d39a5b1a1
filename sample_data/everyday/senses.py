"""What each English word can be: its part of speech, its form, and what it names or goes with."""

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from sample_data.everyday.classes import CONTENT, classed_entries, english_classes
from sample_data.everyday.entries import listed
from sample_data.everyday.tables import read_table
from sample_data.everyday.verbs import verb_forms
from sample_data.grammar.features import Values

_NONE: Values = frozenset()


class Sense(NamedTuple):
    """One thing that a word can be."""

    part: str
    """Its part of speech."""
    form: str
    """Of a verb base, third, past, participle or ing; of a noun il for one, ils for several; of
    others the category of the grammar."""
    kinds: Values
    """What it names; of a verb and an adjective what it is said of."""
    objects: Values
    """What a verb takes."""
    weight: float
    """How often it is drawn beside the others of its category."""


@cache
def english_senses() -> Mapping[str, tuple[Sense, ...]]:
    """Return the senses of each English word that stands alone in the lexicon.

    A word that is mostly one of a closed class, as "to", has no other senses.
    """
    found: dict[str, list[Sense]] = defaultdict(list)
    for entry, part in classed_entries():
        if len(entry.english) == 1:
            of = entry.features
            kinds = of.get("kind", _NONE) | of.get("sub", _NONE)
            form = (_form(of) if part in ("noun", "verb") else "") or entry.category.lower()
            found[entry.english[0]].append(
                Sense(part, form, kinds, of.get("obj", _NONE), entry.weight)
            )
    for word, part in english_classes().items():
        if part not in CONTENT:
            own = [sense for sense in found[word] if sense.part == part]
            found[word] = own or [Sense(part, part, _NONE, _NONE, 1.0)]
    return {word: tuple(senses) for word, senses in found.items()}


@cache
def verb_lemmas() -> Mapping[str, str]:
    """Return the base form that each form of a verb belongs to: "give" for "gave"."""
    found: dict[str, str] = {}
    for table in ("verbs", "special_verbs"):
        for row in read_table(table):
            first = row["english"].split()[0]
            for form, _ in verb_forms(first, row, listed(row["flags"])):
                found.setdefault(form, first)
    return found


def _form(of: Mapping[str, Values]) -> str:
    form = "/".join(sorted(of.get("form", of.get("agr", _NONE))))
    if form == "finite":
        return "third" if of.get("agr") == {"il"} else "base"
    return "participle" if form == "since" else form
