"""Names: of people, places, days and feasts, of sports, instruments and school subjects."""

from collections.abc import Iterator

from sample_data.everyday.entries import SLOTS, Make, features, make_entry, say, weight
from sample_data.everyday.tables import Row, french_words, read_table
from sample_data.grammar.lexicon import Entry, French

_SIMPLE = {"city": "City", "month": "Month", "day": "Day"}
_WITH_DETERMINER = frozenset({"music", "art", "sport", "history", "shopping", "drums"})
"""Sports and subjects that come after "the" or "my"."""
_FEMININE = frozenset({"échecs"})
"""Plurals that are feminine here."""
_IN_COUNTRY = {"f": "en", "m": "au", "p": "aux", "-": "à"}


def names() -> Iterator[Entry]:
    """Make entries of all names, and of the places of unknown ones."""
    for row in read_table("names"):
        yield from _named(row)
    for slot in SLOTS:
        text = f"<n{slot}>"
        yield make_entry("Name", text, features(gen="m", named="m|f"), say(text), 90)


def _named(row: Row) -> Iterator[Entry]:
    english, said, often = row["english"], say(row["french"]), weight(row)
    match row["kinds"]:
        case "first":
            of = features(gen=row["gender"], named=row["gender"])
            yield make_entry("Name", english, of, said, often)
        case "country" | "continent":
            yield _country(row)
        case "season":
            yield make_entry("Season", english, {}, _season(row["french"]), often)
        case "feast" if row["gender"] == "-":
            yield make_entry("Feast", english, {}, said, often)
        case "city" | "month" | "day" as kind:
            yield make_entry(_SIMPLE[kind], english, {}, said, often)
        case _:
            yield _activity(row)
    if row["kinds"] == "day":
        yield make_entry("Days", f"{english}s", {}, said, often)
    if row["kinds"] == "language":  # after "speak" French leaves out the article
        yield make_entry("Spoken", english, {}, said, often)


def _season(french: str) -> Make:
    """Form "l'été", "en été", but "au printemps"."""
    said = {
        "": (French(french),),
        "the": (French("le", article=True),),
        "in": (French("au" if french == "printemps" else "en"),),
    }
    return lambda _of: said


def _country(row: Row) -> Entry:
    """Make a country: "la France", "en France", "de France", but "le", "au", "du Canada"."""
    gen, words = row["gender"], tuple(French(word) for word in french_words(row["french"]))
    number = "ils" if gen == "p" else "il"
    article = {"f": "la", "m": "le", "p": "les"}.get(gen, "")
    opens = row["french"].startswith(tuple("aeiouéèêîhy"))
    fields = {
        "": (*((French(article, article=True),) if article else ()), *words),
        "in": (French("en" if gen == "m" and opens else _IN_COUNTRY[gen]),),
        "from": (French({"m": "de" if opens else "du", "p": "des"}.get(gen, "de")),),
        "bare": words,
    }
    english = f"the {row['english']}" if gen == "p" else row["english"]
    of = features(agr="il", per=number, gen="f" if gen == "f" else "m")
    return make_entry("Country", english, of, lambda _of: fields, weight(row))


def _activity(row: Row) -> Entry:
    """Make a sport, an instrument or a subject: nouns that have an article in French."""
    kind = {"doing": "sport", "sport": "sport|played"}.get(row["kinds"], row["kinds"])
    mass = "no" if kind == "instrument" else "none"
    if row["english"] in _WITH_DETERMINER:
        mass = "yes"
    feminine = row["gender"] == "f" or row["french"] in _FEMININE
    of = features(
        agr="il",
        per="ils" if row["gender"] == "p" else "il",
        gen="f" if feminine else "m",
        mass=mass,
        bare="yes" if row["english"] == "music" else "always",  # "de la musique", as "du pain"
        of="thing",
        kind=kind,
    )
    return make_entry("Noun", row["english"], of, say(row["french"]), weight(row))
