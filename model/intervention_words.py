"""Interventions in words: which part of the model does what else than before."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from model.intervention import Intervention

_MODULES = {
    ("encoder", "self_attn"): "encoder self-attention",
    ("decoder", "self_attn"): "decoder self-attention",
    ("decoder", "cross_attn"): "cross-attention",
    ("encoder", "feed_forward"): "encoder feed-forward",
    ("decoder", "feed_forward"): "decoder feed-forward",
}
_TENSORS = {
    "query": "queries",
    "key": "keys",
    "value": "values",
    "scores": "scores",
    "mask": "mask",
    "weights": "weights",
    "heads": "output",
    "output": "output",
    "hidden": "hidden layer",
    "input": "input",
    "after_self_attn": "state after self-attention",
    "after_cross_attn": "state after cross-attention",
    "tokens": "token embeddings",
    "positions": "positional encodings",
}
_MOST_NAMED = 4
"""Positions that are named; the others are counted."""
_LONGEST_TEXT = 60
"""Of another run's source that is quoted."""


def say(
    intervention: "Intervention", source: Sequence[str] = (), target: Sequence[str] = ()
) -> str:
    """Say what an intervention does, for people.

    Args:
        intervention: To be said.
        source: Tokens of the source, to name positions by.
        target: Tokens of the target from `<s>` on: a row of the decoder is named after the token
            that it writes.
    """
    place = place_of(intervention)
    rows, columns = _axes(intervention.name, source, target)
    reader = _listed(intervention.rows, rows) or "every token"
    read = _listed(intervention.columns, columns)
    match intervention.kind:
        case "zero":
            said = f"{place} off" if _is_part(intervention) else f"{place} set to 0"
        case "mean":
            said = f"{place} replaced by its average over other sentences"
        case "scale":
            said = f"{place} × {intervention.amount:.4g}"
        case "set" if intervention.name.endswith("mask"):
            said = f"{place}: " + ("nothing is hidden" if intervention.amount else "all is hidden")
        case "set":
            said = f"{place} set to {intervention.amount:.4g}"
        case "point":
            return f"{reader} → {read}: {100 * intervention.amount:.0f} % of the weight ({place})"
        case "paint":
            return f"weights of {reader} painted by hand ({place})"
        case "cut":
            if intervention.rows is None:
                return f"no token can read {read} ({place})"
            return f"{reader} cannot read {read} ({place})"
        case "fill":
            fill = f"{intervention.amount:.4g}".replace("-", "−").replace("inf", "∞")
            return f"masked scores are {fill} ({place})"
        case "patch":
            said = f"{place} taken from {_origin(intervention)}"
        case "skip":
            return f"{place} skipped"
        case "reverse":
            return f"{place} in reverse order"
        case "shuffle":
            return f"{place} shuffled (seed {intervention.amount:.0f})"
    if intervention.kind != "set" and read:
        said = f"{said}, at {read}"
    return f"{said}, for {reader}" if intervention.rows is not None else said


def place_of(intervention: "Intervention") -> str:
    """Name the part of the model that an intervention acts on: "cross-attention, layer 1"."""
    parts = intervention.name.split(".")
    last = parts[-1]
    if parts[0] in ("source_embedding", "target_embedding"):
        side = parts[0].removesuffix("_embedding")
        return f"{side} {_TENSORS[last] if last != 'output' else 'embeddings'}"
    if len(parts) < 3:
        return intervention.name.replace(".", " ")
    layer = "all layers" if parts[2] == "*" else f"layer {parts[2]}"
    if len(parts) == 4:
        return f"{parts[0]} {layer}" + ("" if last == "output" else f", {_TENSORS[last]}")
    module = f"{_MODULES[parts[0], parts[3]]}, {layer}"
    if intervention.head is not None:
        module = f"{module}, head {intervention.head}"
    if last in ("weights", "heads", "output"):
        return module
    return f"{module}, {_TENSORS[last]}"


def _is_part(intervention: "Intervention") -> bool:
    """Tell whether a whole head, sublayer or encoding is switched off."""
    last = intervention.name.rpartition(".")[2]
    return last in ("heads", "output", "positions") and not intervention.anchored


def _origin(intervention: "Intervention") -> str:
    other = intervention.origin
    run = f"“{_short(other)}”" if other else "the run as it was"
    if intervention.origin_head is None or intervention.origin_head == intervention.head:
        return run
    return f"head {intervention.origin_head} of {run}"


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


def _listed(positions: Sequence[int] | None, tokens: Sequence[str]) -> str:
    if positions is None:
        return ""
    named = [
        f"“{tokens[p]}”" if p < len(tokens) else f"position {p}" for p in positions[:_MOST_NAMED]
    ]
    if more := len(positions) - len(named):
        named.append(f"{more} more")
    *first, last = named or ["nothing"]
    return f"{', '.join(first)} and {last}" if first else last


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"
