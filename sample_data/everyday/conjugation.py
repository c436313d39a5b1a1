"""French verbs: regular ones by rule, the others from a table."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from sample_data.everyday.tables import read_table

PERSONS = ("je", "tu", "il", "nous", "ils")
"""The persons of a verb here; the person spoken to is always "tu"."""
_FUTURE = ("ai", "as", "a", "ons", "ont")
_IMPERFECT = ("ais", "ais", "ait", "ions", "aient")
_REGULAR = {
    "er": (("e", "es", "e", "ons", "ent"), "é"),
    "ir": (("is", "is", "it", "issons", "issent"), "i"),
    "re": (("s", "s", "", "ons", "ent"), "u"),
}


@dataclass(frozen=True)
class FrenchVerb:
    """The forms of a verb, those by person in the order of PERSONS."""

    infinitive: str
    present: tuple[str, ...]
    participle: str
    future_stem: str
    imperfect_stem: str
    with_etre: bool
    """Whether its compound past uses être."""
    imperative: str
    """The imperative for "tu"."""

    def future(self, person: str) -> str:
        """Return "mangera"."""
        return self.future_stem + _FUTURE[PERSONS.index(person)]

    def conditional(self, person: str) -> str:
        """Return "voudrais"."""
        return self.future_stem + _IMPERFECT[PERSONS.index(person)]

    def imperfect(self, person: str) -> str:
        """Return "mangeait", "mangions"."""
        stem, ending = self.imperfect_stem, _IMPERFECT[PERSONS.index(person)]
        if ending.startswith("i"):
            stem = (
                stem[:-1] if stem.endswith("ge") else f"{stem[:-1]}c" if stem[-1] == "ç" else stem
            )
        return stem + ending


@cache
def conjugate(infinitive: str) -> FrenchVerb:
    """Return the forms of a verb. Raises ValueError if it is not an infinitive."""
    if infinitive in _irregular():
        return _from_table(_irregular()[infinitive])
    stem, ending = infinitive[:-2], infinitive[-2:]
    if ending not in _REGULAR or not stem:
        raise ValueError(f"an infinitive must end in -er, -ir or -re, got {infinitive!r}")
    endings, participle = _REGULAR[ending]
    present = [stem + each for each in endings]
    if ending == "er":
        present[3] = {"g": f"{stem}eons", "c": f"{stem[:-1]}çons"}.get(stem[-1], present[3])
    return FrenchVerb(
        infinitive=infinitive,
        present=tuple(present),
        participle=stem + participle,
        future_stem=infinitive.removesuffix("e"),
        imperfect_stem=present[3].removesuffix("ons"),
        with_etre=False,
        imperative=_imperative(present[1]),
    )


def _from_table(row: Mapping[str, str]) -> FrenchVerb:
    present = tuple(row[person] for person in PERSONS)
    return FrenchVerb(
        infinitive=row["infinitive"],
        present=present,
        participle=row["participle"],
        future_stem=row["future"],
        imperfect_stem=row["imperfect"] or present[3].removesuffix("ons"),
        with_etre=row["auxiliary"] == "être",
        imperative=row["imperative"] or _imperative(present[1]),
    )


def _imperative(tu: str) -> str:
    return tu[:-1] if tu.endswith(("es", "as")) else tu


@cache
def _irregular() -> dict[str, dict[str, str]]:
    return {row["infinitive"]: row for row in read_table("french_verbs")}
