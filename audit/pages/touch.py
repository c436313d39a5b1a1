"""The page of touch: what all heads together read, and the probabilities before a hand moves."""

import re

import numpy as np

from audit.browser import wait
from audit.ledger import Ledger
from audit.numbers import NUMBER, check_stated, read_number
from audit.pages.frame import check_frame
from audit.pages.sent import check_run
from audit.seen import Seen
from audit.truth import State, Truth

URL = "touch"


def check(seen: Seen, state: State, truth: Truth, ledger: Ledger) -> None:
    """Hold the answer and the board against the mean of all heads of cross-attention."""
    if not truth.translates:
        return
    seen.open(URL, state.query())
    check_frame(seen, truth, ledger)
    check_run(seen, truth, ledger)
    wait(seen.page, "() => auditAll('.loupe-touch-board, .loupe-notice').length > 0")
    seen.rest()
    mean = truth.weights("cross-attention").mean(axis=(0, 1))
    said = seen.text(".loupe-answer")
    rows, columns = truth.axis("cross-attention")
    chosen = seen.selection
    row = mean[chosen["query"]]
    match = re.search(
        rf"To write (.+?), the heads of all layers together put ({NUMBER} %) "
        r"of their weight on (.+?)\.",
        said,
    )
    if match is None:
        ledger.note(f"another answer: {said[:80]}")
    else:
        ledger.same("word that is written", match[1], rows[chosen["query"]])
        best = [columns[k] for k in np.flatnonzero(row >= row.max() - 1e-6)]
        place = f"row {rows[chosen['query']]}"
        near = [k for k in range(len(row)) if columns[k] == match[3]]
        ledger.holds("word that is read", match[3], bool(near), str(columns), place)
        if near:
            check_stated(
                ledger,
                "share of all heads",
                match[2],
                max(row[k] for k in near),
                place=place,
                slack=1e-5,
            )
        del best
    _check_board(seen, ledger, row, columns)
    _check_odds(seen, truth, ledger, chosen["query"])


def _check_board(seen: Seen, ledger: Ledger, row: np.ndarray, columns: list[str]) -> None:
    shown = seen.page.evaluate(
        """() => auditAll('.loupe-touch-keys > li').map((li) =>
          ['word', 'figure'].map((part) => auditText(li.querySelector(`.loupe-touch-${part}`))))"""
    )
    if len(shown) != len(columns):
        ledger.same("words that are read", len(shown), len(columns))
        return
    for k, (name, share) in enumerate(shown):
        ledger.same("words that are read", name, columns[k])
        if share:
            check_stated(
                ledger, "figures of the board", share, float(row[k]), place=name, slack=1e-5
            )
    if match := re.search(rf"largest difference of a logit ({NUMBER})", seen.text(".loupe-touch")):
        ledger.holds("badge: twin and PyTorch", match[0], read_number(match[1]).middle < 1e-3)


def _check_odds(seen: Seen, truth: Truth, ledger: Ledger, query: int) -> None:
    said = seen.text(".loupe-touch-odds")
    logs = truth.log_probabilities[query]
    for name, share in re.findall(rf"(\S+) ({NUMBER} %)", said):
        ids = [i for i, token in truth.words.target.names.items() if token == name]
        if ids:
            check_stated(
                ledger,
                "odds of a word",
                share,
                float(max(np.exp(logs[ids]))),
                place=name,
                slack=1e-5,
            )
