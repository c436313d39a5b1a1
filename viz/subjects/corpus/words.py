"""Sentences of the Corpus page made from the numbers of an atlas."""

from collections.abc import Sequence

from texts import say, say_of
from viz.corpus.costs import Cost
from viz.corpus.examples import Band
from viz.corpus.tables import HeadName
from viz.pictures.numbers import percent_text


def kind_name(kind: str) -> str:
    """Name a kind of attention."""
    return say_of("kind", kind)


def head_name(head: HeadName) -> str:
    """Name a head within a sentence."""
    return say("corpus.head", head=head.head, layer=head.layer, kind=kind_name(head.kind))


def short_name(head: HeadName) -> str:
    """Name a head in a table."""
    return say("corpus.head_short", head=head.head, layer=head.layer, kind=kind_name(head.kind))


def class_name(name: str) -> str:
    """Name a part of speech; an unknown one keeps its name."""
    try:
        return say_of("speech", name)
    except KeyError:
        return name


def unseen(sentences: int, held_out: int) -> str:
    """Describe how many of the sentences no training has seen."""
    return say("corpus.unseen" if held_out == sentences else "corpus.seen", unseen=held_out)


def cost_words(found: Sequence[Cost], head: HeadName) -> str:
    """Describe the model's loss without a head, and its rank among all heads."""
    place = next(place for place, cost in enumerate(found, 1) if cost.head == head)
    cost = found[place - 1]
    said = say(
        "corpus.cost_answer",
        head=head_name(head),
        broken=cost.broken,
        right=cost.right.count,
        place=place,
        heads=len(found),
    )
    return f"{said} {say('corpus.costs_note')}"


def band_name(band: Band) -> str:
    """Describe the rank of a band's examples among all rows."""
    return say_of("corpus_band", str(round(band.quantile * 100)))


def band_note(band: Band) -> str:
    """State the weight of the examples, and how many rows have it."""
    return say("corpus.alike", count=band.alike, weight=percent_text(band.weight))


def example_words(query: str, key: str, *, writes: bool) -> str:
    """Describe what an example reads, with the tokens as they are shown."""
    return say("corpus.writes" if writes else "corpus.reads", query=query, key=key)
