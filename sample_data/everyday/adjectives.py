"""Adjectives of the lexicon as entries, with their comparatives and superlatives."""

from collections.abc import Iterator

from sample_data.everyday import english_forms, french_forms
from sample_data.everyday.agreement import is_plural
from sample_data.everyday.entries import Make, features, taken, weight
from sample_data.everyday.nouns import ANIMATE
from sample_data.everyday.tables import Row, english_words, french_words, read_table, read_words
from sample_data.grammar.features import Values
from sample_data.grammar.lexicon import Entry, Features, French, Said

_BEFORE_VOWEL = {"beau": "bel", "vieux": "vieil", "nouveau": "nouvel", "fou": "fol"}
_BETTER = {"bon": "meilleur", "mauvais": "pire"}
"""Comparatives that come before their noun."""
_WEATHER = frozenset({"cold", "hot", "warm", "cool", "sunny", "windy", "cloudy", "dark"})
"""Adjectives that describe the weather after "it": "il fait froid", not "c'est froid"."""
_OF_KIN = frozenset({"little", "old", "young", "big", "new"})
"""Adjectives that come before "mother" or "brother"."""
_WITH_THE = frozenset(
    {"other", "only", "next", "last", "first", "second", "third", "following"}
    | {"favourite", "favorite"}
)
"""Adjectives that come after "the" or "my", not after "a"."""


def adjectives() -> Iterator[Entry]:
    """Make entries of adjectives, and of their comparatives and superlatives in -er and -est."""
    ungraded = read_words("ungraded")
    for row in read_table("adjectives"):
        graded = row["english"] not in ungraded and "nationality" not in row["kinds"].split()
        yield from _adjective(row, _features(row, graded=graded))


def _adjective(row: Row, of: dict[str, Values]) -> Iterator[Entry]:
    short = _comparison(row)
    how = "none" if row["compare"] == "-" else "er" if short else "more"
    agree = _agreeing(row)
    english = english_words(row["english"])
    yield Entry("Adjective", english, {**of, **features(compare=how)}, agree, weight(row))
    if short:
        compared = {**of, **features(order="before" if row["french"] in _BETTER else "after")}
        for category, form in zip(("Comparative", "Superlative"), short, strict=True):
            yield Entry(category, (form,), compared, _compared(row, agree), weight(row))


def _features(row: Row, *, graded: bool) -> dict[str, Values]:
    """Return the place of an adjective, and the kinds that it describes."""
    before_noun_only = row["use"] == "noun"
    of_kinds = taken(row["kinds"])
    definite = {"same": "same"} | dict.fromkeys(_WITH_THE, "yes")
    said_of = of_kinds - {"reason", "dear"}
    living = said_of & ANIMATE
    return {
        **features(
            place="none" if row["use"] == "be" else "before" if row["position"] == "b" else "after",
            predicate="no" if before_noun_only else "yes",
            graded="no" if before_noun_only else "yes|some|no" if graded else "some|no",
            had="my|the|kin" if row["english"] in _OF_KIN else "my|the",
            beside="no" if "feeling" in of_kinds else "yes",
            why="yes|no" if "reason" in of_kinds else "dear|no" if "dear" in of_kinds else "no",
            weather="yes" if row["english"] in _WEATHER else "no",
            of="animate" if living == said_of else "both" if living else "thing",
        ),
        **features(**{"def": definite.get(row["english"], "yes|no")}),
        "kind": of_kinds,
    }


def _comparison(row: Row) -> tuple[str, str] | None:
    """Return "bigger" and "biggest"; None if English says "more" and "most", or neither."""
    given = row["compare"]
    if given in ("-", "more"):
        return None
    if given == "er":
        stem = row["english"].removesuffix("y")
        word = f"{stem}i" if stem != row["english"] else stem.removesuffix("e")
        return f"{word}er", f"{word}est"
    if given:
        comparative, superlative = given.split()
        return comparative, superlative
    return english_forms.compared(row["english"])


def _agreeing(row: Row) -> Make:
    forms = french_forms.adjective(row)

    def agree(of: Features) -> Said:
        text = forms[is_plural(of), of.get("gen") == "f"]
        words = french_words(text)
        special = None if is_plural(of) else _BEFORE_VOWEL.get(text)
        return {
            "": tuple(French(word) for word in words),
            "attributive": tuple(French(word, before_vowel=special) for word in words),
        }

    return agree


def _compared(row: Row, agree: Make) -> Make:
    if row["french"] == "bon marché":  # "moins cher", never "plus bon marché"
        dear = _agreeing({**row, "french": "cher", "feminine": "chère", "masculine_plural": ""})
        return lambda of: {"": (French("moins"), *dear(of)[""])}
    better = _BETTER.get(row["french"])

    def compare(of: Features) -> Said:
        if better is None:
            return {"": (French("plus"), *agree(of)[""])}
        feminine = "e" if of.get("gen") == "f" and better == "meilleur" else ""
        return {"": (French(better + feminine + "s" * is_plural(of)),)}

    return compare
