"""Pages that state little of a run: Start, Learn, Lecture; and a lesson's question, answered."""

import re

import numpy as np

from qa.audit.browser import wait
from qa.audit.ledger import Ledger
from qa.audit.numbers import NUMBER, check_stated, nearest
from qa.audit.page_reader import CODE_ONE, Seen
from qa.audit.pages.frame import check_frame
from qa.audit.pages.sent import compare_run
from qa.audit.truth import State, Truth, truth_of

URL = "start"
LESSON = State("everyday-paper-0", "the black cat sees the red house .")
"""What the second step of the first lesson is about."""


def check(seen: Seen, state: State, truth: Truth, ledger: Ledger) -> None:
    """Hold the frame of each page, and the runs that it was sent."""
    for path in ("", "learn", "lecture"):
        ledger.at(path or "start", str(state))
        seen.open(path, state.query())
        if path != "learn":
            check_frame(seen, truth, ledger)
        own = {"source": truth.source_tokens, "target": truth.target_tokens}
        for run in seen.runs().values():
            if run["tokens"] == own:
                compare_run(run, truth, ledger)
    ledger.at("lesson", str(LESSON))
    _check_lesson(seen, truth_of(LESSON), ledger)


def _check_lesson(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    """Answer wrongly; what is then said to be the truth has to be, and the row says how much."""
    seen.open("attention", {"lesson": "which-word", "part": "2"})
    wait(seen.page, "() => auditAll('.lesson-option').length > 0")
    about = seen.page.evaluate("() => ({...loupe.asked.about, ...loupe.selection})")
    kind, layer, head, query = (about[n] for n in ("kind", "layer", "head", "query"))
    weights = truth.weights(kind)[layer, head, query]
    names = truth.axis(kind)[1]
    run, options = seen.run(), seen.texts(".lesson-option")
    if run is not None:
        stack = run["kinds"][kind]
        shape = (stack["layers"], stack["heads"], stack["rows"], -1)
        hidden = (np.asarray(stack["codes"]).reshape(shape)[layer, head, query] > CODE_ONE).all()
        ledger.holds("no weight of what is asked is sent", "codes of the row", hidden)
    known = [name for name in names if name in options]
    ledger.same("options of the question", [o for o in options if o in names], known)
    wrong = int(np.argsort(weights)[0])
    seen.page.locator(".lesson-option").nth(min(wrong, len(options) - 1)).click()
    sure = seen.page.locator(".lesson-sure").first
    sure.wait_for()
    sure.locator("button").first.click() if sure.locator("button").count() else sure.click()
    seen.rest()
    text = seen.text(".loupe-lesson")
    best = names[int(weights.argmax())]
    most = f"{best} with {weights.max():.3f}"
    ledger.holds("truth of the lesson", text[:300], best in text, most)
    for share in re.findall(rf"({NUMBER} %)", text):
        check_stated(ledger, "shares that the lesson states", share, nearest(weights, share))
