"""Long runs, some kinds of which are sent reduced: what is seen is of the whole head."""

import re

import numpy as np

from qa.audit.browser import wait
from qa.audit.ledger import Ledger
from qa.audit.numbers import NUMBER, check_stated
from qa.audit.page_reader import STEP, Seen, decode_codes
from qa.audit.pages.attention import check_card
from qa.audit.pages.sent import check_run
from qa.audit.reference.files import Array
from qa.audit.truth import State, Truth, truth_of

_SOURCE, _TARGET = ["the", "cat", "sleeps", "."], ["le", "chat", "dort", "."]
LONG = (
    State("english-french-paper-0", " ".join(_SOURCE * 28), target=" ".join(_TARGET * 60)),
    State("english-french-paper-0", " ".join(_SOURCE * 70), target=" ".join(_TARGET * 4)),
)
"""The encoder's matrices are small enough to stay whole in one, the decoder's in the other."""
_MASS_APART = 2e-3
"""Of the share that lines are drawn for: the steps of a row's codes add up."""


def check(seen: Seen, state: State, truth: Truth, ledger: Ledger) -> None:
    """Look at a head of each kind: its card, cells that are pointed at, the lines of its rows."""
    del state, truth
    for long in LONG:
        own = truth_of(long)
        for number, kind in enumerate(own.run.kinds):
            ledger.at("long", f"{long.checkpoint}, {len(own.source_ids)} tokens, {kind}")
            rows, columns = own.weights(kind).shape[2:]
            cell = {"kind": kind, "layer": 1, "head": 2, "query": rows // 2, "key": columns // 3}
            seen.open("attention", long.query(**cell))
            if not number:
                check_run(seen, own, ledger)
            _check_head(seen, own, ledger, kind)
            check_card(seen.text(".loupe-cell_words"), own, ledger, cell, kind)
            _check_tips(seen, own.weights(kind)[1, 2], ledger, kind)
            _check_lines(seen, own.weights(kind)[1, 2], ledger, kind)


def _check_head(seen: Seen, truth: Truth, ledger: Ledger, kind: str) -> None:
    """Where a kind is sent reduced, the head in view has to come apart, at full size."""
    weights, run = truth.weights(kind), seen.run()
    if run is None or run["kinds"][kind]["whole"]:
        ledger.holds("what is sent whole", kind, max(weights.shape[2:]) <= 164)
        return
    codes = np.asarray(run["heads"].get(f"{kind} 1 2", []))
    if codes.size != weights[1, 2].size:
        ledger.missing("the whole head")
        return
    sent = decode_codes(codes.reshape(weights.shape[2:]))
    ledger.numbers("weights of the head in view", sent, weights[1, 2], STEP, kind)


def _check_tips(seen: Seen, weights: Array, ledger: Ledger, kind: str) -> None:
    """Point at cells of the last map of the head, which shows those around the selected one."""
    shape = seen.page.evaluate(
        """() => {
          const frame = auditAll('.loupe-head .loupe-heatmap').filter((f) => f.shape?.cell).at(-1);
          frame.scrollIntoView({ block: 'center', behavior: 'instant' });
          const { x, y } = frame.querySelector('canvas').getBoundingClientRect();
          return { ...frame.shape, left: x + frame.shape.x, top: y + frame.shape.y };
        }"""
    )
    for row, column in ((0, 0), (3, 8), (9, 4), (7, 7), (9, 1)):
        high = shape.get("high", shape["cell"])
        seen.page.mouse.move(
            shape["left"] + (min(column, shape["columns"] - 1) + 0.5) * shape["cell"],
            shape["top"] + (min(row, shape["rows"] - 1) + 0.5) * high,
        )
        wait(seen.page, "() => auditAll('.loupe-tip').length > 0 && window.loupe.hover")
        at = seen.page.evaluate("() => ({...window.loupe.hover})")
        text, weight = seen.text(".loupe-tip"), weights[at["query"], at["key"]]
        place = f"{kind} ({at['query']}, {at['key']})"
        if match := re.search(rf"((?:below |above )?{NUMBER})\s*$", text):
            check_stated(ledger, "tooltip", match[1], weight, place=place, slack=1e-5)
        else:
            ledger.holds("tooltip", text, "masked" in text and weight == 0, f"{weight}", place)


def _check_lines(seen: Seen, weights: Array, ledger: Ledger, kind: str) -> None:
    """Hold which lines are drawn: the largest of a row that together reach the share."""
    drawn, labels, mass = seen.page.evaluate(
        """() => {
          const of = (s, ...names) =>
            auditAll(s).map((n) => names.map((name) => Number(n.dataset[name])));
          const labels = of('.loupe-lines text[data-column]', 'column');
          return [of('.loupe-lines path', 'row', 'column'), labels, loupe.display.lines / 100];
        }"""
    )
    if not drawn:
        ledger.missing("lines")
        return
    for row in sorted({row for row, _ in drawn}):
        own = weights[row]
        for (column,) in labels:
            is_drawn = [row, column] in drawn
            alike = own[column] + (2 * STEP if is_drawn else -2 * STEP)
            larger = float(np.delete(own, column)[np.delete(own, column) > alike].sum() / own.sum())
            right = larger < mass + _MASS_APART if is_drawn else larger > mass - _MASS_APART
            claim = f"{'a' if is_drawn else 'no'} line to column {column}"
            because = f"weight {own[column]:.4f}, larger ones {larger:.4f}"
            right = right or own[column] < STEP
            ledger.holds("lines for a share", claim, right, because, f"{kind} row {row}")
