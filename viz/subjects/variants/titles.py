"""What a variant is called for people, and as its checkpoints and configs have it."""

from viz.frame.words import VARIANT_TITLES
from viz.subjects.variants.choices import PAPER


def titled(variant: str) -> str:
    """Name a variant within a sentence."""
    if variant == PAPER:
        return "the paper's"
    title = VARIANT_TITLES.get(variant)
    return f"the one {title.removeprefix('Write-up ')} ({variant})" if title else variant
