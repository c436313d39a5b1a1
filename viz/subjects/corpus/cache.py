"""Answers from atlases, computed once for all sessions."""

from typing import NamedTuple

from viz.corpus import costs, examples, reading
from viz.corpus.atlas import Atlas
from viz.corpus.tables import HeadName
from viz.frame.atlases import asked


class Summary(NamedTuple):
    """The subject of an atlas."""

    sentences: int
    held_out: int
    heads: tuple[HeadName, ...]
    cuts: bool
    """Whether it has the losses of the model without each head."""
    translates: bool


def _summary(atlas: Atlas) -> Summary:
    return Summary(
        atlas.sentences, atlas.held_out, atlas.heads, atlas.origin.cuts, atlas.translates
    )


summary = asked(_summary)
distances = asked(reading.distances)
classes = asked(reading.classes)
doing = asked(examples.doing)
examples_of = asked(examples.examples)
costs_of = asked(costs.costs)
