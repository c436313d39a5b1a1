"""What the page on the corpus says of an atlas: sentences made of its numbers."""

from collections.abc import Sequence

from texts import say, say_of
from viz.corpus.costs import Cost
from viz.corpus.examples import Band, By
from viz.corpus.tables import HeadName


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
    """Name a part of speech; one that is not known keeps its name."""
    try:
        return say_of("speech", name)
    except KeyError:
        return name


def unseen(sentences: int, held_out: int) -> str:
    """Describe how many of the sentences no training has seen."""
    return say("corpus.unseen" if held_out == sentences else "corpus.seen", unseen=held_out)


def cost_words(found: Sequence[Cost], head: HeadName) -> str:
    """Describe what the model loses without a head, and what the heads cost by which it stands."""
    place = next(place for place, cost in enumerate(found, 1) if cost.head == head)
    cost = found[place - 1]
    said = say(
        "corpus.cost_answer",
        head=head_name(head),
        lost=cost.loss.value,
        broken=cost.broken,
        right=cost.right.count,
        place=place,
        heads=len(found),
    )
    return f"{said} {say('corpus.costs_note')}"


def band_name(band: Band, by: By) -> str:
    """Describe where the examples of a band stand among all rows."""
    return say_of("corpus_band", f"{round(band.quantile * 100)}_{by}")


def band_note(band: Band, by: By) -> str:
    """State which value they have, and how many others have it too."""
    value = say_of("corpus_value", by, value=band.value)
    shown = sum(round(example.value, 3) == band.value for example in band.examples)
    if shown == len(band.examples) == band.alike:
        return value
    if shown == len(band.examples):
        return f"{value}: {say('corpus.alike', count=band.alike)}"
    return f"{value}: {say('corpus.alike_few', count=band.alike)}"


def example_words(head: HeadName, query: str, key: str) -> str:
    """Describe what an example reads, with its tokens as they are to be shown."""
    if head.kind == "encoder self-attention":
        return say("corpus.reads", query=query, key=key)
    return say("corpus.writes", query=query, key=key)
