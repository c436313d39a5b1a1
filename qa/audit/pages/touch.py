"""The Touch page: its answer, board and odds; pulled lines and cut words."""

import re
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import parse_qs, urlparse

import numpy as np

from qa.audit.browser import wait
from qa.audit.numbers import SHARE, read_number
from qa.audit.page_reader import SITE
from qa.audit.pages.run import check_frame, check_run
from qa.audit.reference.files import Array
from qa.audit.visit import Visit

CROSS = "cross-attention"
_ODDS = ".loupe-touch-odds"
_LEAST_SAID, _LEAST_LINE = 0.05, 0.01
"""The weight from which a share is written, and a line is drawn."""


class Held(NamedTuple):
    """The row of the board: of the mean of all heads, of a layer's, or of one."""

    kind: str
    scope: str
    layer: int
    head: int
    query: int

    def row(self, visit: Visit) -> Array:
        """Return its weights."""
        weights = visit.truth.weights(self.kind)
        layers = slice(None) if self.scope == "all" else [self.layer]
        heads = [self.head] if self.scope == "head" else slice(None)
        row = weights[layers][:, heads].mean(axis=(0, 1))[self.query]
        return row[: self.query + 1] if self.kind == "decoder self-attention" else row


class Board(NamedTuple):
    """The row that the board shows."""

    words: list[list[str]]
    """For each key: its word, its figure, its text, the height of its bar."""
    lines: dict[str, float]
    """The widths of the lines by key."""
    written: list[str]
    odds: str
    said: str


def touch(visit: Visit) -> None:
    """Check the answer and the board against the mean of all heads of cross-attention."""
    if not visit.truth.translates:
        return
    visit.open("touch", visit.state.query())
    check_frame(visit)
    check_run(visit)
    wait(visit.page, "() => auditAll('.loupe-touch-board, .loupe-notice').length > 0")
    visit.rest()
    held = held_in(visit)
    (rows, columns), row = visit.truth.axis(CROSS), held.row(visit)
    said, there = visit.text(".loupe-answer"), visit.at(f"row {rows[held.query]}")
    put = r"To write (.+?), the model looks most at (.+?): <%> of its attention"
    match = there.says(said, put, ("word that is written", rows[held.query]))
    if match is None:
        visit.note(f"another answer: {said[:80]}")
    elif there.holds("word that is read", match[2], match[2] in columns, columns):
        read = [weight for weight, name in zip(row, columns, strict=True) if name == match[2]]
        there.stated("share of all heads", match[3], max(read), 1e-5)
    check_board(visit, board_of(visit), held)
    tick = visit.page.evaluate("() => auditAll('.loupe-touch-check')[0]?.title ?? ''")
    if match := visit.says(tick, "largest relative difference of a probability <#>"):
        visit.holds("badge: twin and PyTorch", match[0], read_number(match[1]).middle < 2e-3)
    if not visit.state.changes:
        check_drag(visit, held)


def held_in(visit: Visit) -> Held:
    """Read which row is in view, and of which heads."""
    kind, scope = visit.page.evaluate(
        """() => [['cross-attention', 'encoder self-attention', 'decoder self-attention'],
            ['all', 'layer', 'head']].map((values) => values.find((value) => document.querySelector(
              `.loupe-touch-tools [data-value="${value}"][aria-pressed=true]`)))"""
    )
    chosen = visit.selection
    return Held(kind or CROSS, scope or "all", *(chosen[n] for n in ("layer", "head", "query")))


def check_drag(visit: Visit, held: Held) -> Visit:
    """Pull the strongest line below another word, and check the page meanwhile and afterwards.

    The length of the pull is known once the button is released. Return the visit of the changed
    run.
    """
    spots = visit.page.evaluate(
        """() => {
          auditAll('.loupe-touch-board')[0].scrollIntoView({ block: 'center' });
          return auditAll('.loupe-touch-keys > li > button').map((b) => {
            const { x, y, width, height } = b.getBoundingClientRect();
            return [x + width / 2, y + height / 2];
          });
        }"""
    )
    row = held.row(visit)
    strongest = int(row.argmax())
    (x, y), (ends, low) = spots[strongest], spots[0 if strongest >= len(row) / 2 else -1]
    mouse = visit.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move((x + ends) / 2, low + 50, steps=4)
    mouse.move(ends, low + 50, steps=4)
    visit.page.wait_for_timeout(300)
    board = board_of(visit)
    mouse.up()
    pulled = visit.of(replace(visit.state, changes=changes_made(visit)))
    during = pulled.at("while it is pulled")
    check_board(during, board, held)
    pattern, share = "^<%> of the weight", re.search(r";a([\d.]+)$", pulled.state.changes)
    amount = float(share[1]) if share else 1.0
    what = ("share that is pulled", amount)
    during.says(board.said, pattern, what, missing=what[0])
    check_touched(pulled.at("pulled by hand"), visit, held)
    return pulled


def changes_made(visit: Visit) -> str:
    """Wait for the changes of the run in view, as in the link."""
    if visit.frame is not SITE:
        wait(visit.page, "() => new URLSearchParams(location.search).has('edits')")
        visit.rest()
        return parse_qs(urlparse(visit.page.url).query)["edits"][0]
    visit.rest()
    return "~".join(
        ";".join(
            [
                f"{made['kind']}!{made['name']}",
                *([] if made["head"] is None else [f"h{made['head']}"]),
                "r" + "_".join(map(str, made["rows"])),
                "c" + "_".join(map(str, made["columns"])),
                *([f"a{made['amount']}"] if made["kind"] == "point" else []),
            ]
        )
        for made in visit.traced()["interventions"]
    )


def check_touched(pulled: Visit, before: Visit, held: Held) -> None:
    """Check a changed run: the browser's tensors, its board, and the text about it."""
    check_run(pulled)
    board = board_of(pulled)
    check_board(pulled, board, held)
    _check_said(pulled, before, board.said, held)


def board_of(visit: Visit) -> Board:
    return Board(
        *visit.page.evaluate(
            """() => [
              auditAll('.loupe-touch-keys > li').map((li) => [
                ...['word', 'figure'].map((part) =>
                  auditText(li.querySelector(`.loupe-touch-${part}`))),
                li.querySelector('button').getAttribute('aria-label'),
                li.style.getPropertyValue('--weight'),
              ]),
              Object.fromEntries(auditAll('.loupe-touch-line').filter((l) =>
                l.getAttribute('opacity') !== '0').map((line) =>
                [line.dataset.id.split(' ')[1], Number(line.getAttribute('stroke-width'))])),
              (auditAll('.loupe-touch-result li').length ? auditAll('.loupe-touch-result li')
                : auditAll('.loupe-touch-rows li')).map((li) => li.lastChild)
                .filter((word) => !word.hidden).map(auditText),
            ]"""
        ),
        visit.text(_ODDS),
        visit.text(".loupe-touch-text"),
    )


def check_board(visit: Visit, board: Board, held: Held) -> None:
    """Check the words of a row, their figures, bars and lines, and the odds of the written word."""
    row, names = held.row(visit), visit.truth.axis(held.kind)[1]
    visit.same("words that are read", [word for word, *_ in board.words], names[: len(row)])
    for key, ((name, share, said, bar), value) in enumerate(zip(board.words, row, strict=False)):
        if share not in ("", "✂"):
            visit.stated("figures of the board", share, value, 1e-5, name)
        elif share == "":
            visit.holds("figures of the board", f"none at {name}", value < _LEAST_SAID + 1e-5)
        weight = (what := "weights of the board, in words", value)
        visit.says(said, "(?:, <%> of the weight|, cut)$", weight, slack=1e-5, missing=what)
        visit.stated("bars of the board", bar, value, 2e-5, name)
        if (wide := board.lines.get(str(key))) is not None:
            visit.numbers("lines of the board", wide, 1 + 12 * value, 2e-4, name)
        elif share != "✂":
            visit.holds("lines of the board", f"none to {name}", value < _LEAST_LINE + 1e-5)
    visit.same("words that are written", board.written, visit.truth.target_tokens[1:])
    step = held.query if held.kind != "encoder self-attention" else _moved_most(visit)
    shares = np.exp(visit.truth.log_probabilities)
    for name, share in re.findall(rf"(\S+) ({SHARE})", board.odds):
        ids = [i for i, token in visit.truth.words.target.names.items() if token == name]
        ids += [2] if name == "</s>" else []
        if ids and step is not None and step < len(shares):
            visit.stated("odds of a word", share, max(shares[step, ids]), 1e-5, name)


def _moved_most(visit: Visit) -> int | None:
    """Name the step that a change of the encoder's reading changes first, or most."""
    before, now = visit.of(replace(visit.state, changes="")).truth, visit.truth
    pairs = list(zip(before.target_ids[1:], now.target_ids[1:], strict=False))
    if others := [step for step, (a, b) in enumerate(pairs) if a != b]:
        return others[0]
    count = len(pairs)
    moved = np.abs(np.exp(before.written_log[:count]) - np.exp(now.written_log[:count]))
    return int(moved.argmax()) if moved.max() > 1e-3 else None


def _check_said(visit: Visit, before: Visit, said: str, held: Held) -> None:
    """Check the effect of a change: words that became others, or why none did."""
    old, new = before.truth, visit.truth
    is_same, what = old.target_ids == new.target_ids, "whether words change"
    changed = re.search(r"became|is gone|is new", said)
    visit.holds(what, said, bool(changed) != is_same, f"{old.text} / {new.text}")
    for word in (w for words in re.findall(r"“([^”]+)” became", said) for w in words.split()):
        visit.holds("words that go", word, word in old.target_tokens)
    for words in re.findall(r"became “([^”]+)”|“([^”]+)” is new", said):
        for word in "".join(words).split():
            visit.holds("words that come", word, word in new.target_tokens)
    if held.kind != "encoder self-attention":
        shares = [np.exp(of.truth.written_log) for of in (before, visit)]
        pattern, name = r"“(\S+)” <%> → <%>", "chance before and after"
        moved = [(name, of[held.query]) for of in shares if held.query < len(of)]
        if is_same:
            visit.says(said, pattern, (name, new.target_tokens[held.query + 1]), *moved, slack=1e-5)
    match = re.search(rf"other(?: (\d+))? heads? still gives? “(\S+)” ({SHARE})", said)
    if match:
        weights = new.weights(held.kind)
        own = np.zeros(weights.shape[:2], bool)
        own[held.layer, held.head if held.scope == "head" else slice(None)] = True
        rest = weights[~own][:, held.query]
        visit.same("other heads", int(match[1] or 1), len(rest))
        visit.stated("share of the other heads", match[3], rest.mean(axis=0).max(), 1e-5)
        best = new.axis(held.kind)[1][int(rest.mean(axis=0).argmax())]
        visit.same("word of the other heads", match[2], best)
