"""Personal pronouns: as subjects, as objects, and after prepositions."""

from collections.abc import Iterator

from sample_data.everyday.conjugation import PERSONS
from sample_data.everyday.entries import features, kinds, listed, make_entry, say, share
from sample_data.everyday.tables import Row, read_table
from sample_data.grammar.lexicon import Entry

_SPOKEN_OF = dict(zip(PERSONS, (10, 4, 14, 4, 5), strict=True))
"""The weight of each person of a clause."""
_ASKED_OF = dict(zip(PERSONS, (1, 10, 10, 2, 5), strict=True))
"""The weight of each person of a question: nobody asks about his own actions."""

_WHO = {"me": "je", "you": "tu", "us": "nous"}
"""The person of each object pronoun that is not of the third person."""


def pronouns() -> Iterator[Entry]:
    """Make all pronouns, and the guesses of a clause's person."""
    for row in read_table("subject_pronouns"):
        per = row["person"]
        of = {
            **features(agr=per, per=per, gen=row["gender"], ce=row["ce"]),
            "kind": kinds(row["kinds"]),
        }
        yield make_entry("Pronoun", row["english"], of, say(row["french"]), share(row))
    for row in read_table("object_pronouns"):
        yield from _object(row)
    yield from _guesses()


def _object(row: Row) -> Iterator[Entry]:
    who = _WHO.get(row["english"], row["number"])
    of = {
        **features(cgen=row["gender"], cper=row["number"], who=who),
        "per": listed(row["verb"]),
        "kind": kinds(row["kinds"]),
    }
    fields = ("direct", "indirect", "direct_after", "indirect_after")
    said = say(**{field: row[field] for field in fields})
    yield make_entry("ObjectPronoun", row["english"], of, said, share(row))
    if row["strong"]:
        person = features(kind="person|known|family|close")
        yield make_entry("Strong", row["english"], person, say(row["strong"]), share(row))


def _guesses() -> Iterator[Entry]:
    """Make the invisible entries that settle the person of a clause before its words are drawn."""
    for per, often in _SPOKEN_OF.items():
        for gen in ("m", "f"):
            drawn = gen == "m" or per in ("il", "ils")  # "i" is masculine here
            of = features(agr=per, per=per, gen=gen)
            yield make_entry("Who", "", of, say(), often if drawn else 0.0)
            yield make_entry("WhoAsked", "", of, say(), _ASKED_OF[per] if drawn else 0.0)
