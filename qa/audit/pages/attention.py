"""The page of attention: the answer in words, the large map, the thumbnails, the card of a cell."""

import re

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import NUMBER, check_stated, most, read_number, says
from qa.audit.page_reader import Seen, shades
from qa.audit.pages.frame import check_frame
from qa.audit.pages.sent import check_run
from qa.audit.reference.files import Array
from qa.audit.tables import captioned, check_matrix, headed, open_all
from qa.audit.truth import State, Truth

URL = "attention"
_SHADE = 0.5 / 200 + 1e-4
"""A colour is one of 201."""
_FOLDS = {"more_numbers": "true", "more_stages": "true", "more_heads": "true"}


def check(seen: Seen, state: State, truth: Truth, ledger: Ledger) -> None:
    """Walk over the page: the cell that it opens with, then others of every kind."""
    seen.open(URL, state.query())
    check_frame(seen, truth, ledger)
    check_run(seen, truth, ledger)
    check_view(seen, truth, ledger)
    for kind, layer, head, query, key in _cells(truth):
        seen.select(kind=kind, layer=layer, head=head)
        seen.select(query=query, key=key)
        check_view(seen, truth, ledger)
    seen.open(URL, state.query(**_FOLDS, **_folded(truth)))
    check_view(seen, truth, ledger)
    _check_folds(seen, truth, ledger)


def check_view(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    """Hold all that follows the selection against the reference."""
    chosen = seen.selection
    weights = truth.weights(chosen["kind"])[chosen["layer"], chosen["head"]]
    place = "{kind} L{layer} H{head}, row {query}, column {key}".format(**chosen)
    _check_answer(seen, truth, ledger, weights, chosen, place)
    _check_map(seen, truth, ledger, weights, chosen, place)
    _check_thumbnails(seen, truth, ledger, chosen["kind"])
    _check_said(seen, truth, ledger, weights, chosen, place)
    check_card(seen.text(".loupe-cell_words"), truth, ledger, chosen, place)


def _cells(truth: Truth) -> list[tuple[str, int, int, int, int]]:
    """One cell of each kind: in another head each time, on the largest weight or beside it."""
    found = []
    for i, kind in enumerate(truth.run.kinds):
        weights = truth.weights(kind)
        layer, head = weights.shape[0] - 1 - i % weights.shape[0], (2 * i + 1) % weights.shape[1]
        query = (weights.shape[2] - 1) * (i + 1) // (i + 2)
        row = weights[layer, head, query]
        order = np.argsort(-row)
        found.append((kind, layer, head, query, int(order[min(i, len(order) - 1)])))
    return found


def _folded(truth: Truth) -> dict[str, object]:
    kind, layer, head, query, key = _cells(truth)[-1]
    return {"kind": kind, "layer": layer, "head": head, "query": query, "key": key}


def _check_answer(
    seen: Seen, truth: Truth, ledger: Ledger, weights: Array, chosen: dict, place: str
) -> None:
    """Judge "it reads animal most: 87 %", and which head it is said of."""
    rows, columns = truth.axis(chosen["kind"])
    query, key = chosen["query"], chosen["key"]
    row, said, where = weights[query], seen.text(".reading-answer"), seen.text(".reading-where")
    best = most(columns, row)
    if row.argmax() == query and chosen["kind"] != "cross-attention":
        best.append("itself")
    says(
        ledger,
        said,
        r"^(?:To write )?(.+?)(?:, the model)? reads (.+) most: <%>\.",
        ("reader that is named", rows[query]),
        ("what the row reads most", best),
        ("share that is stated", row.max()),
        place=place,
        missing="what the row reads most",
    )
    match = says(
        ledger,
        said,
        r"The selected (.+) gets (?:<%>|(nothing))",
        ("key that is named", columns[key]),
        ("share that is stated", row[key]),
        place=place,
    )
    if match and match[3]:
        ledger.holds("share that is stated", said, row[key] < 5e-4, f"{row[key]:.4g}", place)
    says(
        ledger,
        where,
        r"This is layer (\d+), head (\d+)",
        ("head that is named", chosen["layer"]),
        ("head that is named", chosen["head"]),
        place=place,
        missing="head that is named",
    )
    together = weights.mean(axis=0)
    says(
        ledger,
        where,
        r"All rows together read (.+) most: <%>",
        ("what all rows read most", most(columns, together)),
        ("share of all rows", together.max()),
        place=place,
    )


def _check_map(
    seen: Seen, truth: Truth, ledger: Ledger, weights: Array, chosen: dict, place: str
) -> None:
    """Read the map back: the colour at each cell's centre, the words at its edges."""
    kind, maps = chosen["kind"], seen.maps(".loupe-head .loupe-heatmap")
    if not maps:
        ledger.missing("the large map")
        return
    what, mask = "colours of the large map", truth.mask(kind)
    check_colours(ledger, what, maps[0], weights, mask, seen, place)
    check_labels(ledger, "labels of the large map", maps[0], *truth.axis(kind), place)


def check_colours(
    ledger: Ledger, what: str, drawn: dict, weights: Array, mask: np.ndarray, seen: Seen, place: str
) -> None:
    """Hold the colours of a picture of weights against them; masked cells have none."""
    shares, off = shades(drawn["colours"], seen.palette()["scale"])
    if not ledger.same(what, shares.shape, weights.shape, f"{place}: shape"):
        return
    shown = mask | (weights > 0)
    steady = np.abs(weights * 200 % 1 - 0.5) > 0.005  # where a step of the code is no other colour
    cells = [f"{place}: row {r}, column {c}" for r, c in np.argwhere(shown & steady)]
    ledger.numbers(what, shares[shown & steady], weights[shown & steady], _SHADE + 2e-5, cells)
    ledger.numbers(f"{what}: in the scale", off[shown], np.zeros(int(shown.sum())), 4.0)


def check_labels(
    ledger: Ledger, what: str, drawn: dict, rows: list[str], columns: list[str], place: str
) -> None:
    """Hold the words beside a picture against the tokens: each at its own row or column."""
    shape = drawn["shape"]
    high = shape.get("high", shape["cell"])
    found: dict[str, dict[int, list[str]]] = {"row": {}, "column": {}}
    for word in drawn["words"]:
        row = (word["y"] - shape["y"]) / high - 0.5
        column = (word["x"] - shape["x"]) / shape["cell"] - 0.5
        if word["x"] < shape["x"] and _is_at(row, rows):
            found["row"].setdefault(round(row), []).append(word["text"])
        elif word["y"] < shape["y"] and _is_at(column, columns):
            found["column"].setdefault(round(column), []).append(word["text"])
    for names, side in ((rows, "row"), (columns, "column")):
        for i, texts in sorted(found[side].items()):
            right = any(t == names[i] or _begins(t, names[i]) for t in texts)
            ledger.holds(what, " / ".join(texts), right, f"{side} {i} is {names[i]}", place)
    if shape.get("labelled", {}).get("rows") and shape["cell"] >= 14:
        all_rows = list(range(len(rows)))
        ledger.same(what, sorted(found["row"]), all_rows, f"{place}: rows that have one")


def _is_at(place: float, names: list[str]) -> bool:
    return abs(place - round(place)) < 0.2 and 0 <= round(place) < len(names)


def _begins(text: str, name: str) -> bool:
    return text.endswith("…") and name.startswith(text[:-1])


def _check_thumbnails(seen: Seen, truth: Truth, ledger: Ledger, kind: str) -> None:
    """Hold each small picture of a head against its weights: cells that are a pixel or more."""
    thumbs = seen.page.evaluate(
        """() => auditAll('.loupe-heads .loupe-thumb').map((button) => {
          const canvas = button.querySelector('canvas');
          const { width, height } = canvas;
          const data = canvas.getContext('2d').getImageData(0, 0, width, height).data;
          return { width, height, label: button.getAttribute('aria-label') ?? button.title,
            pixels: Array.from(data) };
        })"""
    )
    weights = truth.weights(kind)
    layers, heads, rows, columns = weights.shape
    if len(thumbs) != layers * heads:
        return  # all three kinds at once, or sorted
    scale = seen.palette()["scale"]
    mask = truth.mask(kind)
    for i, thumb in enumerate(thumbs):
        wide, high = thumb["width"] / columns, thumb["height"] / rows
        if min(wide, high) < 2:
            ledger.note("thumbnails with less than 2 pixels a cell")
            return
        pixels = np.asarray(thumb["pixels"]).reshape(thumb["height"], thumb["width"], 4)[..., :3]
        at = np.ix_(
            ((np.arange(rows) + 0.5) * high).astype(int),
            ((np.arange(columns) + 0.5) * wide).astype(int),
        )
        shares, _ = shades(pixels[at], scale)
        own = weights[divmod(i, heads)]
        shown = mask & (np.abs(own * 200 % 1 - 0.5) > 0.005)
        ledger.numbers(
            "colours of the small maps",
            shares[shown],
            own[shown],
            _SHADE + 2e-5,
            f"{kind} L{i // heads} H{i % heads}: cell",
        )


def _check_said(
    seen: Seen, truth: Truth, ledger: Ledger, weights: Array, chosen: dict, place: str
) -> None:
    """Judge the lines under the map: the weight of the cell, the shares of the row."""
    rows, columns = truth.axis(chosen["kind"])
    row, names = weights[chosen["query"]], (rows[chosen["query"]], columns[chosen["key"]])
    said = seen.text(".loupe-head .loupe-said")
    what = "weight under the map"
    if says(ledger, said, "weight <#>", (what, row[chosen["key"]]), place=place):
        both = all(name in said for name in names)
        ledger.holds("cell under the map", said, both, " and ".join(names), place)
    elif not any(word in said for word in ("mask", "below", "above")):
        ledger.missing(what)
    line = seen.text(".loupe-head .loupe-row-said")
    shares = re.findall(rf"({NUMBER} %) (.+?)(?:, (?=[\d.]+ %)| and (?=[\d.]+ %)|$|\.$)", line)
    order = np.argsort(-row, kind="stable")
    for rank, (text, name) in enumerate(shares):
        low, high = read_number(text)
        near = [columns[k] for k in range(len(row)) if low - 1e-5 <= row[k] <= high + 1e-5]
        near = near or [columns[order[rank]]]
        ledger.among("shares of the row", name.strip(), near, f"{place}: {text}")


def check_card(text: str, truth: Truth, ledger: Ledger, chosen: dict, place: str) -> None:
    """Judge the story of a cell: score, weight, rank, next, value, share of the heads' output."""
    if not text:
        return
    kind, layer, head = chosen["kind"], chosen["layer"], chosen["head"]
    query, key = chosen["query"], chosen["key"]
    rows, columns = truth.axis(kind)
    row = truth.weights(kind)[layer, head, query]
    named = rows[query] in text and columns[key] in text
    ledger.holds("cell of the card", text[:80], named, place=place)
    of_head, of_weight = ("head of the card", head), ("weight on the card", row[key])
    says(ledger, text, r"in head (\d+)\? <#> of the weight", of_head, of_weight, place=place)
    counted = ("keys that the card counts", int(truth.mask(kind)[query].sum()))
    match = says(ledger, text, r"the (?:(\w+) )?most of (\d+) keys", None, counted, place=place)
    names = [None, "second", "third", "fourth", "fifth"]
    rank = int((row > row[key] + 1e-7).sum())
    if match and rank < len(names) and match[1] in names:
        above, below = (int((row > row[key] + d).sum()) for d in (1e-6, -1e-6))
        near = [rank, above, max(below - 1, 0)]
        ledger.among("rank on the card", names.index(match[1]), near, place)
    score = ("score on the card", truth.run.stacked(kind, "scores")[layer, head, query, key])
    says(ledger, text, "match with <#>", score, place=place, slack=2e-5)
    share = ("share on the card", row[key])
    match = says(ledger, text, "that is <%>(?:; next, (.+?) has <%>)?", share, place=place)
    if match and match[3] and row[key] >= row.max() - 1e-7:
        others = [k for k in range(len(row)) if k != key]
        lower = row[others]
        near = most([columns[k] for k in others], lower)
        ledger.among("next on the card", match[2], near, place)
        check_stated(ledger, "next on the card", match[3], lower.max(), place=place)
    says(ledger, text, "takes <%> of what", share, place=place)
    for apart in re.findall(r"agrees with float64, difference ([\d.]+e[−-]\d+|[\d.]+)", text):
        ledger.holds("badges of the card", apart, read_number(apart).middle < 1e-4, place=place)


def check_products(
    tables: list[list[list[str]]], truth: Truth, ledger: Ledger, chosen: dict, place: str
) -> None:
    """Hold each q, k and q · k of the selected cell that stands in a table."""
    kind, layer, head = chosen["kind"], chosen["layer"], chosen["head"]
    query = truth.run.stacked(kind, "query")[layer, head, chosen["query"]]
    key = truth.run.stacked(kind, "key")[layer, head, chosen["key"]]
    found = [line for table in tables if table and "product" in table[0] for line in table]
    lines = [line for line in found if len(line) == 7 and line[0].isdigit()]
    if not lines:
        ledger.missing("products of the cell")
    for line in lines:
        i = int(line[0])
        for text, value in zip(line[1::2], (query[i], key[i], query[i] * key[i]), strict=True):
            check_stated(ledger, "products of the cell", text, value, place=place, slack=2e-5)


def _check_folds(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    chosen = seen.selection
    check_products(seen.tables(), truth, ledger, chosen, "the cell's numbers")
    kind, layer, head = chosen["kind"], chosen["layer"], chosen["head"]
    place = f"{kind} L{layer} H{head}"
    _check_stages(seen, truth, ledger, kind, layer, head, place)
    _check_badges(seen, truth, ledger, kind, place)
    _check_heads_table(seen, truth, ledger)


_STAGED = 32
"""Tokens of a side up to which the stages show all of it."""
_STAGES = {
    1: ("products", "q · k"),
    2: ("scores", "÷ √d_k"),
    3: ("masked_scores", "mask"),
    4: ("weights", "softmax"),
    5: ("value", "values"),
    6: ("heads", "weights × values"),
}
"""The stages by their numbers: what the reference calls them, and what they are."""


def _check_stages(
    seen: Seen, truth: Truth, ledger: Ledger, kind: str, layer: int, head: int, place: str
) -> None:
    """Read the tables behind the stages' pictures."""
    rows, columns = truth.axis(kind)
    if max(len(rows), len(columns)) > _STAGED:
        ledger.note("stages of a long text, which show a part of it")
        return
    tables = open_all(seen)
    mask = truth.mask(kind)
    for number, (name, title) in _STAGES.items():
        cells = captioned(tables, f"{number} ")
        if cells is None:
            ledger.missing(f"stage {number}")
            continue
        values = truth.run.stacked(kind, name)[layer, head]
        is_map = name in ("products", "scores", "masked_scores", "weights")
        check_matrix(
            ledger,
            f"stage: {title}",
            cells,
            values,
            rows=columns if name == "value" else rows,
            columns=columns if is_map else None,
            mask=mask if name in ("masked_scores", "weights") else None,
            place=place,
            slack=3e-5 if name in ("products", "scores", "masked_scores") else 6e-6,
        )


def _check_badges(seen: Seen, truth: Truth, ledger: Ledger, kind: str, place: str) -> None:
    text = seen.text()
    hidden = ("badge: masked cells", int((~truth.mask(kind)).sum()))
    for what, pattern, limit in (
        ("badge: rows sum to 1", "rows sum to 1 ± <#>", 1e-5),
        ("badge: float64", "agrees with float64 from q, k and mask ± <#>", 1e-4),
    ):
        if match := says(ledger, text, pattern):
            ledger.holds(what, match[0], read_number(match[1]).middle < limit, place=place)
    masked = r"(?:nothing is masked here|masked weights are exactly 0),? (\d+) cells?"
    says(ledger, text, masked, hidden, place=place)


def _check_heads_table(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    """Hold the rows of the table that the grid has in the page against the reference."""
    rows = None
    for grid in seen.locate("[data-testid=stDataFrame]").all():
        grid.scroll_into_view_if_needed()  # it has no rows before that
        seen.rest()
        rows = rows or headed(seen, "By chance")
    if not rows or "Head" not in rows[0]:
        ledger.missing("table of the heads")
        return
    names = rows[0]
    for cells in rows[1:]:
        entry = dict(zip(names, cells, strict=False))
        if not entry.get("Layer", "").isdigit() or entry["Kind"] not in truth.run.kinds:
            continue
        weights = truth.weights(entry["Kind"])[int(entry["Layer"]), int(entry["Head"])]
        place = f"{entry['Kind']} L{entry['Layer']} H{entry['Head']}"
        total, at = weights.sum(axis=0), entry.get("at", "")
        if at.isdigit():
            best = [int(k) for k in np.flatnonzero(total >= total.max() - 1e-5)]
            name = truth.axis(entry["Kind"])[1][int(at)]
            ledger.among("most read, in the table", int(at), best, place)
            ledger.same("most read, in the table", entry["Most read"], name, place)
        for name in filter(entry.get, ("How often", "By chance")):
            said = f"{name} {entry[name]}"
            ledger.holds("shares in the table", said, 0 <= float(entry[name]) <= 1, place=place)
