"""Pictures of weights, read back: colours at the centres of cells, lines, words, tables."""

import re

import numpy as np

from qa.audit.browser import wait
from qa.audit.numbers import NUMBER, SHARE, most
from qa.audit.page_reader import STEP, starting
from qa.audit.reference.files import Array
from qa.audit.visit import Visit

_SHADE = 0.5 / 200 + 1e-4
"""Half of a step between two of the 201 colours."""
_MASS_APART = 2e-3
"""The tolerance of the share for which lines are drawn, because the steps of a row add up."""
_POINTED = ((0, 0), (3, 8), (9, 4), (7, 7), (9, 1))
_LEAST_WIDE, _WIDEST = 0.4, 0.42
"""The tolerances of a line: in pixels, and for a weight of 1 as a share of a row's height."""


def check_map(
    visit: Visit, selector: str, what: str, weights: Array, kind: str, shown: int | None = None
) -> None:
    """Read a map back: the colour at each cell's centre, the words at its edges.

    `shown` is the number of tokens that it shows, if not all.
    """
    part, maps = slice(shown), visit.maps(selector)
    if not maps:
        visit.missing(what)
        return
    drawn = maps[0]
    weights, mask = (of[part, part] for of in (weights, visit.truth.mask(kind)))
    _check_colours(visit, f"colours of {what}", drawn["colours"], weights, mask)
    _check_labels(visit, f"labels of {what}", drawn, *(n[part] for n in visit.truth.axis(kind)))


def _check_colours(
    visit: Visit,
    what: str,
    colours: object,
    weights: Array,
    mask: np.ndarray,
    *,
    small: bool = False,
) -> None:
    """Check the colours of a picture of weights; masked cells have none."""
    shares, off = visit.shades(colours)
    if not small and not visit.same(what, shares.shape, weights.shape, "shape"):
        return
    shown = mask if small else mask | (weights > 0)
    steady = np.abs(weights * 200 % 1 - 0.5) > 0.005  # a step of the code may be the same colour
    cells = [f"row {r}, column {c}" for r, c in np.argwhere(shown & steady)]
    visit.numbers(what, shares[shown & steady], weights[shown & steady], _SHADE + 2e-5, cells)
    if not small:
        visit.numbers(f"{what}: in the scale", off[shown], np.zeros(int(shown.sum())), 4.0)


def _check_labels(
    visit: Visit, what: str, drawn: dict, rows: list[str], columns: list[str]
) -> None:
    """Check the words beside a picture against the tokens, each at its own row or column."""
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
    """Check each thumbnail of a head against its weights, for cells of a pixel or more."""
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


def check_tips(visit: Visit, weights: Array) -> None:
    """Point at cells of the head's last map, which shows those around the selected one."""
    shape = visit.page.evaluate(
        """() => {
          const frame = auditAll('.loupe-head .loupe-heatmap').filter((f) => f.shape?.cell).at(-1);
          frame.scrollIntoView({ block: 'center', behavior: 'instant' });
          const { x, y } = frame.querySelector('canvas').getBoundingClientRect();
          return { high: frame.shape.cell, ...frame.shape,
            left: x + frame.shape.x, top: y + frame.shape.y };
        }"""
    )
    for row, column in _POINTED:
        visit.page.mouse.move(
            shape["left"] + (min(column, shape["columns"] - 1) + 0.5) * shape["cell"],
            shape["top"] + (min(row, shape["rows"] - 1) + 0.5) * shape["high"],
        )
        wait(visit.page, "() => auditAll('.loupe-tip').length > 0 && window.loupe.hover")
        at = visit.page.evaluate("() => ({...window.loupe.hover})")
        text, weight = visit.text(".loupe-tip"), weights[at["query"], at["key"]]
        there = visit.at(f"{visit.place} ({at['query']}, {at['key']})")
        if match := re.search(rf"((?:below |above )?{NUMBER})\s*$", text):
            there.stated("tooltip", match[1], weight, 1e-5)
        else:
            there.holds("tooltip", text, "masked" in text and weight == 0, f"{weight}")


def check_lines(visit: Visit, weights: Array) -> None:
    """Check which lines are drawn, those of a row that together reach the share, and how wide.

    A long text draws them on request.
    """
    asked = visit.page.get_by_role("button", name="As lines", exact=True, expanded=False)
    if asked.count():
        asked.click()
        wait(visit.page, "() => auditAll('.loupe-lines').length > 0")
    drawn, labels, mass, wide, high = visit.page.evaluate(
        """() => {
          const of = (s, ...names) =>
            auditAll(s).map((n) => names.map((name) => Number(n.dataset[name])));
          const labels = of('.loupe-lines text[data-column]', 'column');
          const wide = auditAll('.loupe-lines path').map((n) => n.getAttribute('stroke-width'));
          const y = auditAll('.loupe-lines text[data-row]').map((n) => n.getAttribute('y'));
          return [of('.loupe-lines path', 'row', 'column'), labels, 0.9, wide, y[1] - y[0]];
        }"""
    )
    if not drawn:
        visit.missing("lines")
    drawn_weights = np.array([weights[row, column] for row, column in drawn])
    computed = np.maximum(_LEAST_WIDE, drawn_weights * _WIDEST * high)
    visit.numbers("widths of the lines", np.array(wide, float), computed, 0.006)
    for row in sorted({row for row, _ in drawn}):
        own = weights[row]
        for (column,) in labels:
            is_drawn, others = [row, column] in drawn, np.delete(own, column)
            alike = own[column] + (2 * STEP if is_drawn else -2 * STEP)
            larger = float(others[others > alike].sum() / own.sum())
            right = larger < mass + _MASS_APART if is_drawn else larger > mass - _MASS_APART
            claim = f"row {row}, {'a' if is_drawn else 'no'} line to column {column}"
            because = f"weight {own[column]:.4f}, larger ones {larger:.4f}"
            visit.holds("lines for a share", claim, right or own[column] < STEP, because)


def check_table(visit: Visit, weights: Array, kind: str, shown: int | None = None) -> None:
    """Check the table behind the large map, which has so many tokens."""
    part = slice(shown)
    rows, columns = (names[part] for names in visit.truth.axis(kind))
    cells = starting(visit.captioned(), "weights of one head") or []
    what, mask = "the large map as a table", visit.truth.mask(kind)[part, part]
    weights = weights[part, part]
    visit.matrix(what, cells, weights, rows=rows, columns=columns, mask=mask, slack=1e-5)


def check_thumbnail_words(visit: Visit, kind: str, query: int) -> None:
    """Check the text of each small picture for readers who do not see it."""
    labels = visit.page.evaluate(
        "() => auditAll('.loupe-heads .loupe-thumb').map((t) => t.getAttribute('aria-label'))"
    )
    rows, columns = visit.truth.axis(kind)
    for label in labels:
        said = re.search(rf"layer (\d+), head (\d+): (.+?) reads (.+?), ({SHARE})$", label)
        if said is None:
            visit.missing("words of a small map")
            return
        layer, head, reader, read, share = said.groups()
        row, there = visit.truth.weights(kind)[int(layer), int(head), query], visit.at(label)
        there.same("words of a small map", reader, rows[query])
        there.among("words of a small map", read, most(columns, row, 2 * STEP))
        there.stated("share of a small map", share, row.max(), 1e-5)
