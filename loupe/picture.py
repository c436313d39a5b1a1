"""A run as a page that draws itself: all heads, one as a map and as lines, and what a row reads."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import UInt16

from loupe.heads import Heads, heads_of
from loupe.run import Run
from viz.run.codes import encode_weights
from viz.run.head_summary import METRICS, Metrics, head_metrics
from viz.run.payload import axis_titles, pack_measures, run_key
from viz.run.wire import WireRun, WireSelection, WireStack
from viz.subjects.attention.standalone import standalone_page

ONE_TEXT = ("query: token that reads", "key: token read")
"""What rows and columns are of a model that reads one text."""
_NEAR = 2
"""Positions: what reads a token from nearer may read it for its place alone."""


def page_of(run: Run) -> str:
    """Write a run as a page of HTML that needs nothing but itself.

    Raises ValueError where the run has no attention.
    """
    found = _drawn(run)
    key = run_key(run.model, run.tokens, float(found[0].weights.sum()))
    return standalone_page(
        _wire(run, found, key),
        np.concatenate([_codes(heads) for heads in found]),
        pack_measures(_measures(found), key),
        _selection(run, found[0], key),
        title=f"{run.model} – Loupe",
        notes=_notes(run, found),
    )


def first_choice(run: Run) -> dict[str, str | int]:
    """Describe what a picture of a run shows at first: kind, layer, head, query and key.

    Raises ValueError where the run has no attention.
    """
    heads = _drawn(run)[0]
    places = zip(("layer", "head", "query", "key"), telling_place(run, heads), strict=True)
    return {"kind": heads.kind, **dict(places)}


def _drawn(run: Run) -> tuple[Heads, ...]:
    found = heads_of(run)
    if not found:
        raise ValueError("this run has no attention that could be drawn")
    return found


def _wire(run: Run, found: Sequence[Heads], key: str) -> WireRun:
    sizes = [heads.weights.size for heads in found]
    offsets = [sum(sizes[:i]) for i in range(len(found))]
    return {
        "run": key,
        "kinds": {heads.kind: _stack(heads, at) for heads, at in zip(found, offsets, strict=True)},
        "tokens": {"source": run.tokens.source, "target": run.tokens.target},
        "ids": {"source": ()},
        "probabilities": [],
        "given": run.given,
        "languages": run.languages,
        "axes": {heads.kind: _titles(run, heads) for heads in found},
        "gold": None,
    }


def _titles(run: Run, heads: Heads) -> tuple[str, str]:
    """Return what rows and columns are; "written" only where a row is named after that."""
    reads = heads.kind != "encoder self-attention" and not heads.queries[1]
    return ONE_TEXT if reads or not all(run.tokens) else axis_titles(heads.kind, run.languages)


def _stack(heads: Heads, offset: int) -> WireStack:
    layers, count, rows, columns = heads.weights.shape
    return {
        "name": heads.name,
        "layers": layers,
        "heads": count,
        "rows": rows,
        "columns": columns,
        "queries": heads.queries,
        "keys": heads.keys,
        "drawn": [rows, columns],
        "offset": offset,
    }


def _codes(heads: Heads) -> UInt16[np.ndarray, " size"]:
    layers = zip(heads.weights, heads.mask, strict=True)
    return np.concatenate([encode_weights(weights, mask).ravel() for weights, mask in layers])


def _measures(found: Sequence[Heads]) -> Metrics:
    measured = {}
    for heads in found:
        is_cross = heads.kind == "cross-attention"
        pairs = zip(heads.weights, heads.mask, strict=True)
        layers = [head_metrics(weights, mask, is_cross=is_cross) for weights, mask in pairs]
        measured[heads.kind] = {name: np.stack([one[name] for one in layers]) for name in METRICS}
    return measured


def _selection(run: Run, heads: Heads, key: str) -> WireSelection:
    layer, head, query, column = telling_place(run, heads)
    return {
        "run": key,
        "kind": heads.kind,
        "layer": layer,
        "head": head,
        "query": query,
        "key": column,
        "step": query,
    }


def telling_place(run: Run, heads: Heads) -> tuple[int, int, int, int]:
    """Find layer, head, row and column of the weight that says most.

    That is the largest with which a word reads another word that is no neighbour of it, or the
    largest of all where there is none.
    """
    rows, columns = heads.names(run.tokens)
    words = [np.array([_is_word(name) for name in names]) for names in (rows, columns)]
    # Of two texts, the same number is not the same place.
    near = 0 if heads.kind == "cross-attention" else _NEAR
    away = np.abs(np.subtract.outer(np.arange(len(rows)), np.arange(len(columns)))) >= near
    told = away & words[0][:, None] & words[1]
    told[:, 0] = False  # where many heads rest
    weights = np.nan_to_num(heads.weights)
    weights = np.where(told, weights, 0) if told.any() else weights
    layer, head, query, column = np.unravel_index(int(weights.argmax()), weights.shape)
    return int(layer), int(head), int(query), int(column)


def _is_word(token: str) -> bool:
    """Return whether a token is neither a special one, by its brackets, nor punctuation."""
    is_special = token[:1] in ("<", "[") and token[-1:] in (">", "]")
    return not is_special and any(map(str.isalnum, token))


def _notes(run: Run, found: Sequence[Heads]) -> list[str]:
    """Describe what the picture is of, and what it leaves out."""
    notes = [f"{run.headline} Weights are rounded to 0.00002 here; the run has them in full."]
    shown, there = found[0].weights.shape[-1], found[0].whole[1]
    if shown < there:
        notes.append(f"Of {there} tokens the first {shown} are drawn.")
    return notes
