"""Nouns of the lexicon as entries, their parts of the body, and the places of unknown nouns."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from sample_data.everyday import english_forms, french_forms
from sample_data.everyday.agreement import NUMBERS, articles
from sample_data.everyday.entries import (
    SLOTS,
    Make,
    features,
    kinds,
    make_entry,
    say,
    share,
    values,
    weight,
)
from sample_data.everyday.tables import Row, english_words, french_words, read_table
from sample_data.grammar.features import Values
from sample_data.grammar.lexicon import Entry, Features, French, Said

ANIMATE = frozenset(
    {"person", "animal", "family", "job", "pet", "feeling"} | {"known", "close", "sibling"}
)
"""Kinds of living beings."""
_CLOSE = frozenset({"family", "close"})
_OWNED = frozenset(
    {"own", "clothes", "electronic", "toy", "tool", "vehicle", "instrument", "room", "money"}
    | {"furniture", "container", "written", "homework", "body", "abstract", "meal", "sport"}
)
"""Kinds that often belong to somebody; close relations nearly always do."""
_ALWAYS_DEFINITE = frozenset({"sport", "subject", "language", "instrument", "meal", "bare"})
_PAINLESS = frozenset({"hair", "beard", "moustache", "nail", "blood", "voice", "brain", "body"})
"""Parts of the body that are not said to hurt."""


def nouns() -> Iterator[Entry]:
    """Make an entry of each form of each noun."""
    for row in read_table("nouns"):
        yield from _noun(row)


def nouns_by_row() -> Iterator[tuple[str, Entry]]:
    """Make the same entries, each with the French noun of its row."""
    for row in read_table("nouns"):
        french = row["french_plural"] if row["french"] == "-" else row["french"]
        yield from ((french, entry) for entry in _noun(row))


def _noun(row: Row) -> Iterator[Entry]:
    english = _numbers(row["english"], row["plural"], english_forms.plural)
    french = _numbers(row["french"], row["french_plural"], french_forms.plural)
    if english["ils"] == english["il"]:  # "the fish" does not show its number
        english["ils"] = ""
    spoken = [number for number in NUMBERS if english[number]]
    for agr in spoken:
        per = agr if french[agr] else next(number for number in NUMBERS if french[number])
        rarer = agr == "ils" and len(spoken) > 1
        of = _features(row, english[agr], agr, per)
        one = of["had"] == {"kin"} and "sibling" not in of["kind"]  # one has one mother
        entry = Entry(
            "Noun",
            english_words(english[agr]),
            of,
            _noun_said(french[per], row["feminine"], plural=per == "ils"),
            weight(row) * (0.02 if rarer and one else 0.5 if rarer else 1),
        )
        yield entry
        if row["feminine"]:  # "a singer" is masculine, unless it describes a woman
            hers = french_forms.plural(row["feminine"]) if per == "ils" else row["feminine"]
            yield replace(
                entry,
                features={**entry.features, "gen": values("f")},
                french=_noun_said(hers, "", plural=False),
                weight=entry.weight / 4,
                preference=-1,
            )


def _numbers(singular: str, plural: str, by_rule: Callable[[str], str]) -> dict[str, str]:
    """Return both numbers from a table; "" for a missing one."""
    return {
        "il": "" if singular == "-" else singular,
        "ils": "" if plural == "-" else plural or by_rule(singular),
    }


def _features(row: Row, english: str, agr: str, per: str) -> dict[str, Values]:
    of_kinds = kinds(row["kinds"])
    bare = _bare(of_kinds, counted=row["plural"] != "-" and agr == "il")
    if agr == "ils" and per == "il":  # "jeans" are one thing in French: never "du jean"
        bare = "no"
    agrees = row["feminine"] or "job" not in of_kinds
    return {
        **features(agr=agr, per=per, gen=row["gender"], bare=bare),
        **features(
            mass=_mass(of_kinds, uncounted=row["plural"] == "-"),
            sgen="m|f" if agrees else row["gender"],
            owner="no" if agr == "ils" and english.endswith("s") else "yes",
            of="animate" if of_kinds & ANIMATE else "thing",
            had="kin" if of_kinds & _CLOSE else "my|the" if of_kinds & _OWNED else "the",
        ),
        "kind": of_kinds,
    }


def _noun_said(text: str, feminine: str, *, plural: bool) -> Make:
    """Return a noun; a job agrees with the person who has it ("elle est infirmière")."""
    said = tuple(French(word) for word in french_words(text))
    of_her = french_forms.plural(feminine) if plural else feminine
    hers = tuple(French(word) for word in french_words(of_her)) or said
    return lambda of: {"": said, "job": hers if of.get("sgen") == "f" else said}


def _mass(of_kinds: Values, *, uncounted: bool) -> str:
    """Return whether a noun is measured.

    So are "some bread", and "some cake" beside "a cake"; the sun is "one".
    """
    if "unique" in of_kinds:
        return "one"
    return "yes" if uncounted else "yes|no" if "measured" in of_kinds else "no"


def _bare(of_kinds: Values, *, counted: bool) -> str:
    """Return whether English leaves out the article: "football" always, "milk" and "cats" may."""
    if "unique" in of_kinds:
        return "no"
    if of_kinds & _ALWAYS_DEFINITE and "counted" not in of_kinds:
        return "always"
    return "yes|no" if of_kinds & {"measured", "general"} else "no" if counted else "yes"


def body_parts() -> Iterator[Entry]:
    """Make parts of the body with the French article for "my": "se laver les mains"."""
    for row in read_table("nouns"):
        if "body" in row["kinds"].split():
            yield from _body_part(row)


def _body_part(row: Row) -> Iterator[Entry]:
    hurts = values("no" if row["english"] in _PAINLESS else "yes")
    for entry in _noun(row):
        if "once" in entry.features["kind"] and entry.features["agr"] == {"ils"}:
            continue

        def said(of: Features, entry: Entry = entry) -> Said:
            settled = {name: next(iter(entry.features[name])) for name in ("per", "gen")}
            return {"": (*articles(settled), *entry.french(of)[""])}

        of = {**entry.features, "hurts": hurts}
        yield replace(entry, category="BodyPart", features=of, french=said)


def counting_nouns() -> Iterator[Entry]:
    """Make nouns with their own rules: "a glass of", "a train to"."""
    for row in read_table("counting_nouns"):
        singular, plural = row["english"], row["plural"] or english_forms.plural(row["english"])
        one, many = (features(agr=n, per=n, gen=row["gender"]) for n in NUMBERS)
        yield make_entry(row["category"], singular, one, say(row["french"]), share(row))
        spoken = say(french_forms.plural(row["french"]))
        yield make_entry(row["category"], plural, many, spoken, share(row) / 3)


def noun_slots() -> Iterator[Entry]:
    """Make the places of unknown nouns, which are always masculine."""
    for slot in SLOTS:
        one, many = f"<x{slot}>", f"<x{slot}s>"
        of_one = features(agr="il", per="il", gen="m", bare="no")
        of_many = features(agr="ils", per="ils", gen="m", bare="yes")
        yield make_entry("NounSlot", one, of_one, say(one), 3)
        yield make_entry("NounSlot", many, of_many, say(many), 1)
