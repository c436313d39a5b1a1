"""What the parts of a model are called on the page."""

from model.ablation import Part
from viz.run.record import AttentionKind

_KINDS: dict[tuple[str, str], AttentionKind] = {
    ("encoder", "self_attn"): "encoder self-attention",
    ("decoder", "self_attn"): "decoder self-attention",
    ("decoder", "cross_attn"): "cross-attention",
}


def stack_of(part: Part) -> str:
    """Give its stack: encoder or decoder."""
    return part.sublayer.partition(".")[0]


def layer_of(part: Part) -> int:
    """Give the number of its layer."""
    return int(part.sublayer.split(".")[2])


def kind_of(part: Part) -> AttentionKind | None:
    """Give the kind of attention that it is, or is a head of."""
    return _KINDS.get((stack_of(part), part.sublayer.rpartition(".")[2]))


def sublayer_name(part: Part) -> str:
    """Name its sublayer in its layer: self-attention, cross-attention or feed-forward network."""
    kind = kind_of(part)
    if kind is None:
        return "feed-forward network"
    return kind.removeprefix("encoder ").removeprefix("decoder ")


def place_name(part: Part) -> str:
    """Name its sublayer with its layer: self-attention in encoder layer 0."""
    return f"{sublayer_name(part)} in {stack_of(part)} layer {layer_of(part)}"


def part_name(part: Part) -> str:
    """Name a part in a sentence: head 3 of the self-attention in encoder layer 0."""
    if part.head is None:
        whole = "" if kind_of(part) is None else "whole "
        return f"the {whole}{place_name(part)}"
    return f"head {part.head} of the {place_name(part)}"
