"""What a variant is called, for people and in the names of checkpoints and configs."""

from model.presets import PRESETS
from texts import say_of

PAPER = "paper"
MOST_TELLING = "headlist"
"""Compared with the paper's to begin with, where the checkpoint in view is the paper's."""


def titled(variant: str) -> str:
    """Name a variant within a sentence."""
    return say_of("variants.called", variant) if variant in PRESETS else variant
