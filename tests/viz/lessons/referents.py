"""Sentences in which "it" means one of two nouns; the last adjective decides which.

After Levesque's Winograd schema (2012), in the paper's own words: "The animal didn't cross the
street because it was too tired."
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from model.checkpoints.metadata import CheckpointInfo

_ANIMALS = {
    "animal": "m",
    "cat": "m",
    "dog": "m",
    "horse": "m",
    "bird": "m",
    "rabbit": "m",
    "cow": "f",
    "mouse": "f",
}
_WAYS = {"street": "f", "road": "f", "river": "f", "bridge": "m", "garden": "m", "field": "m"}
"""Nouns of ways, with the gender of their French words."""
_OF_ANIMALS, _OF_WAYS = ("tired", "sick", "lazy"), ("wide", "long", "deep", "narrow")
PRONOUNS = {"m": "il", "f": "elle"}


@dataclass(frozen=True)
class ItSentence:
    """A sentence whose pronoun must be chosen in French."""

    source: str
    referent: str
    other: str
    """The other noun, whose gender differs from the referent's."""
    pronoun: str
    """The French pronoun of the referent."""


def it_sentences(info: CheckpointInfo) -> tuple[ItSentence, ...]:
    """Make the sentences whose words a checkpoint knows; none if it does not write French."""
    english, french = info.tokenizers.source, info.tokenizers.target
    known = set(english.all_tokens)
    if not set(PRONOUNS.values()) <= set(french.all_tokens):
        return ()
    return tuple(s for s in _all_sentences() if set(s.source.split()) <= known)


def _all_sentences() -> Iterator[ItSentence]:
    for animal, way in product(_ANIMALS, _WAYS):
        genders = _ANIMALS[animal], _WAYS[way]
        if genders[0] == genders[1]:
            continue
        for adjective in (*_OF_ANIMALS, *_OF_WAYS):
            text = f"the {animal} did not cross the {way} because it was too {adjective} ."
            if adjective in _OF_ANIMALS:
                yield ItSentence(text, animal, way, PRONOUNS[genders[0]])
            else:
                yield ItSentence(text, way, animal, PRONOUNS[genders[1]])
