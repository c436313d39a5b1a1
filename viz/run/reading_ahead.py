"""What is said of a decoder whose causal mask is imposed or taken away, wherever a page does so."""

import math

from viz.pictures.numbers import number_text

_DEPENDS = 2.0
"""Times as large a loss shows that a model cannot do without what was taken from it."""


def say_imposed(open_loss: float, masked_loss: float) -> str:
    """Say what a decoder that was trained without a causal mask loses under one: nats per token."""
    ratio = masked_loss / open_loss
    learned = "it lives on the tokens ahead" if ratio > _DEPENDS else "it hardly needs them"
    return (
        f"With the causal mask imposed its loss is {number_text(masked_loss)}, "
        f"{number_text(ratio)} times as large: {learned}."
    )


def say_taken_away(masked_loss: float, open_loss: float) -> str:
    """Say what a decoder that was trained with a causal mask does without: nats per token."""
    if math.isnan(open_loss):
        return ""
    ratio = open_loss / masked_loss
    if 1 / ratio > _DEPENDS:
        learned = "it lives on the tokens ahead"
    elif ratio > _DEPENDS:
        learned = "it was trained with the mask, and what it reads ahead only confuses it"
    else:
        learned = "it was trained with the mask, and makes little of what it could read ahead"
    return (
        f"Its loss goes from {number_text(masked_loss)} to {number_text(open_loss)} nats per "
        f"token: {learned}."
    )
