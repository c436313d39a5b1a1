"""The Attention page: the answer in words, the large map, the thumbnails, the card of a cell."""

import numpy as np

from qa.audit.numbers import is_even, most, read_number
from qa.audit.page_reader import Cells, starting
from qa.audit.pages.cell import CELL, Chosen, check_card, check_numbers, place_of
from qa.audit.pages.maps import (
    check_lines,
    check_map,
    check_table,
    check_thumbnail_words,
    check_thumbnails,
)
from qa.audit.pages.run import check_frame, check_run
from qa.audit.reference.files import Array
from qa.audit.truth import State, Truth, known_pairs
from qa.audit.visit import Visit

_FOLDS = {"more_numbers": "true", "more_stages": "true", "more_heads": "true"}


def attention(visit: Visit) -> None:
    """Walk over the page: the cell that it opens with, then others of every kind."""
    visit.open("attention", visit.state.query())
    check_frame(visit)
    check_run(visit)
    _check_gold(visit)
    visit.open("attention", visit.state.query())
    last = look_around(visit)
    visit.open("attention", visit.state.query(**_FOLDS, **last))
    check_view(visit)
    _check_folds(visit)


def _check_gold(visit: Visit) -> None:
    """Check the run of a pair whose alignment is known."""
    truth = visit.truth
    if pairs := known_pairs(truth) if truth.translates else []:
        source, target = pairs[0]
        there = visit.of(State(visit.state.checkpoint, source, target, folder=visit.state.folder))
        there.open("attention", there.state.query())
        check_run(there)


def look_around(visit: Visit) -> Chosen:
    """Check the cell in view, then one of each kind; return the last one."""
    check_view(visit)
    cells = _cells(visit.truth)
    for cell in cells:
        visit.select(**{name: cell[name] for name in CELL[:3]})
        visit.select(**{name: cell[name] for name in CELL[3:]})
        check_view(visit)
    return cells[-1]


def check_view(visit: Visit) -> None:
    """Check everything that follows the selection against the reference."""
    chosen = visit.selection
    weights = visit.truth.weights(chosen["kind"])[chosen["layer"], chosen["head"]]
    there = visit.at(place_of(chosen))
    _check_answer(there, weights, chosen)
    written = visit.page.locator(".head-rest:visible")
    if written.count():  # at first only the prompt is drawn
        _check_map(there, weights, chosen["kind"], len(visit.truth.prompt))
        written.click()
        visit.rest()
    _check_map(there, weights, chosen["kind"])
    check_lines(there, weights)
    check_thumbnails(visit, chosen["kind"])
    check_thumbnail_words(visit, chosen["kind"], chosen["query"])
    check_card(visit, visit.text(".loupe-cell_words"), chosen)


def _check_map(visit: Visit, weights: Array, kind: str, shown: int | None = None) -> None:
    """Check the large map and its table, for the first tokens or for all."""
    check_map(visit, ".loupe-head .loupe-heatmap", "the large map", weights, kind, shown)
    check_table(visit, weights, kind, shown)


def _cells(truth: Truth) -> list[Chosen]:
    """Choose one cell of each kind, each in another head, on the largest weight or beside it."""
    found = []
    for i, kind in enumerate(truth.run.kinds):
        weights = truth.weights(kind)
        layer, head = weights.shape[0] - 1 - i % weights.shape[0], (2 * i + 1) % weights.shape[1]
        query = (weights.shape[2] - 1) * (i + 1) // (i + 2)
        order = np.argsort(-weights[layer, head, query])
        key = int(order[min(i, len(order) - 1)])
        found.append(dict(zip(CELL, (kind, layer, head, query, key), strict=True)))
    return found


def _check_answer(visit: Visit, weights: Array, chosen: Chosen) -> None:
    """Check "it reads animal most: 87%", and the head that the sentence names."""
    rows, columns = visit.truth.axis(chosen["kind"])
    query, key = chosen["query"], chosen["key"]
    row, said, where = weights[query], visit.text(".reading-answer"), visit.text(".reading-where")
    what, share, best = "what the row reads most", "share that is stated", most(columns, row)
    if row.argmax() == query and chosen["kind"] != "cross-attention":
        best.append("itself")
    reader, largest = ("reader that is named", rows[query]), (share, row.max())
    begins, mask = r"^(?:To write )?(.+?)(?:, the model)? reads ", visit.truth.mask(chosen["kind"])
    if is_evenly := "about equally" in said:
        pattern = rf"{begins}all words about equally: at most <%>, on (.+?)\."
        visit.says(said, pattern, reader, largest, (what, best), missing=what)
    else:
        pattern = rf"{begins}(.+) most: <%>\."
        visit.says(said, pattern, reader, (what, best), largest, missing=what)
    if (computed := is_even(row, int(mask[query].sum()))) is not None:
        visit.same("whether a row is even", is_evenly, computed)
    claims = ("key that is named", columns[key]), (share, row[key])
    match = visit.says(said, r"The selected (.+) gets (?:<%>|(nothing))", *claims)
    if match and match[3]:
        visit.holds(share, said, row[key] < 5e-4, f"{row[key]:.4g}")
    what, heading = "head that is named", visit.text(".loupe-head .loupe-heading")
    claims = (what, chosen["layer"]), (what, chosen["head"])
    visit.says(heading, r"[Ll]ayer (\d+), head (\d+)", *claims, missing=what)
    together = weights.mean(axis=0)
    best = ("what all rows read most", most(columns, together))
    pattern, count = r"All (\d+) rows together read (.+) most: <%>", ("rows", len(weights))
    visit.says(where, pattern, count, best, ("share of all rows", together.max()))


def _check_folds(visit: Visit) -> None:
    chosen = visit.selection
    check_numbers(visit, chosen)
    kind, layer, head = (chosen[name] for name in CELL[:3])
    there = visit.at(f"{kind} L{layer} H{head}")
    _check_stages(there, kind, layer, head)
    _check_badges(there, kind)
    _check_heads_table(visit)


_STAGED = 32
"""The largest number of tokens of a side that the stages show whole."""
_STAGES = (
    ("products", "q · k", 3e-5),
    ("scores", "÷ √d_k", 3e-5),
    ("masked_scores", "mask", 3e-5),
    ("weights", "softmax", 6e-6),
    ("value", "values", 6e-6),
    ("heads", "weights × values", 6e-6),
)
"""The reference's name for each stage, its meaning, and the float32 tolerance."""


def _check_stages(visit: Visit, kind: str, layer: int, head: int) -> None:
    """Read the tables behind the pictures of the stages."""
    rows, columns = visit.truth.axis(kind)
    if max(len(rows), len(columns)) > _STAGED:
        visit.note("stages of a long text, which show a part of it")
        return
    tables, mask = visit.captioned(), visit.truth.mask(kind)
    for number, (name, title, slack) in enumerate(_STAGES, 1):
        visit.matrix(
            f"stage: {title}",
            starting(tables, f"{number} ") or [],
            visit.truth.run.stacked(kind, name)[layer, head],
            rows=columns if name == "value" else rows,
            columns=() if name in ("value", "heads") else columns,
            mask=mask if name in ("masked_scores", "weights") else None,
            slack=slack,
        )


def _check_badges(visit: Visit, kind: str) -> None:
    text = visit.text()
    for what, pattern, limit in (
        ("badge: rows sum to 1", "rows sum to 1 ± <#>", 1e-5),
        ("badge: float64", "agrees with float64 ± <#>", 1e-4),
    ):
        if match := visit.says(text, pattern):
            visit.holds(what, match[0], read_number(match[1]).middle < limit)
    hidden = ("badge: masked cells", int((~visit.truth.mask(kind)).sum()))
    masked = r"(?:nothing is masked here|masked weights are exactly 0),? (\d+) cells?"
    visit.says(text, masked, hidden)


def _check_heads_table(visit: Visit) -> None:
    """Check the rows of the table that the grid has in the page against the reference."""
    table: Cells = []
    for grid in visit.page.locator("[data-testid=stDataFrame]").all():
        grid.scroll_into_view_if_needed()  # it has no rows before that
        visit.rest()
        found = (t for t in visit.tables() if t and "By chance" in " ".join(t[0]))
        table = table or next(found, [])
    if not table:
        visit.missing("table of the heads")
    for cells in table[1:]:
        entry = dict(zip(table[0], cells, strict=False))
        if not entry.get("Layer", "").isdigit() or entry["Kind"] not in visit.truth.run.kinds:
            continue
        layer, head = int(entry["Layer"]), int(entry["Head"])
        there = visit.at(f"{entry['Kind']} L{layer} H{head}")
        total = visit.truth.weights(entry["Kind"])[layer, head].sum(axis=0)
        if (at := entry.get("at", "")).isdigit():
            best, what = np.flatnonzero(total >= total.max() - 1e-5), "most read, in the table"
            there.among(what, int(at), best.tolist())
            there.same(what, entry["Most read"], visit.truth.axis(entry["Kind"])[1][int(at)])
        for name in filter(entry.get, ("How often", "By chance")):
            there.holds("shares in the table", name, 0 <= float(entry[name]) <= 1, entry[name])
