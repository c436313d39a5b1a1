"""All words of the everyday grammar."""

from collections.abc import Iterator
from itertools import chain

from sample_data.everyday.adjectives import adjectives
from sample_data.everyday.adverbs import adverbs, prepositions
from sample_data.everyday.auxiliaries import auxiliaries
from sample_data.everyday.determiners import agreeing_words, determiners
from sample_data.everyday.names import names
from sample_data.everyday.nouns import body_parts, counting_nouns, noun_slots, nouns
from sample_data.everyday.numbers import numbers
from sample_data.everyday.phrases import phrases, small_words
from sample_data.everyday.pronouns import pronouns
from sample_data.everyday.verbs import particles, special_verbs, verbs
from sample_data.grammar.lexicon import Entry


def all_words() -> Iterator[Entry]:
    """Make every entry of the lexicon.

    Which sentences a seed draws depends on the order of the entries of a category.
    """
    return chain(
        nouns(),
        adjectives(),
        verbs(),
        small_words(),
        determiners(),
        pronouns(),
        auxiliaries(),
        numbers(),
        names(),
        adverbs(),
        prepositions(),
        phrases(),
        agreeing_words(),
        particles(),
        special_verbs(),
        body_parts(),
        counting_nouns(),
        noun_slots(),
    )
