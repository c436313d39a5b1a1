"""Sentences about the cuts in one text."""

from collections.abc import Sequence

from markupsafe import Markup

from texts import say
from viz.pictures.numbers import fixed
from viz.pictures.tokens import say_markup, token
from viz.subjects.mattered.damage import Loss, Losses
from viz.subjects.mattered.part_names import part_name

_LEAST = 0.005
"""The effect in nats below which it is written as 0."""
_LONGEST = 32
"""The number of characters of words that a sentence names."""
_ENDS = ".,!?…"


def damage_words(damage: float) -> str:
    """State by how much a cut makes the loss worse, or better."""
    better = damage <= -_LEAST
    return say("mattered.better" if better else "mattered.worse", value=two_decimals(abs(damage)))


def two_decimals(value: float) -> str:
    """Write a number without a sign if it is written as 0."""
    return fixed(0.0 if abs(value) < _LEAST else value, 2)


def telling(losses: Losses) -> Loss | None:
    """Choose the cut with the most telling text: few words replaced by few others, by most damage.

    Returns None if every cut leaves the text as it is.
    """
    changed = [loss for loss in losses.of if loss.changed]
    return min(changed, key=lambda loss: (_extent(loss), -loss.damage), default=None)


def answer(losses: Losses) -> Markup:
    """Return the text without the most telling part, and the number of dispensable heads."""
    heads = [loss for loss in losses.of if loss.part.head is not None]
    needed = [loss for loss in heads if loss.changed]
    example = telling(losses)
    if example is None:
        return say_markup("mattered.none_needed")
    return say_markup(
        "mattered.answer",
        part=part_name(example.part),
        changes=_said(example.swaps),
        heads=_about_heads(len(heads), len(needed)),
    )


def _about_heads(whole: int, needed: int) -> str:
    if not needed:
        return say("mattered.no_head", count=whole)
    return say("mattered.some_heads", whole=whole, count=needed)


def _said(swaps: Sequence[tuple[str, str]]) -> Markup:
    """State which words became which."""
    first, *rest = [_swap(*_bare(old, new)) for old, new in swaps[:2]]
    if len(swaps) > 2:
        return say_markup("mattered.changes_more", first=first)
    return say_markup("mattered.changes_two", first=first, second=rest[0]) if rest else first


def _swap(old: str, new: str) -> Markup:
    if not new:
        return say_markup("mattered.word_gone", old=_named(old))
    if not old:
        return say_markup("mattered.word_added", new=_named(new))
    return say_markup("mattered.word_becomes", old=_named(old), new=_named(new))


def _named(text: str) -> Markup:
    return token(text if len(text) <= _LONGEST else f"{text[:_LONGEST].rstrip()}…")


def _bare(old: str, new: str) -> tuple[str, str]:
    """Leave out the characters at the end that both have."""
    bare = old.rstrip(_ENDS).rstrip(), new.rstrip(_ENDS).rstrip()
    return bare if bare[0] != bare[1] and all(bare) else (old, new)


def _extent(loss: Loss) -> tuple[bool, int]:
    """Return how much a text differs: are words only added or lost, and how many letters."""
    replaces = any(old and new for old, new in loss.swaps)
    return not replaces, sum(len(old) + len(new) for old, new in loss.swaps)
