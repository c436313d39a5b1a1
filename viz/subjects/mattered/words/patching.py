"""Sentences about the path of a difference through the model."""

from collections.abc import Sequence

from markupsafe import Markup

from texts import say
from viz.pictures.numbers import fixed
from viz.pictures.tokens import listed_markup, say_markup, token
from viz.subjects.mattered.circuit import Circuit, Step
from viz.subjects.mattered.part_names import kind_of, layer_of, stack_of
from viz.subjects.mattered.words.cuts import two_decimals

_MOST_STEPS = 6
_NEARLY_ALL = 0.75
"""The share of an attention's effect that a head must have to count as acting alone."""


def lead(answer: str, other: str, differences: tuple[float, float]) -> Markup:
    """Describe the difference between the sentences, and the patching."""
    clean, corrupt = (fixed(value, 2) for value in differences)
    named = {"answer": token(answer), "other": token(other)}
    return say_markup("mattered.patching_lead", clean=clean, corrupt=corrupt, **named)


def mean_lead(count: int, differences: tuple[float, float]) -> Markup:
    """Describe by how much the right token leads in many pairs, and what is done."""
    clean, corrupt = (fixed(value, 2) for value in differences)
    return say_markup("mattered.mean_lead", count=count, clean=clean, corrupt=corrupt)


def steps(circuit: Circuit, places: Sequence[str], rows: Sequence[str]) -> tuple[Markup, ...]:
    """Describe where the difference starts and which attentions carry it.

    Args:
        circuit: The path that was found.
        places: The words of the source, by position.
        rows: The token that each row of the decoder writes.
    """
    if not circuit.steps:
        return (say_markup("mattered.no_step"),)
    told = sorted(circuit.steps, key=_share, reverse=True)[:_MOST_STEPS]
    starts = [token(places[position]) for position in circuit.starts]
    first = (
        say_markup("mattered.starts", words=listed_markup(starts))
        if starts
        else say_markup("mattered.starts_nowhere")
    )
    return (first, *(_step(step, places, rows) for step in circuit.steps if step in told))


def _share(step: Step) -> float:
    strongest = step.strongest
    return max(step.whole, strongest.z if strongest else 0.0)


def _step(step: Step, places: Sequence[str], rows: Sequence[str]) -> Markup:
    """State which attention acts on the difference, at which position, by which heads."""
    place = token((places if stack_of(step.part) == "encoder" else rows)[step.position])
    values = {"layer": layer_of(step.part), "word": place, "heads": _heads(step)}
    kind = kind_of(step.part)
    if kind == "encoder self-attention":
        return say_markup("mattered.carries" if step.brings else "mattered.works", **values)
    if kind == "cross-attention":
        return say_markup("mattered.fetches" if step.brings else "mattered.reads_again", **values)
    return say_markup("mattered.uses_written", **values)


def _heads(step: Step) -> str:
    strongest, whole = step.strongest, two_decimals(step.whole)
    if strongest is None:
        return say("mattered.heads_none", whole=whole)
    values = {"head": strongest.head, "share": two_decimals(strongest.z)}
    if strongest.z >= _NEARLY_ALL * step.whole:
        return say("mattered.heads_one", **values)
    return say("mattered.heads_some", whole=whole, **values)
