"""Sentences about positions that are not vectors, and about models of one text."""

from model.anatomy import Anatomy
from model.config import Positions, TransformerConfig
from texts import say, say_of
from viz.pictures.numbers import number_text
from viz.subjects.positions.words.labels import wavelength

_NO_VECTORS: tuple[Positions, ...] = ("rotary", "alibi", "relative")


def told(anatomy: Anatomy) -> str:
    """Describe how a model knows the order of words."""
    kind = anatomy.positions
    if kind == "none":
        alone = anatomy.writes and not anatomy.translates
        return say("positions.mask_alone" if alone else "positions.bag")
    how = say_of("positions.told", kind if kind in _NO_VECTORS else "added")
    return f"{say('positions.no_order')} {how}"


def of_written(text: str, *, same: bool) -> str:
    """Describe what a model writes without its positions."""
    return say_of("positions.without", "same" if same else "text" if text.strip() else "nothing")


def of_read(first_before: int, first_after: int, count: int) -> str:
    """Describe how an encoder-only model performs without its positions."""
    return say("positions.of_read", before=first_before, after=first_after, count=count)


def say_hidden(gap: float) -> str:
    """Describe how far the last hidden states of a model without a prediction head changed."""
    return say("positions.hidden", gap=number_text(gap))


def say_turn(config: TransformerConfig, angle_of_last_pair: float) -> str:
    """State which dimensions are rotated, and how fast."""
    pairs = int(config.d_k * config.rotary_share) // 2
    left = config.d_k - 2 * pairs
    slowest = wavelength(2 * 3.141592653589793 / angle_of_last_pair)
    said = [say("positions.turn_note", count=config.d_k, pairs=pairs, slowest=slowest)]
    if left:
        said.append(say("positions.turn_rest", left=left, count=config.d_k))
    return " ".join([*said, say("positions.turn_colour")])


def say_apart(query: str, key: str, head: str) -> str:
    """Describe the line of a score by distance."""
    return say("positions.apart", query=query, key=key, head=head)


def say_slopes(kind: Positions) -> str:
    """Describe the numbers added to the scores."""
    return say_of("positions.slopes", "alibi" if kind == "alibi" else "relative")
