"""The names of a model's parts on the page."""

from model.attribution.sublayers import Part
from texts import say, say_of
from viz.run.axes import AttentionKind

_KINDS: dict[tuple[str, str], AttentionKind] = {
    ("encoder", "self_attn"): "encoder self-attention",
    ("decoder", "self_attn"): "decoder self-attention",
    ("decoder", "cross_attn"): "cross-attention",
}


def stack_of(part: Part) -> str:
    """Return its stack: encoder or decoder."""
    return part.sublayer.partition(".")[0]


def layer_of(part: Part) -> int:
    """Return the number of its layer."""
    return int(part.sublayer.split(".")[2])


def kind_of(part: Part) -> AttentionKind | None:
    """Return the kind of attention that it is, or that its head belongs to."""
    return _KINDS.get((stack_of(part), _sublayer(part)))


def sublayer_name(part: Part) -> str:
    """Name its sublayer in its layer: self-attention, cross-attention or feed-forward."""
    return say_of("mattered.sublayer", _sublayer(part))


def cut_name(part: Part) -> str:
    """Name a part in an address: `encoder.layers.0.self_attn.3`."""
    return part.sublayer if part.head is None else f"{part.sublayer}.{part.head}"


def part_name(part: Part) -> str:
    """Name a part in a sentence: head 3 of the self-attention in encoder layer 0."""
    if part.head is None:
        return say_of("mattered.part", _place(part), layer=layer_of(part))
    return say_of("mattered.part_head", _place(part), layer=layer_of(part), head=part.head)


def _place(part: Part) -> str:
    """Name the stack and the sublayer, as in the keys of the texts: "encoder.self_attn"."""
    return f"{stack_of(part)}.{_sublayer(part)}"


def _sublayer(part: Part) -> str:
    return part.sublayer.split(".")[3]


def stage_name(name: str) -> str:
    """Name a stage of the residual stream in a row of a grid."""
    parts = name.split(".")
    if len(parts) != 4:
        return say("mattered.stage.embedding")
    return say_of("mattered.stage", parts[3], layer=parts[2])
