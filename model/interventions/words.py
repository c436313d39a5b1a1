"""Describes in words where an intervention acts: the part of the model, the rows, the columns."""

from collections.abc import Sequence

from model.tensor_names import OF_LAYERS, axes_of
from texts import listed, say, say_of

_EMBEDDINGS = ("tokens", "positions", "output")
_MODULES = {
    "encoder": ("self_attn", "feed_forward"),
    "decoder": ("self_attn", "cross_attn", "feed_forward"),
}
_WHOLE = ("weights", "heads", "output")
"""The tensors that have the name of the part to which they belong."""
_TENSORS = axes_of(*OF_LAYERS).keys() - _WHOLE
"""The tensors whose own name is added to that of their part."""
_MOST_NAMED = 4
"""The largest number of positions to name; the others are counted."""
_LONGEST_TEXT = 60
"""The largest length of a quotation from another run's source."""


def place_of(name: str, head: int | None) -> str:
    """Name the part of the model to which a tensor belongs, such as "cross-attention, layer 1".

    A link may contain a name that no model has, which is returned unchanged.
    """
    match name.split("."):
        case ["source_embedding" | "target_embedding" as side, last] if last in _EMBEDDINGS:
            return say_of("change.place", f"{side}.{last}")
        case ["encoder" | "decoder" as stack, "output"]:
            return say_of("change.place", f"{stack}.output")
        case ["encoder" | "decoder" as stack, "layers", layer, last] if last in _TENSORS:
            return _with_tensor(_layer(stack, layer), last)
        case ["encoder" | "decoder" as stack, "layers", layer, "output"]:
            return _layer(stack, layer)
        case ["encoder" | "decoder" as stack, "layers", layer, part, last] if part in _MODULES[
            stack
        ] and last in (*_WHOLE, *_TENSORS):
            place = _in_layer(say_of("change.place", f"{stack}.{part}"), layer)
            if head is not None:
                place = say("change.of_head", place=place, head=head)
            return place if last in _WHOLE else _with_tensor(place, last)
    return name.replace(".", " ")


def part_of(name: str) -> str:
    """Name the kind of a part, since some languages inflect "off" by the part."""
    parts = name.split(".")
    if parts[0].endswith("_embedding"):
        return "vectors"
    if len(parts) == 4:
        return "layers" if parts[2] == "*" else "layer"
    if parts[-2:-1] == ["feed_forward"]:
        return "feed_forward"
    return "attention" if len(parts) == 5 else "output"


def origin_of(text: str, head: int | None) -> str:
    """Name the run that the numbers come from, and its head if that is another one."""
    run = say("change.other_run", text=_short(text)) if text else say("change.own_run")
    return run if head is None else say("change.other_head", head=head, run=run)


def axes(
    name: str, source: Sequence[str], target: Sequence[str]
) -> tuple[Sequence[str], Sequence[str]]:
    """Name the positions along a tensor's second-to-last axis, and along its last."""
    if name.startswith(("source", "encoder")):
        return source, source
    if name.startswith("target"):
        return target, ()
    rows = target[1:]
    return rows, target if ".self_attn." in name else source


def name_tokens(positions: Sequence[int] | None, tokens: Sequence[str]) -> str:
    """Name positions by their tokens; return "" if they are None."""
    if positions is None:
        return ""
    named = [
        say("change.token", token=tokens[p])
        if p < len(tokens)
        else say("change.position", position=p)
        for p in positions[:_MOST_NAMED]
    ]
    if more := len(positions) - len(named):
        named.append(say("change.more", count=more))
    return listed(named or [say("change.nothing")])


def _layer(stack: str, layer: str) -> str:
    if layer == "*":
        return say_of("change.place", f"{stack}.layers")
    return say_of("change.place", f"{stack}.layer", layer=layer)


def _in_layer(module: str, layer: str) -> str:
    if layer == "*":
        return say("change.in_layers", module=module)
    return say("change.in_layer", module=module, layer=layer)


def _with_tensor(place: str, tensor: str) -> str:
    return say("change.tensor_of", place=place, tensor=say_of("change.tensor", tensor))


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"
