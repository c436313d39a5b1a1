"""The possible jobs of a head, each with the cells that a head reads most if it does the job."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from texts import say_of
from viz.heads.relations import (
    Relation,
    after_same,
    beside,
    closing_mark,
    end_read_across,
    first_token,
    latest,
    one_further,
    referent,
    related,
    same_before,
    sentence_start,
    source_end,
    through,
    translated,
    translated_when,
    written,
)
from viz.run.axes import AttentionKind

if TYPE_CHECKING:
    from model.checkpoints.metadata import CheckpointInfo

Over = Literal["corpus", "held_out", "text"]
"""The sentences of a count: an atlas, the task's held-out ones, or the one text of a run."""


@dataclass(frozen=True)
class Job:
    """One possible job of a head of a kind."""

    kind: AttentionKind
    name: str
    """Identifies the job in any language."""
    cells: Relation = field(repr=False, compare=False)
    by_place: bool = False
    """Whether the job depends on the place of a token, not on the token itself."""
    part_of: str = ""
    """The name of another job whose rows contain all of this job's rows."""

    @property
    def words(self) -> str:
        """The description of the job."""
        return say_of("job.words", self.name)


_NOUN = {"keys": "noun", "step": 1, "over": "adjective|adverb|conjunction"}
_SUBJECT = {"keys": "noun|pronoun", "step": -1, "over": "auxiliary|negation|adverb"}
_OBJECT = {"rows": "verb", "keys": "noun", "step": 1, "over": "determiner|adjective"}
_VERB = {
    "rows": "auxiliary",
    "keys": "verb",
    "step": 1,
    "over": "negation|adverb|pronoun|noun|determiner",
}
_DEGREE = {"rows": "adverb", "keys": "adjective", "step": 1}
_SAID_OF = {
    "rows": "adjective",
    "keys": "noun|pronoun",
    "step": -1,
    "over": "adverb|auxiliary|negation",
}


def _encoder_jobs() -> Iterator[Job]:
    for name, cells in (
        ("reads_before", beside(-1)),
        ("reads_after", beside(1)),
        ("reads_itself", beside(0)),
        ("reads_end", source_end),
        ("reads_closing_mark", closing_mark),
    ):
        yield Job("encoder self-attention", name, cells, by_place=True)
    for name, cells in (
        ("modifier_noun", related("determiner|adjective", **_NOUN)),
        ("noun_adjective", related("adjective", **_NOUN, turned=True)),
        ("noun_determiner", related("determiner", **_NOUN, turned=True)),
        ("verb_subject", related("verb", **_SUBJECT)),
        ("subject_verb", related("verb", **_SUBJECT, turned=True)),
        ("verb_object", related(**_OBJECT)),
        ("object_verb", related(**_OBJECT, turned=True)),
        ("auxiliary_verb", related(**_VERB)),
        ("verb_auxiliary", related(**_VERB, turned=True)),
        ("auxiliary_subject", related("auxiliary", **_SUBJECT)),
        ("subject_auxiliary", related("auxiliary", **_SUBJECT, turned=True)),
        ("negation_auxiliary", related("negation", "auxiliary", step=-1)),
        ("auxiliary_negation", related("negation", "auxiliary", step=-1, turned=True)),
        ("adjective_adverb", related(**_DEGREE, turned=True)),
        ("adjective_said_of", related(**_SAID_OF)),
        ("it_referent", referent),
    ):
        yield Job("encoder self-attention", name, cells)
    for name in ("determiner", "adjective"):
        cells = related(name, **_NOUN)
        yield Job("encoder self-attention", f"{name}_noun", cells, part_of="modifier_noun")


def _decoder_jobs() -> Iterator[Job]:
    for name, cells in (
        ("reads_written", written(0)),
        ("reads_written_before", written(1)),
        ("reads_start", sentence_start),
    ):
        yield Job("decoder self-attention", name, cells, by_place=True)
    for name, cells in (
        ("noun_after_determiner", latest("noun", "determiner")),
        ("adjective_after_noun", latest("adjective", "noun")),
        ("verb_after_subject", latest("verb|auxiliary", "noun|pronoun")),
        ("verb_after_auxiliary", latest("verb", "auxiliary")),
        ("negation_after_verb", latest("negation", "verb|auxiliary")),
    ):
        yield Job("decoder self-attention", name, cells)


def _cross_jobs() -> Iterator[Job]:
    yield Job("cross-attention", "reads_source_end", end_read_across, by_place=True)
    for name, cells in (
        ("reads_translated", translated()),
        ("reads_translated_before", translated(-1)),
        ("reads_further", one_further),
        ("modifier_across", through(related("determiner|adjective", **_NOUN))),
        ("verb_across", through(related("verb|auxiliary", **_SUBJECT))),
    ):
        yield Job("cross-attention", name, cells)
    for name in (
        "noun",
        "verb",
        "adjective",
        "adverb",
        "determiner",
        "pronoun",
        "auxiliary",
        "negation",
    ):
        cells = translated_when(name)
        yield Job("cross-attention", f"{name}_translated", cells, part_of="reads_translated")


JOBS: tuple[Job, ...] = (*_encoder_jobs(), *_decoder_jobs(), *_cross_jobs())
"""Every job to look for in a model that translates, by kind."""


def text_jobs(kind: AttentionKind, *, both_ways: bool) -> tuple[Job, ...]:
    """Return the possible jobs in a model of one text: patterns of place and of repeated words.

    Jobs that read later tokens are included only if the rows read both ways.
    """
    places = (
        ("reads_before", beside(-1)),
        ("reads_itself", beside(0)),
        *((("reads_after", beside(1)),) if both_ways else ()),
        ("reads_first", first_token),
        *((("reads_last", source_end),) if both_ways else ()),
    )
    return (
        *(Job(kind, name, cells, by_place=True) for name, cells in places),
        Job(kind, "reads_same_before", same_before),
        Job(kind, "reads_after_same", after_same),
    )


def jobs_of(info: "CheckpointInfo") -> tuple[Job, ...]:
    """Return the jobs to look for in a model, in the order by which an atlas numbers them."""
    config = info.config
    if config.has_cross_attention:
        return JOBS
    if config.has_decoder:
        return text_jobs("decoder self-attention", both_ways=not config.causal_mask)
    return text_jobs("encoder self-attention", both_ways=True)


def job_names(info: "CheckpointInfo") -> tuple[str, ...]:
    """Return the names of the jobs to look for in a model, in their order."""
    return tuple(job.name for job in jobs_of(info))
