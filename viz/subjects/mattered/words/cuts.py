"""What is said of cuts in one sentence."""

from collections.abc import Sequence

from markupsafe import Markup

from viz.pictures.numbers import fixed
from viz.pictures.tokens import escape, joined, token
from viz.subjects.mattered.damage import Loss, Losses
from viz.subjects.mattered.naming import part_name
from viz.subjects.mattered.words.labels import NATS

_LEAST = 0.005
"""Nats below which a damage is written as 0."""
_LONGEST = 32
"""Characters of words that are named in a sentence."""
_ENDS = ".,!?…"


def damage_words(damage: float) -> str:
    """State a damage, with its sign."""
    sign = "+" if damage >= _LEAST else ""
    return f"{sign}{fixed(damage, 2)} {NATS}".replace("−0.00", "0.00")


def short_words(damage: float) -> str:
    """State a damage as short as a tile is wide, in nats."""
    if abs(damage) < _LEAST:
        return "0"
    text = fixed(damage, 2 if abs(damage) < 10 else 1)
    return text.replace("0.", ".", 1) if abs(damage) < 1 else text


def telling(losses: Losses) -> Loss | None:
    """Choose the cut whose text says most: few words in the place of few others, by most damage.

    None where every cut leaves the text as it is.
    """
    changed = [loss for loss in losses.of if loss.changed]
    return min(changed, key=lambda loss: (_extent(loss), -loss.damage), default=None)


def answer(losses: Losses) -> Markup:
    """Say what is written without the part that tells most, and how many heads can be missed."""
    heads = [loss for loss in losses.of if loss.part.head is not None]
    needed = [loss for loss in heads if loss.changed]
    example = telling(losses)
    if example is None:
        return escape(
            f"None by itself: each of its {len(heads)} heads and each whole sublayer can be cut, "
            "and every word stays as it is."
        )
    first = Markup("Without {}, {}.").format(part_name(example.part), _said(example.swaps))
    return Markup("{} {}").format(first, _about_heads(len(heads), needed, example))


def _about_heads(count: int, needed: Sequence[Loss], example: Loss) -> str:
    if not needed:
        return f"No single head is needed: without any one of the {count}, every word stays."
    if needed == [example]:
        return f"It is the only one of the {count} heads without which a word changes."
    if len(needed) == 1:
        only = part_name(needed[0].part)
        return f"Of the {count} single heads, only {only} changes a word when it is cut."
    if len(needed) == count:
        return f"Each of the {count} single heads changes a word when it is cut."
    left = count - len(needed)
    others = "1 can" if left == 1 else f"{left} can each"
    return (
        f"Of the {count} single heads, {len(needed)} change a word when they are cut; the other "
        f"{others} be spared."
    )


def _said(swaps: Sequence[tuple[str, str]]) -> Markup:
    """Say which words became which."""
    first, *rest = [_swap(*_bare(old, new)) for old, new in swaps[:2]]
    if len(swaps) > 2:
        return joined([first, ", and more changes"])
    return joined([first, " and ", rest[0]]) if rest else first


def _swap(old: str, new: str) -> Markup:
    if not new:
        return Markup("{} is left out").format(_named(old))
    if not old:
        return Markup("{} is added").format(_named(new))
    return Markup("{} becomes {}").format(_named(old), _named(new))


def _named(text: str) -> Markup:
    return token(text if len(text) <= _LONGEST else f"{text[:_LONGEST].rstrip()}…")


def _bare(old: str, new: str) -> tuple[str, str]:
    """Leave out the signs at the end that both have."""
    bare = old.rstrip(_ENDS).rstrip(), new.rstrip(_ENDS).rstrip()
    return bare if bare[0] != bare[1] and all(bare) else (old, new)


def _extent(loss: Loss) -> tuple[bool, int]:
    """Say how far a text is another: if words are only added or lost, and how many letters."""
    replaces = any(old and new for old, new in loss.swaps)
    return not replaces, sum(len(old) + len(new) for old, new in loss.swaps)
