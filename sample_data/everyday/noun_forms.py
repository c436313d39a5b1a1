"""The gender and number of each noun in French, by its English and by its French word."""

from collections.abc import Iterable, Mapping
from functools import cache

from sample_data.everyday.classes import english_classes, french_classes
from sample_data.everyday.nouns import nouns_by_row
from sample_data.word_classes import KnownNoun, NounForm


@cache
def english_nouns() -> Mapping[str, KnownNoun]:
    """Return the one-word English nouns that have a single gender and number in French."""
    found = (
        (entry.english, KnownNoun(_form(entry.features, entry.features["agr"]), french))
        for french, entry in nouns_by_row()
    )
    return _settled(found, english_classes())


@cache
def french_nouns() -> Mapping[str, KnownNoun]:
    """Return the one-word French nouns that have a single gender and number."""
    found = (
        (
            tuple(word.text for word in entry.french({})[""]),
            KnownNoun(_form(entry.features, entry.features["per"]), french),
        )
        for french, entry in nouns_by_row()
    )
    return _settled(found, french_classes())


def _form(features: Mapping[str, frozenset[str]], own: frozenset[str]) -> NounForm:
    return NounForm("f" in features["gen"], "ils" in features["per"], "ils" in own)


def _settled(
    found: Iterable[tuple[tuple[str, ...], KnownNoun]], classes: Mapping[str, str]
) -> Mapping[str, KnownNoun]:
    """Keep the single words that are mostly nouns, and have one form.

    "student" is left out, because French has "étudiant" and "étudiante".
    """
    known: dict[str, KnownNoun] = {}
    unsettled: set[str] = set()
    for words, noun in found:
        if len(words) == 1 and known.setdefault(words[0], noun).form != noun.form:
            unsettled.add(words[0])
    return {
        word: noun
        for word, noun in known.items()
        if word not in unsettled and classes.get(word) == "noun"
    }
