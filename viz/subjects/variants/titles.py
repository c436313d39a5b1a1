"""What a variant is called for people, and as its checkpoints and configs have it."""

from model.presets import PRESETS
from texts import say_of


def titled(variant: str) -> str:
    """Name a variant within a sentence."""
    return say_of("variants.called", variant) if variant in PRESETS else variant
