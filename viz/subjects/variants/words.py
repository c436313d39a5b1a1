"""Sentences of the Variants page about their texts, and about the effect of each difference."""

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from texts import listed, say, say_of
from viz.pictures.numbers import fixed, percent_text
from viz.run.record import Run
from viz.subjects.variants.reading_ahead import PAPER, ReadingAhead

_MOST_NAMED = 2


def answer(written: Mapping[str, str]) -> str:
    """Describe the effect of other choices on the sentence.

    Args:
        written: The text of each variant, by its name, including the paper's.
    """
    others = {name: text for name, text in written.items() if name != PAPER}
    differ = [
        say(
            "variants.writes" if text else "variants.writes_nothing",
            name=say_of("frame.variant", name),
            text=text,
        )
        for name, text in others.items()
        if text != written.get(PAPER)
    ]
    count, same = len(others), len(others) - len(differ)
    if not differ:
        return say("variants.all_the_same", count=count)
    said = say("variants.some_the_same", same=same, count=count)
    return f"{said} {' '.join(differ[:_MOST_NAMED])}"


def loss_and_right(scores: Mapping[str, Mapping[str, object]]) -> str:
    """Name the loss and the share of correct translations of each variant; nothing if unknown."""
    told = []
    for name, of in scores.items():
        loss, right = of.get("loss"), of.get("exact_match")
        if not isinstance(loss, int | float) or not isinstance(right, int | float):
            return ""
        variant = say_of("frame.variant", name)
        share = percent_text(right)
        told.append(say("variants.loss_and_right", name=variant, loss=fixed(loss, 2), right=share))
    return " ".join((say("variants.held_out"), *told)) if told else ""


def ahead(found: ReadingAhead, run: Run) -> str:
    """State how much a decoder without a causal mask reads ahead, and how well it writes alone."""
    said = say("variants.reads_ahead", share=percent_text(found.share))
    match run.info.scores.get("exact_match"):
        case float() | int() as right:
            return f"{said} {say('variants.gets_right', share=percent_text(right))}"
        case _:
            return said


def depth(gradients: Mapping[str, Float[np.ndarray, " layer"]]) -> str:
    """Compare the gradient of the last layer with that of the first, by the place of the norm."""
    ratios = [
        say(
            "variants.gradient",
            placement=say_of("variants.placement", name),
            ratio=fixed(float(each[-1] / each[0]), 1),
        )
        for name, each in gradients.items()
    ]
    count = len(next(iter(gradients.values())))
    return say("variants.gradients", count=count, parts=listed(ratios))
