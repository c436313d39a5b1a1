"""Determiners and words in their place: articles, possessives, quantities, "all", "which"."""

from collections.abc import Iterator, Mapping

from sample_data.everyday.agreement import (
    articles,
    determiner_forms,
    four_forms,
    is_plural,
    partitive,
    the,
)
from sample_data.everyday.entries import Make, features, listed, make_entry, parsed, say, share
from sample_data.everyday.tables import read_table
from sample_data.grammar.features import Values
from sample_data.grammar.lexicon import Entry, Features, French, Said

_UNLESS_SAID = parsed("definite=no near=no possessive=no plain=no had=the")
_QUANTITY = 0.4
"""The factor that makes quantities rarer than their own weights would."""


def determiner(english: str, of: Mapping[str, Values], french: Make, often: float) -> Entry:
    """Make a determiner; features that it does not name are "no"."""
    return make_entry("Det", english, {**_UNLESS_SAID, **of}, french, often)


def unchanging(french: str) -> Make:
    """Return a determiner that does not agree, also before an adjective."""
    return say(french, before_adjective=french)


def determiners() -> Iterator[Entry]:
    """Make all determiners except the numbers."""
    yield determiner("the", parsed("def=yes|same definite=yes mass=yes|no|one"), the, 40)
    yield determiner("a", parsed("agr=il mass=no def=no plain=yes"), _a, 28)
    for english, neg, plain, french, often in (
        ("some", "no|ask", "yes", partitive, 7),
        ("some more", "no|ask", "no", _more, 0.4),
        ("any", "yes|ask", "no", partitive, 9),
    ):
        of = parsed(f"def=no neg={neg} plain={plain}")
        many = {**of, **parsed("agr=ils per=ils mass=no")}
        yield determiner(english, many, french, often)
        yield determiner(english, {**of, **parsed("agr=il mass=yes")}, french, often)
    yield from _definite()
    every = parsed("def=yes agr=il per=il mass=no")
    for english, often in (("every", 0.7), ("each", 0.1)):
        yield determiner(english, every, unchanging("chaque"), often)
    yield from _quantities()
    another = parsed("agr=il per=il mass=no def=no neg=no|ask")
    yield determiner("another", another, _another, 1)


def _definite() -> Iterator[Entry]:
    """Make "this" and "my"."""
    for row in read_table("determiners"):
        owned = {"own": listed(row["owner"]), "owner": listed(row["gender"])}
        of = {
            **parsed("def=yes definite=yes"),
            **(parsed("possessive=yes had=my|kin") if row["owner"] else features(near="yes")),
            **(owned if row["owner"] else {}),
            "agr": listed(row["number"]),
            "mass": listed(row["mass"]),
        }
        french = determiner_forms(row["masculine"], row["feminine"], row["plural"])
        yield determiner(row["english"], of, french, share(row))


def _quantities() -> Iterator[Entry]:
    for row in read_table("quantities"):
        for number in row["number"].split():
            of = {
                **parsed("def=no neg=no|ask"),
                "agr": listed(number),
                # French may count what English measures: "a lot of hair", "beaucoup de cheveux"
                "per": listed("ils" if number == "ils" else "il ils"),
                "mass": listed("yes" if number == "il" else row["mass"]),
            }
            often = share(row) * _QUANTITY
            yield determiner(row["english"], of, unchanging(row["french"]), often)


def _a(of: Features) -> Said:
    if is_plural(of):  # "a holiday", "des vacances"
        return partitive(of)
    text = "de" if of.get("neg") == "yes" else "une" if of.get("gen") == "f" else "un"
    return {name: (French(text),) for name in ("", "before_adjective")}


def _more(of: Features) -> Said:
    return {name: (French("encore"), *words) for name, words in partitive(of).items()}


def _another(of: Features) -> Said:
    words = (French("une" if of.get("gen") == "f" else "un"), French("autre"))
    return {"": words, "before_adjective": words}


def agreeing_words() -> Iterator[Entry]:
    """Make the words that agree with a noun elsewhere in the clause."""
    yield make_entry("The", "the", {}, lambda of: {"": articles(of)})

    def possessive(of: Features) -> Said:
        return {"": articles(of), "of": (French("de"),)}

    yield make_entry("Possessive", "'s", {}, possessive)
    # nouns without an article in English: "du pain", "le football", "les chats"
    yield make_entry("Zero", "", parsed("how=part bare=yes"), partitive)
    yield make_entry("Zero", "", parsed("how=part bare=always neg=yes|no|ask"), the)
    yield make_entry("Zero", "", parsed("how=def bare=yes|always"), the)
    for row in read_table("agreeing"):
        said = four_forms(
            row["masculine"], row["feminine"], row["masculine_plural"], row["feminine_plural"]
        )
        yield make_entry(row["category"], row["english"], {}, said, share(row))
