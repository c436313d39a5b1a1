"""Draws a run as one HTML page: all heads, one head as a map and as lines, and one row's words."""

import math
import re
from collections.abc import Sequence

import numpy as np

from loupe.drawn_parts import Heads, Pictured, Rows, parts_drawn, some_of
from loupe.records import Attentions, Tokens, attentions_in
from loupe.remarks import numbers_words
from sample_data.tasks import source_classes
from viz.heads.head_summary import METRICS, Metrics, head_metrics
from viz.heads.measures import pack_measures
from viz.heads.telling_cells import FirstCell, Stack, first_cell, sharpest_reading
from viz.run.axes import AttentionKind, AxisText
from viz.run.inputs import run_key
from viz.run.titles import axis_titles
from viz.run.wire import WireRun, WireSelection, WireStack
from viz.subjects.attention.standalone import Layer, standalone_page

MOST_CELLS, MOST_OF_AN_IMAGE = 1_500_000, 6_000_000
"""The largest number of weights in a picture, at two bytes each before compression.

It has room for all weights of 12 layers of 12 heads on 14 x 14 patches, as half an image is of
little use.
"""
ONE_TEXT = ("query: token that reads", "key: token read")
"""The names of both axes, for a model that reads one text."""
_NEAR = 2
"""In positions: a head that reads a nearer token may read it for its position alone."""


def page_of(run: Pictured, layers: Sequence[int] | None = None, rows: Rows = None) -> str:
    """Write a run, or some of its layers and rows, as a self-contained HTML page.

    Raises ValueError if the run has no attention, or none of these layers or rows.
    """
    found = _drawn(run, layers, rows)
    key = run_key(run.model, run.tokens, float(found[0].weights.sum()))
    return standalone_page(
        _wire(run, found, key),
        [layer for heads in found for layer in _layers(heads)],
        pack_measures(_measures(found), key),
        _selection(run, found, key),
        title=f"{run.model} – Loupe",
        notes=_notes(run, found),
    )


def first_choice(run: Pictured) -> dict[str, str | int]:
    """Return the first selection of a picture: kind, layer, head, query and key.

    Raises ValueError if the run has no attention.
    """
    return dict(first_place(run, _drawn(run))._asdict())


def _drawn(
    run: Pictured, layers: Sequence[int] | None = None, rows: Rows = None
) -> tuple[Heads, ...]:
    found = heads_of(run, layers, rows)
    if not found:
        raise ValueError("this run has no attention to draw")
    return found


def _wire(run: Pictured, found: Sequence[Heads], key: str) -> WireRun:
    tokens, axes = placed_names(run.tokens, found)
    return {
        "run": key,
        "kinds": {
            heads.kind: _stack(heads, *sides) for heads, sides in zip(found, axes, strict=True)
        },
        "tokens": {"source": tokens.source, "target": tokens.target},
        "languages": run.languages,
        "axes": {heads.kind: _titles(run, heads) for heads in found},
        "gold": None,
        "tensors": None,
    }


def placed_names(
    tokens: Tokens, found: Sequence[Heads]
) -> tuple[Tokens, list[tuple[AxisText, AxisText]]]:
    """Return lists of names, and the place in them of each attention's rows and columns.

    A picture names an axis by a side and a first place. Names other than consecutive
    tokens of a text, such as a learned key before them, are added after them.
    """
    lists = {side: list(names) for side, names in tokens._asdict().items()}

    def place(axis: AxisText, names: Sequence[str]) -> AxisText:
        side, first = axis
        there, count = lists[side], len(names)
        for at in (first, *range(len(there) - count + 1)):
            if tuple(there[at : at + count]) == tuple(names):
                return side, at
        there.extend(names)
        return side, len(there) - count

    axes = []
    for heads in found:
        pairs = zip((heads.queries, heads.keys), heads.names(tokens), strict=True)
        placed = [place(*pair) if heads.own else pair[0] for pair in pairs]
        axes.append((placed[0], placed[1]))
    return Tokens(*(tuple(names) for names in lists.values())), axes


def _titles(run: Pictured, heads: Heads) -> tuple[str, str]:
    """Name both axes; "written" only if rows are named after the tokens that they write."""
    reads = heads.kind != "encoder self-attention" and _reads(heads)
    return ONE_TEXT if reads or not all(run.tokens) else axis_titles(heads.kind, run.languages)


def _stack(heads: Heads, queries: AxisText, keys: AxisText) -> WireStack:
    """Describe a kind of attention; the page's builder sets the place of its weights."""
    layers, count, rows, columns = heads.weights.shape
    stack: WireStack = {
        "name": heads.name,
        "layers": layers,
        "heads": count,
        "rows": rows,
        "columns": columns,
        "queries": queries,
        "keys": keys,
        "drawn": [rows, columns],
        "offset": 0,
    }
    if heads.layers is not None:
        stack["numbers"] = list(heads.layers)
    if heads.first:
        stack["first"], stack["reads"] = heads.first, _reads(heads)
    return stack


def _reads(heads: Heads) -> bool:
    """Return whether a row is named after the token that it reads."""
    return heads.queries[1] == heads.first


def _layers(heads: Heads) -> list[Layer]:
    return list(zip(heads.weights, heads.mask, strict=True))


def _measures(found: Sequence[Heads]) -> Metrics:
    measured = {}
    for heads in found:
        is_cross = heads.kind == "cross-attention"
        layers = [head_metrics(*layer, is_cross=is_cross) for layer in _layers(heads)]
        measured[heads.kind] = {name: np.stack([one[name] for one in layers]) for name in METRICS}
    return measured


def _selection(run: Pictured, found: Sequence[Heads], key: str) -> WireSelection:
    kind, layer, head, query, column = first_place(run, found)
    return {
        "run": key,
        "kind": kind,
        "layer": layer,
        "head": head,
        "query": query,
        "key": column,
        "step": query,
    }


def first_place(run: Pictured, found: Sequence[Heads]) -> FirstCell:
    """Choose the cell to begin with, by the rule of the pages."""
    by_kind = {heads.kind: heads for heads in found}
    drawn = by_kind.get("cross-attention")
    best = run.best_head
    if best and drawn and drawn.layers is not None:
        best = (drawn.layers.index(best[0]), best[1]) if best[0] in drawn.layers else None
    classes = source_classes(run.task)
    is_whole = all(heads.first == 0 for heads in found)
    if is_whole and (classes or best):
        kinds: list[AttentionKind] = [heads.kind for heads in found]
        return first_cell(kinds, lambda kind: _as_stack(run, by_kind[kind]), classes, best)
    heads = found[0]
    # Equal numbers in two texts are not the same position.
    near = 0 if heads.kind == "cross-attention" else _NEAR
    names = heads.names(run.tokens)
    place = sharpest_reading(heads.weights, *names, first=heads.first, near=near)
    return FirstCell(heads.kind, *place)


def _as_stack(run: Pictured, heads: Heads) -> Stack:
    return Stack(heads.weights, heads.mask, *heads.names(run.tokens))


def _notes(run: Pictured, found: Sequence[Heads]) -> list[str]:
    """Describe the picture, and the parts that it leaves out."""
    notes = [f"{run.headline} Weights are rounded to 0.00002 here; the run has them in full."]
    shown, there = found[0].weights.shape[-1], found[0].whole[1]
    notes += parts_drawn(found)
    if shown < there and not notes[1:]:
        notes.append(_part_drawn(run.tokens, shown, there))
    drawn, there = sum(len(heads.weights) for heads in found), len(run.axes)
    if drawn < there and all(heads.layers is None for heads in found):
        notes.append(
            f"The picture shows {drawn} of {there} attentions: the others have other shapes, or "
            "read something else."
        )
    return [*notes, *numbers_words(run.record), *run.remarks]


def _part_drawn(tokens: Tokens, shown: int, there: int) -> str:
    image = _image(tokens)
    if image and shown >= sum(image):
        before, across = image
        rows, every = ((size - before) // across for size in (shown, there))
        return f"The picture shows the first {rows} of {every} rows of patches."
    return f"The picture shows the first {shown} of {there} tokens."


def heads_of(
    run: Pictured, layers: Sequence[int] | None = None, rows: Rows = None
) -> tuple[Heads, ...]:
    """Find all kinds of attention of a run, the encoder's first, or some layers and rows.

    Takes as many of the first tokens of a long text, or of the first rows of a large image, as
    there is room for. Raises ValueError if no kind has these layers or rows.
    """
    kinds = attentions_in(run.record, writes=run.writes, axes=run.axes)
    found = [_heads(attentions) for attentions in kinds]
    if found and (layers is not None or rows is not None):
        return some_of(found, layers, rows, MOST_CELLS)
    image = _image(run.tokens)
    most = MOST_OF_AN_IMAGE if image else MOST_CELLS
    share = sum(heads.weights.size for heads in found) / most
    if share <= 1:
        return tuple(found)
    longest = max(max(heads.weights.shape[-2:]) for heads in found)
    side = math.floor(longest / math.sqrt(share))
    if image and side >= sum(image):
        before, across = image
        side -= (side - before) % across
    return tuple(
        heads._replace(weights=heads.weights[:, :, :side, :side], mask=heads.mask[:, :side, :side])
        for heads in found
    )


def _image(tokens: Tokens) -> tuple[int, int] | None:
    """Return the number of tokens before an image's patches, and of patches in one of its rows."""
    names = tokens.source or tokens.target
    across = sum(bool(re.fullmatch(r"1,\d+", name)) for name in names)
    return (names.index("1,1"), across) if "1,1" in names and across > 1 else None


def _heads(attentions: Attentions) -> Heads:
    weights = np.stack([each.weights[0].float().cpu().numpy() for each in attentions.layers])
    masks = [
        each.mask.expand_as(each.weights[:, 0])
        if each.mask.dim() == 3
        else each.mask.expand_as(each.weights).any(dim=1)
        for each in attentions.layers
    ]
    return Heads(
        kind=attentions.kind,
        name=attentions.name,
        weights=weights,
        mask=np.stack([mask[0].cpu().numpy() for mask in masks]),
        queries=attentions.queries,
        keys=attentions.keys,
        whole=(weights.shape[-2], weights.shape[-1]),
        own=attentions.names,
    )
