"""What is said of the way that a difference takes through the model."""

from collections.abc import Sequence

from markupsafe import Markup

from viz.pictures.numbers import fixed
from viz.pictures.tokens import joined, token
from viz.subjects.mattered.circuit import Circuit, HeadShare, Step
from viz.subjects.mattered.naming import kind_of, layer_of, stack_of

_MOST_STEPS = 6
_NEARLY_ALL = 0.75
"""Of what an attention brings back, that a head must bring back to do so alone."""
_LOOKS_ELSEWHERE, _LOOKS_THE_SAME = 0.75, 0.25
"""Of what a head brings back, that its weights bring back by themselves."""


def lead(answer: str, other: str, differences: tuple[float, float]) -> Markup:
    """Say what differs between the sentences, and what is done."""
    clean, corrupt = (fixed(value, 2) for value in differences)
    return Markup(
        "Your sentence makes the model write {answer}, the other one {other} (logit of {answer} "
        "minus that of {other}: {clean} against {corrupt}). Now numbers from the run of yours are "
        "put into the run of the other, one cell at a time. 1 means that {answer} is back "
        "entirely, 0 that nothing has changed."
    ).format(answer=token(answer), other=token(other), clean=clean, corrupt=corrupt)


def steps(circuit: Circuit, places: Sequence[str], rows: Sequence[str]) -> tuple[Markup, ...]:
    """Say where the difference starts and which attentions carry it.

    Args:
        circuit: What was found.
        places: The words of the source, by position.
        rows: What each row of the decoder writes.
    """
    if not circuit.steps:
        return (Markup("No attention brings back a quarter of the difference at one place."),)
    told = sorted(circuit.steps, key=_share, reverse=True)[:_MOST_STEPS]
    starts = [token(places[position]) for position in circuit.starts]
    first = Markup("It starts at {}.").format(Markup(" and ").join(starts))
    if not starts:
        first = Markup("No word that both sentences have holds it from the start.")
    return (first, *(_step(step, places, rows) for step in circuit.steps if step in told))


def _share(step: Step) -> float:
    strongest = step.strongest
    return max(step.whole, strongest.z if strongest else 0.0)


def _step(step: Step, places: Sequence[str], rows: Sequence[str]) -> Markup:
    return joined([_what(step, places, rows), _heads(step)])


def _what(step: Step, places: Sequence[str], rows: Sequence[str]) -> Markup:
    """Say which attention does something with the difference, and at which place."""
    layer, kind = layer_of(step.part), kind_of(step.part)
    place = token((places if stack_of(step.part) == "encoder" else rows)[step.position])
    if kind == "encoder self-attention":
        does = "carries it to" if step.brings else "works on it at"
        return Markup("Encoder layer {} {} {}").format(layer, does, place)
    if kind == "cross-attention":
        does = "fetches it from the source" if step.brings else "reads the source again"
        return Markup("Decoder layer {} {} in the row that writes {}").format(layer, does, place)
    return Markup(
        "Decoder layer {} uses the words already written, in the row that writes {}"
    ).format(layer, place)


def _heads(step: Step) -> str:
    strongest = step.strongest
    if strongest is None:
        return f": all heads together bring back {_number(step.whole)}, each alone next to nothing."
    if strongest.z >= _NEARLY_ALL * step.whole:
        return (
            f": head {strongest.head} alone brings back {_number(strongest.z)}. {_looks(strongest)}"
        )
    return (
        f": all heads together bring back {_number(step.whole)}, the strongest, head "
        f"{strongest.head}, only {_number(strongest.z)}. {_looks(strongest)}"
    )


def _looks(head: HeadShare) -> str:
    by_itself = f"its weights alone bring back {_number(head.row)}"
    if head.row >= _LOOKS_ELSEWHERE * head.z:
        return f"It looks at other words: {by_itself}."
    if head.row <= _LOOKS_THE_SAME * head.z:
        return f"It looks at the same words and finds something else there: {by_itself}."
    return f"Partly it looks at other words: {by_itself}."


def _number(share: float) -> str:
    return fixed(share, 2).replace("−0.00", "0.00")
