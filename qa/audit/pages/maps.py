"""Pictures of weights, read back: their colours at the centres of the cells, their words."""

import numpy as np

from qa.audit.reference.files import Array
from qa.audit.visit import Visit

_SHADE = 0.5 / 200 + 1e-4
"""A colour is one of 201."""


def check_map(visit: Visit, selector: str, what: str, weights: Array, kind: str) -> None:
    """Read a map back: the colour at each cell's centre, the words at its edges."""
    maps = visit.maps(selector)
    if not maps:
        visit.missing(what)
        return
    drawn = maps[0]
    _check_colours(visit, f"colours of {what}", drawn["colours"], weights, visit.truth.mask(kind))
    _check_labels(visit, f"labels of {what}", drawn, *visit.truth.axis(kind))


def _check_colours(
    visit: Visit,
    what: str,
    colours: object,
    weights: Array,
    mask: np.ndarray,
    *,
    small: bool = False,
) -> None:
    """Hold the colours of a picture of weights against them; masked cells have none."""
    shares, off = visit.shades(colours)
    if not small and not visit.same(what, shares.shape, weights.shape, "shape"):
        return
    shown = mask if small else mask | (weights > 0)
    steady = np.abs(weights * 200 % 1 - 0.5) > 0.005  # where a step of the code is no other colour
    cells = [f"row {r}, column {c}" for r, c in np.argwhere(shown & steady)]
    visit.numbers(what, shares[shown & steady], weights[shown & steady], _SHADE + 2e-5, cells)
    if not small:
        visit.numbers(f"{what}: in the scale", off[shown], np.zeros(int(shown.sum())), 4.0)


def _check_labels(
    visit: Visit, what: str, drawn: dict, rows: list[str], columns: list[str]
) -> None:
    """Hold the words beside a picture against the tokens: each at its own row or column."""
    shape, found = drawn["shape"], {"row": {}, "column": {}}
    for word in drawn["words"]:
        row = (word["y"] - shape["y"]) / shape.get("high", shape["cell"]) - 0.5
        column = (word["x"] - shape["x"]) / shape["cell"] - 0.5
        if word["x"] < shape["x"] and _is_at(row, rows):
            found["row"].setdefault(round(row), []).append(word["text"])
        elif word["y"] < shape["y"] and _is_at(column, columns):
            found["column"].setdefault(round(column), []).append(word["text"])
    for names, side in ((rows, "row"), (columns, "column")):
        for i, texts in sorted(found[side].items()):
            right = any(t == names[i] or _begins(t, names[i]) for t in texts)
            visit.holds(what, " / ".join(texts), right, f"{side} {i} is {names[i]}")
    if shape.get("labelled", {}).get("rows") and shape["cell"] >= 14:
        visit.same(what, sorted(found["row"]), [*range(len(rows))], "rows that have one")


def _is_at(place: float, names: list[str]) -> bool:
    return abs(place - round(place)) < 0.2 and 0 <= round(place) < len(names)


def _begins(text: str, name: str) -> bool:
    return text.endswith("…") and name.startswith(text[:-1])


def check_thumbnails(visit: Visit, kind: str) -> None:
    """Hold each small picture of a head against its weights: cells that are a pixel or more."""
    thumbs = visit.page.evaluate(
        """() => auditAll('.loupe-heads .loupe-thumb canvas').map((canvas) => {
          const { width, height } = canvas;
          const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
          return { width, height, pixels: Array.from(data) };
        })"""
    )
    weights, mask = visit.truth.weights(kind), visit.truth.mask(kind)
    layers, heads, rows, columns = weights.shape
    if len(thumbs) != layers * heads:
        return  # all three kinds at once, or sorted
    for i, thumb in enumerate(thumbs):
        wide, high = thumb["width"] / columns, thumb["height"] / rows
        if min(wide, high) < 2:
            visit.note("thumbnails with less than 2 pixels a cell")
            return
        pixels = np.asarray(thumb["pixels"]).reshape(thumb["height"], thumb["width"], 4)[..., :3]
        at = np.ix_(
            ((np.arange(rows) + 0.5) * high).astype(int),
            ((np.arange(columns) + 0.5) * wide).astype(int),
        )
        layer, head = divmod(i, heads)
        there, what = visit.at(f"{kind} L{layer} H{head}"), "colours of the small maps"
        _check_colours(there, what, pixels[at], weights[layer, head], mask, small=True)
