"""French words that agree with a noun: articles, partitives, and others by their forms."""

from sample_data.everyday.entries import Make
from sample_data.grammar.lexicon import Features, French, Said

NUMBERS = ("il", "ils")
"""Singular and plural, as persons of a verb."""
_PLURAL = ("nous", "ils")
_BEFORE_VOWEL = {"ce": "cet", "ma": "mon", "ta": "ton", "sa": "son"}


def is_plural(of: Features) -> bool:
    """Return whether French treats a number as plural."""
    return of.get("per") in _PLURAL


def articles(of: Features) -> tuple[French, ...]:
    """Return "le", "la" or "les"."""
    text = "les" if is_plural(of) else "la" if of.get("gen") == "f" else "le"
    return (French(text, article=True),)


def the(of: Features) -> Said:
    """Return the definite article, also before an adjective."""
    return {"": articles(of), "before_adjective": articles(of)}


def partitive(of: Features) -> Said:
    """Form "du", "de la", "des".

    In a negated clause this is "de", and "de" replaces "des" before an adjective.
    """
    if of.get("neg") == "yes":
        words = ("de",)
    elif is_plural(of):
        words = ("des",)
    else:
        words = ("de", "la") if of.get("gen") == "f" else ("de", "le")
    said = tuple(
        French(word, partitive=True, article=word in ("le", "la") and len(words) > 1)
        for word in words
    )
    return {"": said, "before_adjective": (French("de"),) if words == ("des",) else said}


def determiner_forms(masculine: str, feminine: str, plural: str) -> Make:
    """Return a determiner of three forms: "mon", "ma", "mes", and "mon" for "ma" before a vowel."""

    def agree(of: Features) -> Said:
        text = plural if is_plural(of) else feminine if of.get("gen") == "f" else masculine
        word = French(text, before_vowel=_BEFORE_VOWEL.get(text))
        return {"": (word,), "before_adjective": (word,)}

    return agree


def four_forms(masculine: str, feminine: str, masculine_plural: str, feminine_plural: str) -> Make:
    """Return a word of four forms: "quel", "quelle", "quels", "quelles"."""
    forms = ((masculine, feminine), (masculine_plural, feminine_plural))
    return lambda of: {"": (French(forms[is_plural(of)][of.get("gen") == "f"]),)}
