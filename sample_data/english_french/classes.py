"""The part of speech of each word form, in both languages."""

from collections.abc import Iterable, Mapping

from sample_data.english_french.lexicon import (
    ADJECTIVES,
    AVOIR_PRESENT,
    BE_PAST,
    BE_PRESENT,
    BEFORE_VOWEL,
    DEGREES,
    DETERMINERS,
    ETRE_PAST,
    ETRE_PRESENT,
    FREQUENCY_ADVERBS,
    NOUNS,
    PREPOSITIONS,
    PRONOUNS,
    TIME_ADVERBS,
    VERBS,
    A,
)

_ADVERBS = {
    *DEGREES,
    *FREQUENCY_ADVERBS,
    *(adverb for adverbs in TIME_ADVERBS.values() for adverb in adverbs),
}
_ENDINGS = ("", "e", "s", "es")
_ADJECTIVE_FORMS = {form for adjective in ADJECTIVES for form in adjective.french}


def _english_words() -> dict[str, Iterable[str | None]]:
    return {
        "noun": (form for noun in NOUNS for form in (noun.english, noun.english_plural)),
        "verb": (form for v in VERBS for form in (v.base, v.third, v.past, v.participle)),
        "adjective": (adjective.english for adjective in ADJECTIVES),
        "determiner": (*(determiner.english for determiner in DETERMINERS), A.english + "n"),
        "pronoun": (*(pronoun[0] for pronoun in PRONOUNS), "it", "that", "who"),
        "adverb": (*(english for english, _ in _ADVERBS), "where"),
        "preposition": (preposition.english for preposition in PREPOSITIONS),
        "conjunction": ("and", "but", "because"),
        "negation": ("not",),
        "auxiliary": (*BE_PRESENT, *BE_PAST, "do", "does", "did", "has", "have"),
        "punctuation": (".", "?"),
    }


def _french_words() -> dict[str, Iterable[str | None]]:
    participles = (
        verb.participle_french + ending
        for verb in VERBS
        for ending in (_ENDINGS if verb.with_etre else ("",))
    )
    changed = set(BEFORE_VOWEL.values())
    adjectives = {BEFORE_VOWEL.get(form, form) for form in _ADJECTIVE_FORMS} & changed
    determiners = {
        text
        for determiner in DETERMINERS
        for form in (determiner.masculine, determiner.feminine, determiner.plural)
        for text in (form or "").split()
    }
    return {
        "noun": (form for noun in NOUNS for form in (noun.french, noun.french_plural)),
        "verb": (*(form for verb in VERBS for form in verb.present_french), *participles),
        "adjective": _ADJECTIVE_FORMS | adjectives,
        "determiner": determiners | (changed - adjectives) | {"l'", "d'"},
        "pronoun": (*(pronoun[1] for pronoun in PRONOUNS), "j'", "qui"),
        "adverb": (*(french for _, french in _ADVERBS), "où"),
        "preposition": (preposition.french for preposition in PREPOSITIONS),
        "conjunction": ("et", "mais", "parce", "que", "qu'"),
        "negation": ("ne", "n'", "pas"),
        "auxiliary": (*AVOIR_PRESENT, *ETRE_PRESENT, *ETRE_PAST, "est-ce"),
        "punctuation": (".", "?"),
    }


def _by_word(words: Mapping[str, Iterable[str | None]]) -> dict[str, str]:
    classes: dict[str, str] = {}
    for name, forms in words.items():
        for form in forms:
            if form and classes.setdefault(form, name) != name:
                raise ValueError(f"a form must have one class, got two for {form!r}")
    return classes


english_classes: dict[str, str] = _by_word(_english_words())
french_classes: dict[str, str] = _by_word(_french_words())

content_words: frozenset[str] = frozenset(
    form
    for form, name in french_classes.items()
    if name in {"noun", "verb", "adjective", "adverb", "determiner"}
)
"""The French words whose one English word is beyond doubt: a head can be scored on them."""
