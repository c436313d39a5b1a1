"""What atlases say, asked once for all sessions."""

from collections.abc import Mapping
from typing import NamedTuple

from viz.corpus import costs, examples, pairing, reading, spread
from viz.corpus.atlas import Atlas
from viz.corpus.places import atlas_folders
from viz.corpus.tables import HeadName
from viz.frame.atlases import Place, asked, find, open_atlas
from viz.run import session
from viz.run.cached import cached


def others(place: Place) -> dict[str, Place]:
    """List the atlases of other checkpoints of the same task, by name."""
    found: dict[str, Place] = {}
    task = open_atlas(place).origin.task
    names = set(session.checkpoint_names())
    for name in atlas_folders():
        other = find(name).place if name in names and name != place.checkpoint else None
        if other and open_atlas(other).origin.task == task:
            found[name] = other
    return found


class Summary(NamedTuple):
    """What an atlas is of."""

    sentences: int
    held_out: int
    decimals: int | None
    heads: tuple[HeadName, ...]
    cuts: bool
    """Whether it says what the model does without each head."""


def _summary(atlas: Atlas) -> Summary:
    return Summary(
        atlas.sentences, atlas.held_out, atlas.origin.decimals, atlas.heads, atlas.origin.cuts
    )


summary = asked(_summary)
spread_of = asked(spread.spread_of)
means_of_all = asked(spread.means_of_all)
distances = asked(reading.distances)
classes = asked(reading.classes)
words_read = asked(reading.words_read)
words_that_read = asked(reading.words_that_read)
examples_of = asked(examples.examples)
same_heads = asked(pairing.same_heads)
costs_of = asked(costs.costs)


def difference(
    first: Place, second: Place, heads: tuple[HeadName, HeadName], metric: str
) -> pairing.Difference | None:
    """Compare a head of each of two models, sentence by sentence."""
    return _difference(first, second, heads, metric)


def matched_heads(first: Place, second: Place) -> Mapping[HeadName, pairing.Pair]:
    """Give each head of a model the one of another that does its work."""
    return _matched_heads(first, second)


@cached
def _difference(
    first: Place, second: Place, heads: tuple[HeadName, HeadName], metric: str
) -> pairing.Difference | None:
    return pairing.difference(open_atlas(first), open_atlas(second), heads, metric)


@cached
def _matched_heads(first: Place, second: Place) -> Mapping[HeadName, pairing.Pair]:
    return pairing.matched_heads(open_atlas(first), open_atlas(second))
