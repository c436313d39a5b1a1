"""The functions of the everyday grammar, in the form that a task requires."""

from functools import cache

from sample_data.everyday.classes import content_words, english_classes, french_classes
from sample_data.everyday.constructions import construction
from sample_data.everyday.language import (
    goes_together,
    grammar,
    rare_sentences,
    read,
    sentences,
)
from sample_data.everyday.meanings import english_kinds
from sample_data.everyday.noun_forms import english_nouns, french_nouns
from sample_data.everyday.unknown import unknown_words
from sample_data.knowledge import Knowledge
from sample_data.word_classes import Sense, Senses, WordClasses


def _word_classes() -> WordClasses:
    return WordClasses(
        content_words(), english_classes(), french_classes(), english_nouns(), french_nouns()
    )


@cache
def _senses() -> Senses:
    lives = {frozenset({"animate"}): True, frozenset({"thing"}): False}
    found: list[dict[str, Sense]] = []
    for category in ("Noun", "Adjective"):
        entries = sorted(grammar().entries[category], key=lambda entry: -entry.weight)
        senses: dict[str, Sense] = {}
        for entry in entries:
            features = entry.features
            gender = "".join(sorted(features.get("gen", ())))
            kinds = frozenset(features.get("kind", ()))
            of = frozenset(features.get("of", ()))
            senses.setdefault(entry.english[-1], Sense(kinds, lives.get(of), gender))
        found.append(senses)
    return Senses(*found)


KNOWLEDGE = Knowledge(
    pairs=sentences,
    wanted_pairs=sentences,
    rare_pairs=rare_sentences,
    read=read,
    makes_sense=goes_together,
    word_classes=_word_classes,
    source_classes=english_classes,
    source_kinds=english_kinds,
    senses=_senses,
    unknown_words=unknown_words,
    construction=construction,
)
