"""Tables of the page: behind "As a table" buttons and as they stand, held against matrices."""

from collections.abc import Sequence

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import check_stated
from qa.audit.page_reader import Seen
from qa.audit.reference.files import Array

Cells = list[list[str]]


def open_all(seen: Seen) -> dict[str, Cells]:
    """Open every "As a table"; give the tables by their captions, marks left out."""
    seen.page.evaluate(
        """() => auditAll('.loupe-table-button[aria-expanded=false]').forEach((b) => b.click())"""
    )
    seen.page.wait_for_timeout(300)
    found = seen.page.evaluate(
        """() => auditAll('.loupe-as-table table').map((table) => [
          table.caption?.textContent ?? '',
          [...table.rows].map((r) => [...r.cells].map((c) => c.textContent.trim())),
        ])"""
    )
    return {" ".join(caption.split()): cells for caption, cells in found}


def captioned(tables: dict[str, Cells], start: str) -> Cells | None:
    """Find the table whose caption begins so."""
    return next((cells for caption, cells in tables.items() if caption.startswith(start)), None)


def headed(seen: Seen, words: str) -> Cells | None:
    """Find the first table of the page whose first line has these words."""
    return next((t for t in seen.tables() if t and words in " ".join(t[0])), None)


def check_matrix(
    ledger: Ledger,
    what: str,
    cells: Cells,
    values: Array,
    *,
    rows: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    mask: np.ndarray | None = None,
    place: str = "",
    slack: float = 0.0,
) -> None:
    """Hold a table with names along two sides against a matrix, or its first cells."""
    body = [line[1:] for line in cells[1:]]
    if not body:
        ledger.missing(what)
        return
    down, across = len(body), len(body[0])
    full = tuple(min(size, 60) for size in values.shape)
    if not ledger.same(what, (down, across), full, f"{place}: size"):
        return
    if rows is not None:
        ledger.same(
            f"{what}: names", [line[0] for line in cells[1:]], list(rows[:down]), f"{place}: rows"
        )
    if columns is not None:
        ledger.same(f"{what}: names", cells[0][1:], list(columns[:across]), f"{place}: columns")
    for r, line in enumerate(body):
        for c, text in enumerate(line):
            at = f"{place}: row {r}, column {c}"
            number, _, said = text.partition(",") if "masked" in text else (text, "", "")
            hidden = mask is not None and not mask[r, c]
            if hidden or said:
                ledger.same(f"{what}: masked", bool(said), hidden, at)
            if number and not (hidden and number == "masked"):
                check_stated(ledger, what, number, float(values[r, c]), place=at, slack=slack)
