"""Auxiliaries: "do", "will", "have", all of "be", and the modal verbs."""

from collections.abc import Iterator
from typing import NamedTuple

from sample_data.everyday.conjugation import PERSONS, conjugate
from sample_data.everyday.entries import features, listed, make_entry, parsed, say, share
from sample_data.everyday.spoken_verb import SpokenVerb
from sample_data.everyday.tables import Row, read_table
from sample_data.grammar.lexicon import Entry, Features, Said

_AM = ("am", "are", "is", "are", "are")
_WAS = ("was", "were", "was", "were", "were")


class _Auxiliary(NamedTuple):
    category: str
    english: tuple[str, ...]
    """The forms by person."""
    form: str
    """The form of the English verb after it."""
    tense: str
    """The French verb that replaces both."""
    time: str
    """The times that can be said with it."""
    often: float


_AUXILIARIES = (
    _Auxiliary("Do", ("do", "do", "does", "do", "do"), "base", "present", "habit|present", 9),
    _Auxiliary("Do", ("did",) * 5, "base", "past|imperfect", "past", 9),
    _Auxiliary("Operator", ("will",) * 5, "base", "future", "future", 10),
    _Auxiliary(
        "Operator", ("have", "have", "has", "have", "have"), "participle", "past", "perfect", 5
    ),
    _Auxiliary("Operator", _AM, "ing", "present", "present|future", 9),
    _Auxiliary("Operator", _WAS, "ing", "imperfect", "past", 5),
)


def auxiliaries() -> Iterator[Entry]:
    """Make all auxiliaries."""
    for auxiliary in _AUXILIARIES:
        for per, word in zip(PERSONS, auxiliary.english, strict=True):
            of = features(agr=per, form=auxiliary.form, tense=auxiliary.tense, time=auxiliary.time)
            yield make_entry(auxiliary.category, word, of, say(), auxiliary.often)
            if auxiliary.form == "base":
                yield _short(word, per)
    yield from _being()
    for row in read_table("modals"):
        yield from _modal(row)
    for per in PERSONS:
        would = conjugate("vouloir").conditional(per)
        yield make_entry("Would", "would", features(per=per), say(would))


def _short(word: str, per: str) -> Entry:
    """Make the auxiliary of a short answer: "yes, i do", in French "oui"."""
    return make_entry("ShortOperator", word, features(agr=per), say())


def _being() -> Iterator[Entry]:
    """Make the forms of "be"; the French verb (être, avoir, faire) decides what can follow."""
    verbs = "être|avoir|faire|venir|aller|coûter"
    for tense, time, words, often in (
        ("present", "habit|present", _AM, 3),
        ("imperfect", "past", _WAS, 1),
    ):
        for per, word in zip(PERSONS, words, strict=True):
            of = parsed(f"agr={per} tense={tense} form=finite whole=no be={verbs} time={time}")
            yield make_entry("Be", word, of, _as_verb, often)
            yield _short(word, per)
    for word, of in (
        ("be", "tense=future|inf|imperative|together form=base be=être|avoir|faire"),
        ("been", "tense=past form=participle be=être|avoir|faire|aller"),
        ("been", "tense=present form=since be=être|avoir"),
    ):
        yield make_entry("Be", word, parsed(f"{of} whole=yes"), _as_verb)


def _as_verb(of: Features) -> Said:
    return SpokenVerb.of(of.get("be") or "être", has_object=False).say(1)(of)


def _modal(row: Row) -> Iterator[Entry]:
    verb = conjugate(row["french"])
    for index, per in enumerate(PERSONS):
        forms = {
            "present": verb.present[index],
            "conditional": verb.conditional(per),
            "imperfect": verb.imperfect(per),
        }
        of = {"per": listed(per), "neg": listed(row["neg"])}
        yield make_entry("Modal", row["english"], of, say(forms[row["tense"]]), share(row))
