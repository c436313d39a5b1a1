"""The page of attention: the answer in words, the large map, the thumbnails, the card of a cell."""

import math
import re

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import NUMBER, check_stated, read_number
from qa.audit.pages.frame import check_frame
from qa.audit.pages.sent import check_run
from qa.audit.reference.files import Array
from qa.audit.seen import Seen, shades
from qa.audit.tables import check_matrix, open_all
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
    row = weights[chosen["query"]]
    said = seen.text(".reading-answer")
    pattern = (
        rf"^(?:To write )?(.+?)(?:, the model)? reads (.+) most: ((?:over |under )?{NUMBER} %)\."
    )
    match = re.match(pattern, said)
    if match is None:
        ledger.missing("what the row reads most")
        return
    ledger.same("reader that is named", match[1], rows[chosen["query"]], place)
    best = [columns[k] for k in np.flatnonzero(row >= row.max() - 1e-6)]
    if row.argmax() == chosen["query"] and match[2] == "itself":
        ledger.holds(
            "what the row reads most", said, chosen["kind"] != "cross-attention", place=place
        )
    else:
        ledger.among("what the row reads most", match[2], best, place)
    check_stated(ledger, "share that is stated", match[3], row.max(), place=place)
    if match := re.search(rf"The selected (.+) gets ({NUMBER} %|nothing|under .*? %)", said):
        ledger.same("key that is named", match[1], columns[chosen["key"]], place)
        value = row[chosen["key"]]
        if match[2] == "nothing":
            ledger.holds("share that is stated", said, value < 5e-4, f"{value:.4g}", place)
        else:
            check_stated(ledger, "share that is stated", match[2], value, place=place)
    where = seen.text(".reading-where")
    if match := re.search(r"This is layer (\d+), head (\d+)", where):
        ledger.same(
            "head that is named",
            [int(n) for n in match.groups()],
            [chosen["layer"], chosen["head"]],
            place,
        )
    else:
        ledger.missing("head that is named")
    if match := re.search(rf"All rows together read (.+) most: ({NUMBER} %)", where):
        together = weights.sum(axis=0) / len(weights)
        ledger.among(
            "what all rows read most",
            match[1],
            [columns[k] for k in np.flatnonzero(together >= together.max() - 1e-6)],
            place,
        )
        check_stated(ledger, "share of all rows", match[2], together.max(), place=place)


def _check_map(
    seen: Seen, truth: Truth, ledger: Ledger, weights: Array, chosen: dict, place: str
) -> None:
    """Read the map back: the colour at each cell's centre, the words at its edges."""
    maps = seen.maps(".loupe-head .loupe-heatmap")
    if not maps:
        ledger.missing("the large map")
        return
    drawn = maps[0]
    check_colours(
        ledger, "colours of the large map", drawn, weights, truth.mask(chosen["kind"]), seen, place
    )
    check_labels(ledger, "labels of the large map", drawn, *truth.axis(chosen["kind"]), place)


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
    by_row: dict[int, list[str]] = {}
    by_column: dict[int, list[str]] = {}
    for word in drawn["words"]:
        row = (word["y"] - shape["y"]) / high - 0.5
        column = (word["x"] - shape["x"]) / shape["cell"] - 0.5
        if word["x"] < shape["x"] and abs(row - round(row)) < 0.2 and 0 <= round(row) < len(rows):
            by_row.setdefault(round(row), []).append(word["text"])
        elif (
            word["y"] < shape["y"]
            and abs(column - round(column)) < 0.2
            and 0 <= round(column) < len(columns)
        ):
            by_column.setdefault(round(column), []).append(word["text"])
    for names, found, side in ((rows, by_row, "row"), (columns, by_column, "column")):
        for i, texts in sorted(found.items()):
            right = [
                t
                for t in texts
                if t == names[i] or (t.endswith("…") and names[i].startswith(t[:-1]))
            ]
            ledger.holds(what, " / ".join(texts), bool(right), f"{side} {i} is {names[i]}", place)
    if shape.get("labelled", {}).get("rows") and shape["cell"] >= 14:
        ledger.same(what, sorted(by_row), list(range(len(rows))), f"{place}: rows that have one")


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
    row = weights[chosen["query"]]
    said = seen.text(".loupe-head .loupe-said")
    match = re.search(rf"weight ({NUMBER})", said)
    if match:
        check_stated(ledger, "weight under the map", match[1], row[chosen["key"]], place=place)
        ledger.holds(
            "cell under the map",
            said,
            rows[chosen["query"]] in said and columns[chosen["key"]] in said,
            f"{rows[chosen['query']]} and {columns[chosen['key']]}",
            place,
        )
    elif "mask" not in said and "below" not in said and "above" not in said:
        ledger.missing("weight under the map")
    line = seen.text(".loupe-head .loupe-row-said")
    shares = re.findall(rf"({NUMBER} %) (.+?)(?:, (?=[\d.]+ %)| and (?=[\d.]+ %)|$|\.$)", line)
    order = np.argsort(-row, kind="stable")
    for rank, (text, name) in enumerate(shares):
        low, high = read_number(text)
        near = [columns[k] for k in range(len(row)) if low - 1e-5 <= row[k] <= high + 1e-5]
        ledger.among(
            "shares of the row", name.strip(), near or [columns[order[rank]]], f"{place}: {text}"
        )


def check_card(text: str, truth: Truth, ledger: Ledger, chosen: dict, place: str) -> None:
    """Judge the story of a cell: score, weight, rank, next, value, share of the heads' output."""
    if not text:
        return
    kind, layer, head = chosen["kind"], chosen["layer"], chosen["head"]
    query, key = chosen["query"], chosen["key"]
    rows, columns = truth.axis(kind)
    row = truth.weights(kind)[layer, head, query]
    may = truth.mask(kind)[query]
    ledger.holds(
        "cell of the card", text[:80], rows[query] in text and columns[key] in text, place=place
    )
    if match := re.search(rf"in head (\d+)\? ({NUMBER}) of the weight", text):
        ledger.same("head of the card", int(match[1]), head, place)
        check_stated(ledger, "weight on the card", match[2], row[key], place=place)
    if match := re.search(r"the (?:(\w+) )?most of (\d+) keys", text):
        ledger.same("keys that the card counts", int(match[2]), int(may.sum()), place)
        rank = int((row > row[key] + 1e-7).sum())
        names = [None, "second", "third", "fourth", "fifth"]
        if rank < len(names) and (match[1] in names):
            near = [int((row > row[key] + d).sum()) for d in (1e-6, -1e-6)]
            ledger.among(
                "rank on the card",
                names.index(match[1]),
                [rank, near[0], max(near[1] - 1, 0)],
                place,
            )
    score = truth.run.stacked(kind, "scores")[layer, head, query, key]
    if match := re.search(rf"match with ({NUMBER})", text):
        check_stated(ledger, "score on the card", match[1], score, place=place, slack=2e-5)
    if match := re.search(
        rf"that is ((?:over |under )?{NUMBER} %)(?:; next, (.+?) has ({NUMBER} %|under [\d.]+ %))?",
        text,
    ):
        check_stated(ledger, "share on the card", match[1], row[key], place=place)
        if match[3]:
            others = np.delete(row, key)
            lower = others[others <= row[key] + 1e-7]
            if row[key] >= row.max() - 1e-7:
                names = [
                    columns[k] for k in range(len(row)) if k != key and row[k] >= lower.max() - 1e-6
                ]
                ledger.among("next on the card", match[2], names, place)
                check_stated(ledger, "next on the card", match[3], lower.max(), place=place)
    if match := re.search(rf"takes ((?:over |under )?{NUMBER} %) of what", text):
        check_stated(ledger, "share on the card", match[1], row[key], place=place)
    for difference in re.findall(r"agrees with float64, difference ([\d.]+e[−-]\d+|[\d.]+)", text):
        ledger.holds(
            "badges of the card", difference, read_number(difference).middle < 1e-4, place=place
        )


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
        cells = next((c for caption, c in tables.items() if caption.startswith(f"{number} ")), None)
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
    hidden = int((~truth.mask(kind)).sum())
    if match := re.search(rf"rows sum to 1 ± ({NUMBER})", text):
        ledger.holds(
            "badge: rows sum to 1", match[0], read_number(match[1]).middle < 1e-5, place=place
        )
    if match := re.search(
        r"(nothing is masked here|masked weights are exactly 0),? (\d+) cells?", text
    ):
        ledger.same("badge: masked cells", int(match[2]), hidden, place)
    if match := re.search(rf"agrees with float64 from q, k and mask ± ({NUMBER})", text):
        ledger.holds("badge: float64", match[0], read_number(match[1]).middle < 1e-4, place=place)


def _check_heads_table(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    """Hold the rows of the table that the grid has in the page against the reference."""
    seen.locate("[data-testid=stDataFrame]").first.scroll_into_view_if_needed()
    seen.rest()
    rows = [r for table in seen.tables() for r in table if len(r) >= 8 and "By chance" in table[0]]
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
        total = weights.sum(axis=0)
        best = [int(k) for k in np.flatnonzero(total >= total.max() - 1e-5)]
        columns = truth.axis(entry["Kind"])[1]
        if entry.get("at", "").isdigit():
            ledger.among("most read, in the table", int(entry["at"]), best, place)
            ledger.same(
                "most read, in the table", entry["Most read"], columns[int(entry["at"])], place
            )
        for name in ("How often", "By chance"):
            if entry.get(name):
                share = float(entry[name])
                ledger.holds(
                    "shares in the table",
                    f"{name} {share}",
                    0 <= share <= 1 and math.isfinite(share),
                    place=place,
                )
