"""Interventions in words: which part of the model does what else than before."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from texts import listed, say, say_of
from texts.saying import written

if TYPE_CHECKING:
    from model.intervention import Intervention

_EMBEDDINGS = ("tokens", "positions", "output")
_MODULES = {
    "encoder": ("self_attn", "feed_forward"),
    "decoder": ("self_attn", "cross_attn", "feed_forward"),
}
_TENSORS = {
    "query",
    "key",
    "value",
    "scores",
    "mask",
    "hidden",
    "input",
    "after_self_attn",
    "after_cross_attn",
}
"""Those that are named behind the part that they are of."""
_WHOLE = ("weights", "heads", "output")
"""Those that stand for the part that they are of."""
_MOST_NAMED = 4
"""Positions that are named; the others are counted."""
_LONGEST_TEXT = 60
"""Of another run's source that is quoted."""


def change_text(
    intervention: "Intervention", source: Sequence[str] = (), target: Sequence[str] = ()
) -> str:
    """Say what an intervention does, for people.

    Args:
        intervention: To be said.
        source: Tokens of the source, to name positions by.
        target: Tokens of the target from `<s>` on: a row of the decoder is named after the token
            that it writes.
    """
    place, amount = place_of(intervention), intervention.amount
    rows, columns = _axes(intervention.name, source, target)
    reader = _named(intervention.rows, rows) or say("change.every_token")
    read = _named(intervention.columns, columns)
    match intervention.kind:
        case "zero" if _is_part(intervention):
            said = say_of("change.off", _what(intervention.name), place=place)
        case "zero":
            said = say("change.set", place=place, amount=0)
        case "mean":
            said = say("change.average", place=place)
        case "scale":
            said = say("change.scaled", place=place, amount=amount)
        case "set" if intervention.name.endswith("mask"):
            said = say("change.nothing_hidden" if amount else "change.all_hidden", place=place)
        case "set":
            said = say("change.set", place=place, amount=amount)
        case "point":
            share = 100 * amount
            return say("change.pointed", reader=reader, read=read, percent=share, place=place)
        case "paint":
            return say("change.painted", reader=reader, place=place)
        case "cut" if intervention.rows is None:
            return say("change.cut_for_all", read=read, place=place)
        case "cut":
            return say("change.cut", reader=reader, read=read, place=place)
        case "fill":
            fill = written(f"{amount:.4g}".replace("-", "−").replace("inf", "∞"))
            return say("change.filled", fill=fill, place=place)
        case "patch":
            said = say("change.taken", place=place, origin=_origin(intervention))
        case "skip":
            is_every = ".*." in intervention.name
            return say("change.skipped.layers" if is_every else "change.skipped.layer", place=place)
        case "reverse":
            return say("change.reversed", place=place)
        case "shuffle":
            return say("change.shuffled", place=place, seed=amount)
    if intervention.kind != "set" and read:
        said = say("change.at_columns", change=said, columns=read)
    if intervention.rows is None:
        return said
    return say("change.for_rows", change=said, rows=reader)


def place_of(intervention: "Intervention") -> str:
    """Name the part of the model that an intervention acts on: "cross-attention, layer 1".

    A link can name what no model has: such a name is given as it is.
    """
    match intervention.name.split("."):
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
            if intervention.head is not None:
                place = say("change.of_head", place=place, head=intervention.head)
            return place if last in _WHOLE else _with_tensor(place, last)
    return intervention.name.replace(".", " ")


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


def _is_part(intervention: "Intervention") -> bool:
    """Tell whether a whole head, sublayer or encoding is switched off."""
    last = intervention.name.rpartition(".")[2]
    return last in ("heads", "output", "positions") and not intervention.anchored


def _what(name: str) -> str:
    """Say what kind of part it is, as what is off is not called off alike in all languages."""
    parts = name.split(".")
    if parts[0].endswith("_embedding"):
        return "vectors"
    if len(parts) == 4:
        return "layers" if parts[2] == "*" else "layer"
    if parts[-2:-1] == ["feed_forward"]:
        return "feed_forward"
    return "attention" if len(parts) == 5 else "output"


def _origin(intervention: "Intervention") -> str:
    other = intervention.origin
    run = say("change.other_run", text=_short(other)) if other else say("change.own_run")
    if intervention.origin_head is None or intervention.origin_head == intervention.head:
        return run
    return say("change.other_head", head=intervention.origin_head, run=run)


def _axes(
    name: str, source: Sequence[str], target: Sequence[str]
) -> tuple[Sequence[str], Sequence[str]]:
    """Name the positions of a tensor's last axis but one, and of its last one."""
    if name.startswith(("source", "encoder")):
        return source, source
    if name.startswith("target"):
        return target, ()
    rows = target[1:]
    return rows, target if ".self_attn." in name else source


def _named(positions: Sequence[int] | None, tokens: Sequence[str]) -> str:
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


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"
