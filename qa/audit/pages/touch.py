"""The page of touch: what all heads together read, and the probabilities before a hand moves."""

import re
from dataclasses import replace
from urllib.parse import parse_qs, urlparse

import numpy as np

from qa.audit.browser import wait
from qa.audit.ledger import Ledger
from qa.audit.numbers import NUMBER, check_stated, read_number, says
from qa.audit.page_reader import Seen
from qa.audit.pages.frame import check_frame
from qa.audit.pages.sent import check_run
from qa.audit.reference.files import Array
from qa.audit.truth import State, Truth, truth_of

URL = "touch"
_ODDS = ".loupe-touch-odds"


def check(seen: Seen, state: State, truth: Truth, ledger: Ledger) -> None:
    """Hold the answer and the board against the mean of all heads of cross-attention."""
    if not truth.translates:
        return
    seen.open(URL, state.query())
    check_frame(seen, truth, ledger)
    check_run(seen, truth, ledger)
    wait(seen.page, "() => auditAll('.loupe-touch-board, .loupe-notice').length > 0")
    seen.rest()
    query, (rows, columns) = seen.selection["query"], truth.axis("cross-attention")
    row = truth.weights("cross-attention").mean(axis=(0, 1))[query]
    said = seen.text(".loupe-answer")
    match = says(
        ledger,
        said,
        r"To write (.+?), the heads of all layers together put <%> of their weight on (.+?)\.",
        ("word that is written", rows[query]),
    )
    if match is None:
        ledger.note(f"another answer: {said[:80]}")
    else:
        near, place = [k for k, n in enumerate(columns) if n == match[3]], f"row {rows[query]}"
        if ledger.holds("word that is read", match[3], near, str(columns), place):
            value = max(row[near])
            check_stated(ledger, "share of all heads", match[2], value, place=place, slack=1e-5)
    _check_board(_board(seen), ledger, row, columns)
    if match := says(ledger, seen.text(".loupe-touch"), "largest difference of a logit <#>"):
        ledger.holds("badge: twin and PyTorch", match[0], read_number(match[1]).middle < 1e-3)
    _check_odds(seen.text(_ODDS), truth, ledger, query)
    if not state.changes:
        _check_drag(seen, state, row, query, ledger)


def _check_drag(seen: Seen, state: State, row: Array, query: int, ledger: Ledger) -> None:
    """Pull the strongest line to below another word, and hold what is shown meanwhile.

    How far it was pulled is known by the link, once the hand lets go.
    """
    spots = seen.page.evaluate(
        """() => auditAll('.loupe-touch-keys > li > button').map((b) => {
          const { x, y, width, height } = b.getBoundingClientRect();
          return [x + width / 2, y + height / 2];
        })"""
    )
    held = int(row.argmax())
    to = 0 if held > len(row) / 2 else len(row) - 1
    (x, y), (ends, low) = spots[held], spots[to]
    mouse = seen.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move((x + ends) / 2, low + 50, steps=4)
    mouse.move(ends, low + 50, steps=4)
    seen.page.wait_for_timeout(300)
    board, odds = _board(seen), seen.text(_ODDS)
    mouse.up()
    wait(seen.page, "() => new URLSearchParams(location.search).has('edits')")
    seen.rest()
    changes = parse_qs(urlparse(seen.page.url).query)["edits"][0]
    pulled = truth_of(replace(state, changes=changes))
    ledger.at("touch", f"{pulled.state}, while it is pulled")
    mean = pulled.weights("cross-attention").mean(axis=(0, 1))
    _check_board(board, ledger, mean[query], pulled.axis("cross-attention")[1])
    _check_odds(odds, pulled, ledger, query)
    ledger.at("touch", f"{pulled.state}, pulled by hand")
    check_run(seen, pulled, ledger)


def _board(seen: Seen) -> list[list[str]]:
    return seen.page.evaluate(
        """() => auditAll('.loupe-touch-keys > li').map((li) =>
          ['word', 'figure'].map((part) => auditText(li.querySelector(`.loupe-touch-${part}`))))"""
    )


def _check_board(shown: list[list[str]], ledger: Ledger, row: Array, columns: list[str]) -> None:
    ledger.same("words that are read", [name for name, _ in shown], columns)
    for (name, share), value in zip(shown, row, strict=False):
        if share not in ("", "✂"):
            check_stated(ledger, "figures of the board", share, value, place=name, slack=1e-5)


def _check_odds(said: str, truth: Truth, ledger: Ledger, query: int) -> None:
    shares = np.exp(truth.log_probabilities[query])
    for name, share in re.findall(rf"(\S+) ({NUMBER} %)", said):
        ids = [i for i, token in truth.words.target.names.items() if token == name]
        if ids:
            value = max(shares[ids])
            check_stated(ledger, "odds of a word", share, value, place=name, slack=1e-5)
