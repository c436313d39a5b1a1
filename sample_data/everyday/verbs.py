"""Verbs of the lexicon as entries of all their forms."""

from collections.abc import Iterator, Mapping

from sample_data.everyday import english_forms
from sample_data.everyday.entries import (
    features,
    kinds,
    listed,
    make_entry,
    parsed,
    say,
    taken,
    values,
    weight,
)
from sample_data.everyday.spoken_verb import SpokenVerb
from sample_data.everyday.tables import Row, english_words, read_table
from sample_data.grammar.features import Values
from sample_data.grammar.lexicon import Entry, Features, Said

_PARTICLES = ("away", "back", "down", "off", "on", "out", "up")
"""The particles of verbs such as "put on", before which a pronoun comes ("put it on")."""
_TASTES = frozenset({"like", "love", "hate", "prefer", "adore", "dislike"})
"""Verbs whose object without an article is the whole kind: "j'aime les chats"."""
_OF_WEATHER = frozenset({"start", "begin", "continue", "stop"})
"""Verbs before another verb that can also have the rain as subject."""
_PLACES = ("give", "to", "from", "at", "with", "turn", "placed")
"""Flags for the complements of a verb; the rules ask for them by name."""
_OTHERS = "je|tu|nous|ils"
"""The persons whose English present is the base form."""


def verbs() -> Iterator[Entry]:
    """Make entries of all forms of verbs, and of those that take another verb."""
    for row in read_table("verbs"):
        yield from _entries("Verb", row["english"], row, _frame(row))
    for row in read_table("catenatives"):
        english, _, form = row["english"].rpartition(" ")
        negated = "no" if english == "have" else "yes|no|ask"  # "not have to": not "ne pas devoir"
        whose = "person|animal|weather" if english in _OF_WEATHER else "person|animal"
        frame = features(inf=form, neg=negated, sub=whose)
        yield from _entries("Catenative", english, row, frame)


def special_verbs() -> Iterator[Entry]:
    """Make the verbs with their own rules: "think that", "wash my hands", "become"."""
    for row in read_table("special_verbs"):
        yield from _entries(row["category"], row["english"], row, parsed(row["features"]))
    yield make_entry("Born", "born", {}, _born)


def particles() -> Iterator[Entry]:
    """Make the particles separated from their verb: "put it on"."""
    for particle in _PARTICLES:
        yield make_entry("Particle", particle, features(particle=particle), say())


def _frame(row: Row) -> dict[str, Values]:
    """Return the complements of a verb, and the kinds of its subject."""
    flags = row["flags"].split()
    return {
        **features(**{flag: "yes" if flag in flags else "no" for flag in _PLACES}),
        **features(
            frame="object" if row["object"] else "none",
            taste="yes" if row["english"] in _TASTES else "no",
            have="yes" if row["french"] == "avoir" else "no",
            why="yes|no" if "because" in flags else "no",
            manner="yes" if "manner" in flags else "no",
            deed="no" if "state" in flags else "yes",
        ),
        "sub": taken(row["subject"] or "person"),
        **({"obj": kinds(row["object"])} if row["object"] else {}),
    }


def _entries(category: str, english: str, row: Row, frame: Mapping[str, Values]) -> Iterator[Entry]:
    flags = listed(row["flags"])
    first, *rest = english.split()
    has_object = bool(row.get("object"))
    spoken = SpokenVerb.of(
        row["french"],
        has_object=has_object or category != "Verb",
        invariable="invariable" in flags,
    )
    splits = has_object and len(rest) == 1 and rest[0] in _PARTICLES
    whole = features(gov=spoken.governs, whole="no" if splits else "yes")
    often = weight(row, step=3.0)  # a few verbs make up most sentences
    for form, of in verb_forms(first, row, flags):
        unsaid = of["form"] == {"since"} and "lasting" not in flags
        words = (form, *english_words(" ".join(rest)))
        said = {**frame, **of, **whole}
        preference = int("first" in flags)
        yield Entry(category, words, said, spoken.say(len(words)), often * (not unsaid), preference)
        if splits:
            split = {**said, "particle": values(rest[0])}
            yield Entry("SplitVerb", (form,), split, spoken.say(1), often)


def verb_forms(first: str, row: Row, flags: Values) -> Iterator[tuple[str, dict[str, Values]]]:
    """Yield the English forms of a verb, and the place of each."""
    past = "" if row["past"] == "-" else row["past"] or english_forms.past(first)
    participle = row["participle"] or past
    ing = row["ing"] or english_forms.ing_form(first)
    settled = "imperfect" if "state" in flags else "past"
    orders = "" if {"state", "noorder"} & flags else "|imperative|together"
    yield first, features(form="base", tense=f"present|future|inf|habit|{settled}{orders}")
    yield first, features(form="finite", agr=_OTHERS, tense="present")
    third = english_forms.third_person(first)
    yield third, features(form="finite", agr="il", tense="present")
    if past:
        yield past, features(form="past", tense=settled)
    if participle:
        yield participle, features(form="participle", tense="past")
    if "noing" not in flags:
        yield ing, features(form="ing", tense="present|imperfect|inf")
    if participle and {"state", "lasting"} & flags:  # "has lived here for a year", "habite depuis"
        yield participle, features(form="since", tense="present")
    if "noing" in flags:
        yield ing, features(form="ing", tense="inf")


def _born(of: Features) -> Said:
    said = SpokenVerb.of("naître", has_object=False).say(1)({**of, "tense": "past"})
    return {"": said["participle"], "helper": said["helper"]}
