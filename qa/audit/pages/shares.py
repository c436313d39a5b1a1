"""Pages that state shares: Touch, by the hand too; Two heads; Start and a lesson's question."""

import re
from dataclasses import replace
from urllib.parse import parse_qs, urlparse

import numpy as np

from qa.audit.browser import wait
from qa.audit.numbers import NUMBER, nearest, read_number
from qa.audit.page_reader import CODE_ONE
from qa.audit.pages.run import check_frame, check_run, compare_run
from qa.audit.reference.files import Array
from qa.audit.truth import State
from qa.audit.visit import Visit

_ODDS = ".loupe-touch-odds"
_CROSS, _SELF = "cross-attention", "decoder self-attention"
LESSON = State("everyday-paper-0", "the black cat sees the red house .")
"""What the second step of the first lesson is about."""


def touch(visit: Visit) -> None:
    """Hold the answer and the board against the mean of all heads of cross-attention."""
    if not visit.truth.translates:
        return
    visit.open("touch", visit.state.query())
    check_frame(visit)
    check_run(visit)
    wait(visit.page, "() => auditAll('.loupe-touch-board, .loupe-notice').length > 0")
    visit.rest()
    query, (rows, columns) = visit.selection["query"], visit.truth.axis(_CROSS)
    row = visit.truth.weights(_CROSS).mean(axis=(0, 1))[query]
    said, there = visit.text(".loupe-answer"), visit.at(f"row {rows[query]}")
    put = r"To write (.+?), the model looks most at (.+?): <%> of its attention"
    match = there.says(said, put, ("word that is written", rows[query]))
    if match is None:
        visit.note(f"another answer: {said[:80]}")
    elif there.holds("word that is read", match[2], match[2] in columns, columns):
        read = [weight for weight, name in zip(row, columns, strict=True) if name == match[2]]
        there.stated("share of all heads", match[3], max(read), 1e-5)
    _check_board(visit, _board(visit), query)
    tick = visit.page.evaluate("() => auditAll('.loupe-touch-check')[0]?.title ?? ''")
    if match := visit.says(tick, "largest difference of a logit <#>"):
        visit.holds("badge: twin and PyTorch", match[0], read_number(match[1]).middle < 1e-3)
    _check_odds(visit, visit.text(_ODDS), query)
    if not visit.state.changes:
        _check_drag(visit, row, query)


def _check_drag(visit: Visit, row: Array, query: int) -> None:
    """Pull the strongest line to below another word, and hold what is shown meanwhile.

    How far it was pulled is known by the link, once the hand lets go.
    """
    spots = visit.page.evaluate(
        """() => auditAll('.loupe-touch-keys > li > button').map((b) => {
          const { x, y, width, height } = b.getBoundingClientRect();
          return [x + width / 2, y + height / 2];
        })"""
    )
    held = int(row.argmax())
    (x, y), (ends, low) = spots[held], spots[0 if held > len(row) / 2 else -1]
    mouse = visit.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move((x + ends) / 2, low + 50, steps=4)
    mouse.move(ends, low + 50, steps=4)
    visit.page.wait_for_timeout(300)
    board, odds = _board(visit), visit.text(_ODDS)
    mouse.up()
    wait(visit.page, "() => new URLSearchParams(location.search).has('edits')")
    visit.rest()
    changes = parse_qs(urlparse(visit.page.url).query)["edits"][0]
    pulled = visit.of(replace(visit.state, changes=changes))
    during = pulled.at("while it is pulled")
    _check_board(during, board, query)
    _check_odds(during, odds, query)
    check_run(pulled.at("pulled by hand"))


def _board(visit: Visit) -> list[list[str]]:
    return visit.page.evaluate(
        """() => auditAll('.loupe-touch-keys > li').map((li) =>
          ['word', 'figure'].map((part) => auditText(li.querySelector(`.loupe-touch-${part}`))))"""
    )


def _check_board(visit: Visit, shown: list[list[str]], query: int) -> None:
    row = visit.truth.weights(_CROSS).mean(axis=(0, 1))[query]
    visit.same("words that are read", [name for name, _ in shown], visit.truth.axis(_CROSS)[1])
    for (name, share), value in zip(shown, row, strict=False):
        if share not in ("", "✂"):
            visit.stated("figures of the board", share, value, 1e-5, name)


def _check_odds(visit: Visit, said: str, query: int) -> None:
    shares = np.exp(visit.truth.log_probabilities[query])
    for name, share in re.findall(rf"(\S+) ({NUMBER} %)", said):
        if ids := [i for i, token in visit.truth.words.target.names.items() if token == name]:
            visit.stated("odds of a word", share, max(shares[ids]), 1e-5, name)


def induction(visit: Visit) -> None:
    """Hold each share of Two heads against the weights of the head that it names."""
    truth = visit.truth
    visit.open("induction", visit.state.query())
    check_frame(visit)
    text, said = visit.text(), visit.text(".loupe-answer")
    if not truth.reference.has("decoder") or truth.translates:
        visit.holds("says that it has nothing to show", text[-200:], "nothing to show" in text)
        return
    check_run(visit)
    match = visit.says(
        said,
        r"(\S+) was here before: L(\d+) H(\d+) puts <%> of its weight on what followed, (\S+?)\.",
    )
    if match is None:
        visit.note(f"another answer: {said[:100]}")
        return
    again, layer, head, share, followed = match.groups()
    tokens, weights = truth.axis(_SELF)[0], truth.weights(_SELF)
    ends = [k for k in range(1, len(tokens)) if (tokens[k - 1], tokens[k]) == (again, followed)]
    rows = [q for q in range(len(tokens)) if tokens[q] == again and ends and ends[0] < q]
    visit.holds("what came before", said[:120], rows, f"{again} {followed} in {tokens}")
    if rows:
        own = weights[int(layer), int(head)]
        found = [own[q, [k for k in ends if k < q]].sum() for q in rows]
        visit.stated("weight on what followed", share, nearest(found, share), 1e-5)
    below = r"L(\d+) H(\d+), a layer below, had read the word before it \(<%>\)"
    if match := visit.says(said, below):
        own = weights[int(match[1]), int(match[2])]
        value = nearest([own[k, k - 1] for k in ends], match[3])
        visit.stated("weight on the word before", match[3], value, 1e-5)
    if match := visit.says(text, r"(\S+) comes next with <%>"):
        (word,) = (i for i, token in truth.words.target.names.items() if token == match[1])
        shares = np.exp(truth.log_probabilities[:, word])
        value = nearest(shares[rows] if rows else shares, match[2])
        visit.stated("what comes next", match[2], value, 1e-5)


def start(visit: Visit) -> None:
    """Hold the frame of each page, and the runs that it was sent; then a lesson's question."""
    own = {"source": visit.truth.source_tokens, "target": visit.truth.target_tokens}
    for path in ("", "learn", "lecture"):
        there = replace(visit, name=path or "start")
        there.open(path, visit.state.query())
        if path != "learn":
            check_frame(there)
        for run in there.runs().values():
            if run["tokens"] == own:
                compare_run(there, run)
    _check_lesson(visit.of(LESSON, "lesson"))


def _check_lesson(visit: Visit) -> None:
    """Answer wrongly; what is then said to be the truth has to be, and the row says how much."""
    visit.open("attention", {"lesson": "which-word", "part": "2"})
    wait(visit.page, "() => auditAll('.lesson-option').length > 0")
    about = visit.page.evaluate("() => ({...loupe.asked.about, ...loupe.selection})")
    kind, layer, head, query = (about[n] for n in ("kind", "layer", "head", "query"))
    weights, names = visit.truth.weights(kind)[layer, head, query], visit.truth.axis(kind)[1]
    stack, options = visit.run()["kinds"][kind], visit.texts(".lesson-option")
    shape = (stack["layers"], stack["heads"], stack["rows"], -1)
    hidden = (np.asarray(stack["codes"]).reshape(shape)[layer, head, query] > CODE_ONE).all()
    visit.holds("no weight of what is asked is sent", "codes of the row", hidden)
    known = [name for name in names if name in options]
    visit.same("options of the question", [o for o in options if o in names], known)
    wrong = int(np.argsort(weights)[0])
    visit.page.locator(".lesson-option").nth(min(wrong, len(options) - 1)).click()
    visit.page.locator(".lesson-verdict").wait_for()
    visit.rest()
    text, best = visit.text(".loupe-lesson"), names[int(weights.argmax())]
    visit.holds("truth of the lesson", text[:300], best in text, f"{best}, {weights.max():.3f}")
    for share in re.findall(rf"({NUMBER} %)", text):
        visit.stated("shares that the lesson states", share, nearest(weights, share))
