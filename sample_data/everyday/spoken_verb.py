"""The words of a French verb in each place of a clause: pronoun, finite form, participle, rest."""

from collections.abc import Callable
from dataclasses import dataclass

from sample_data.everyday.conjugation import PERSONS, FrenchVerb, conjugate
from sample_data.grammar.lexicon import Features, French, Said

_PREPOSITIONS = frozenset({"à", "de", "dans", "avec", "en", "sur", "pour", "contre"})
_SELF = {"je": "me", "tu": "te", "il": "se", "nous": "nous", "ils": "se"}
_WITH_STRONG = frozenset({"penser"})
"""Verbs with "à" whose pronoun comes after them: "penser à lui"."""
_TOGETHER = {"être": "soyons", "avoir": "ayons", "savoir": "sachons"}


@dataclass(frozen=True)
class SpokenVerb:
    """A verb with its companions: "se lever", "avoir besoin de", "jouer à"."""

    verb: FrenchVerb
    pronominal: bool
    tail: tuple[str, ...]
    """The words after it: "besoin"."""
    preposition: str
    """The word before its object; "" for none."""
    invariable: bool
    """Whether its participle never agrees, as in "elle s'est lavé les mains"."""

    @classmethod
    def of(cls, text: str, *, has_object: bool, invariable: bool = False) -> "SpokenVerb":
        """Split an infinitive as the lexicon writes it."""
        words = text.replace("'", "' ").split()
        pronominal = words[0] in ("se", "s'")
        verb, *tail = words[pronominal:]
        preposition = tail.pop() if has_object and tail and tail[-1] in _PREPOSITIONS else ""
        return cls(conjugate(verb), pronominal, tuple(tail), preposition, invariable)

    @property
    def governs(self) -> str:
        """How it takes its object: "none", "à" or "other"."""
        if self.verb.infinitive in _WITH_STRONG:
            return "other"
        return {"": "none", "à": "à"}.get(self.preposition, "other")

    def say(self, count: int) -> Callable[[Features], Said]:
        """Return its French words, as a translation of so many English words."""
        apart = bool(self.tail or self.preposition) and count > 1
        head = (0,) if apart else None
        tail = tuple(
            French(
                word,
                of=(min(1 + i, count - 1),) if apart else None,
                article=word in ("le", "les"),
            )
            for i, word in enumerate(self.tail)
        )
        preposition = (French(self.preposition, of=(count - 1,) if apart else None),)

        def said(of: Features) -> Said:
            person = of.get("per") or "il"
            fields = self._forms(of.get("tense") or "inf", person, of)
            words = {name: (French(text, of=head),) for name, text in fields.items() if text}
            return {
                **words,
                **({"tail": tail} if tail else {}),
                **({"preposition": preposition} if self.preposition else {}),
            }

        return said

    def _forms(self, tense: str, person: str, of: Features) -> dict[str, str]:
        verb, own = self.verb, _SELF[person] if self.pronominal else ""
        if tense == "inf":
            return {"self": own, "infinitive": verb.infinitive}
        if tense == "imperative":
            return {"finite": verb.imperative, "self": own, "toi": "-toi" if own else ""}
        if tense == "together":
            together = _TOGETHER.get(verb.infinitive, verb.present[3])
            return {"finite": together, "toi": "-nous" if own else ""}
        if tense == "past":
            etre = self.pronominal or verb.with_etre
            helper = conjugate("être" if etre else "avoir")
            agreeing = (of.get("gen"), person) if etre else (of.get("cgen"), of.get("cper"))
            return {
                "self": own,
                "helper": helper.present[PERSONS.index(person)],
                "participle": verb.participle
                if self.invariable
                else _agreed(verb.participle, *agreeing),
            }
        if tense == "future":
            return {"self": own, "future": verb.future(person)}
        forms = {
            "present": verb.present[PERSONS.index(person)],
            "imperfect": verb.imperfect(person),
            "habit": verb.imperfect(person),
            "conditional": verb.conditional(person),
        }
        return {"self": own, "finite": forms[tense]}


def _agreed(participle: str, gender: str | None, person: str | None) -> str:
    """Return "venues" for feminine plural."""
    ending = "e" * (gender == "f") + "s" * (person in ("nous", "ils"))
    return (
        participle if ending.startswith("s") and participle.endswith("s") else participle + ending
    )
