"""What a head may be there for: jobs, each with the cells that a head reads if it does it."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from viz.run.record import AttentionKind
from viz.run.relations import (
    Relation,
    beside,
    closing_mark,
    end_read_across,
    latest,
    one_further,
    related,
    sentence_start,
    source_end,
    through,
    translated,
    translated_when,
    what_it_may_mean,
    written,
)


@dataclass(frozen=True)
class Job:
    """One thing that a head of a kind may do."""

    kind: AttentionKind
    words: str
    """What the head does, in words."""
    meaning: str
    """Which rows count, and what they have to read."""
    cells: Relation = field(repr=False, compare=False)
    by_place: bool = False
    """Whether it is about where a token stands, not what it is."""


_NOUN = {"keys": "noun", "step": 1, "over": "adjective adverb conjunction"}
_SUBJECT = {"keys": "noun pronoun", "step": -1, "over": "auxiliary negation adverb"}
_OBJECT = {"rows": "verb", "keys": "noun", "step": 1, "over": "determiner adjective"}
_VERB = {
    "rows": "auxiliary",
    "keys": "verb",
    "step": 1,
    "over": "negation adverb pronoun noun determiner",
}
_DEGREE = {"rows": "adverb", "keys": "adjective", "step": 1}
_SAID_OF = {
    "rows": "adjective",
    "keys": "noun pronoun",
    "step": -1,
    "over": "adverb auxiliary negation",
}


def _encoder_jobs() -> Iterator[Job]:
    for words, meaning, cells in (
        ("reads the token before", "Every row but the first.", beside(-1)),
        ("reads the token after", "Every row but the last.", beside(1)),
        ("reads its own token", "Every row.", beside(0)),
        ("reads the end of the sentence", "Every row but the last reads </s>.", source_end),
        (
            "reads the closing mark",
            "Every other row reads the last full stop or mark.",
            closing_mark,
        ),
    ):
        yield Job("encoder self-attention", words, meaning, cells, by_place=True)
    for words, meaning, cells in (
        (
            "determiners and adjectives read their noun",
            "The next noun, with adjectives at most between.",
            related("determiner adjective", **_NOUN),
        ),
        (
            "determiners read their noun",
            "The next noun, with adjectives at most between.",
            related("determiner", **_NOUN),
        ),
        (
            "adjectives read their noun",
            "The next noun, with adjectives at most between.",
            related("adjective", **_NOUN),
        ),
        (
            "nouns read their adjective",
            "An adjective before the noun.",
            related("adjective", **_NOUN, turned=True),
        ),
        (
            "nouns read their determiner",
            "The determiner before the noun, with adjectives at most between.",
            related("determiner", **_NOUN, turned=True),
        ),
        (
            "verbs read their subject",
            "The noun or pronoun before the verb, with helping words at most between.",
            related("verb", **_SUBJECT),
        ),
        (
            "subjects read their verb",
            "The verb after a noun or pronoun, with helping words at most between.",
            related("verb", **_SUBJECT, turned=True),
        ),
        (
            "verbs read their object",
            "The noun after the verb, with determiners and adjectives at most between.",
            related(**_OBJECT),
        ),
        (
            "objects read their verb",
            "The verb before a noun, with determiners and adjectives at most between.",
            related(**_OBJECT, turned=True),
        ),
        (
            "helping verbs read their verb",
            "The verb after did, is, has and the like.",
            related(**_VERB),
        ),
        (
            "verbs read their helping verb",
            "Did, is, has and the like before the verb.",
            related(**_VERB, turned=True),
        ),
        (
            "helping verbs read their subject",
            "The noun or pronoun before did, is, has and the like.",
            related("auxiliary", **_SUBJECT),
        ),
        (
            "subjects read their helping verb",
            "Did, is, has and the like after a noun or pronoun.",
            related("auxiliary", **_SUBJECT, turned=True),
        ),
        (
            "“not” reads its helping verb",
            "The helping verb right before it.",
            related("negation", "auxiliary", step=-1),
        ),
        (
            "helping verbs read their “not”",
            "The negation right after it.",
            related("negation", "auxiliary", step=-1, turned=True),
        ),
        (
            "adjectives read their adverb",
            "The adverb right before it, as in “too tired”.",
            related(**_DEGREE, turned=True),
        ),
        (
            "adjectives read what they are said of",
            "The noun or pronoun before “is” or “was”, as in “the street is wide”.",
            related(**_SAID_OF),
        ),
        (
            "“it” reads a noun before it",
            "Any noun before “it”, where there is one.",
            what_it_may_mean,
        ),
    ):
        yield Job("encoder self-attention", words, meaning, cells)


def _decoder_jobs() -> Iterator[Job]:
    for words, meaning, cells in (
        ("reads the token just written", "Every row.", written(0)),
        ("reads the token written before that", "Every row but the first.", written(1)),
        ("reads the start of the sentence", "Every row but the first reads <s>.", sentence_start),
    ):
        yield Job("decoder self-attention", words, meaning, cells, by_place=True)
    for words, meaning, cells in (
        (
            "to write a noun, reads the determiner before it",
            "The latest determiner, in rows that write a noun.",
            latest("noun", "determiner"),
        ),
        (
            "to write an adjective, reads the noun before it",
            "The latest noun, in rows that write an adjective.",
            latest("adjective", "noun"),
        ),
        (
            "to write a verb, reads the subject before it",
            "The latest noun or pronoun, in rows that write a verb or a helping verb.",
            latest("verb auxiliary", "noun pronoun"),
        ),
        (
            "to write a verb, reads its helping verb",
            "The latest helping verb, in rows that write a verb.",
            latest("verb", "auxiliary"),
        ),
        (
            "to write the second half of “ne … pas”, reads the verb",
            "The latest verb or helping verb, in rows that write a negation.",
            latest("negation", "verb auxiliary"),
        ),
    ):
        yield Job("decoder self-attention", words, meaning, cells)


def _cross_jobs() -> Iterator[Job]:
    end = "Every row but the last reads </s>."
    yield Job("cross-attention", "reads the end of the source", end, end_read_across, by_place=True)
    for words, meaning, cells in (
        (
            "reads what it translates",
            "By the gold alignment, in rows that have one.",
            translated(),
        ),
        (
            "reads what was translated just before",
            "What the row before is aligned with.",
            translated(-1),
        ),
        (
            "reads on, one token after what it translates",
            "The token after the last one that the row is aligned with.",
            one_further,
        ),
        (
            "to write a determiner or adjective, reads the noun",
            "The noun that the aligned determiner or adjective belongs to.",
            through(related("determiner adjective", **_NOUN)),
        ),
        (
            "to write a verb, reads its subject",
            "The noun or pronoun before the aligned verb or helping verb.",
            through(related("verb auxiliary", **_SUBJECT)),
        ),
        *(
            (
                f"to write {name}, reads what it translates",
                f"By the gold alignment, in rows that write {name}.",
                translated_when(name.split(" ", 1)[1]),
            )
            for name in (
                "a noun",
                "a verb",
                "an adjective",
                "an adverb",
                "a determiner",
                "a pronoun",
                "an auxiliary",
                "a negation",
            )
        ),
    ):
        yield Job("cross-attention", words, meaning, cells)


JOBS: tuple[Job, ...] = (*_encoder_jobs(), *_decoder_jobs(), *_cross_jobs())
"""Every job that is looked for, by kind."""
