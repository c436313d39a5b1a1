"""What is said of a decoder whose causal mask is imposed or taken away, wherever a page does so."""

import math

from texts import say
from viz.pictures.numbers import number_text

_DEPENDS = 2.0
"""Times as large a loss shows that a model cannot do without what was taken from it."""


def say_imposed(open_loss: float, masked_loss: float) -> str:
    """Describe what a decoder trained without a causal mask loses under one: nats per token."""
    ratio = masked_loss / open_loss
    values = {"loss": number_text(masked_loss), "times": number_text(ratio)}
    if ratio > _DEPENDS:
        return say("ahead.imposed_lives", **values)
    return say("ahead.imposed_hardly", **values)


def say_taken_away(masked_loss: float, open_loss: float) -> str:
    """Describe what a decoder that was trained with a causal mask does without: nats per token."""
    if math.isnan(open_loss):
        return ""
    ratio = open_loss / masked_loss
    values = {"masked": number_text(masked_loss), "open": number_text(open_loss)}
    if 1 / ratio > _DEPENDS:
        return say("ahead.removed_lives", **values)
    if ratio > _DEPENDS:
        return say("ahead.removed_confuses", **values)
    return say("ahead.removed_little", **values)
