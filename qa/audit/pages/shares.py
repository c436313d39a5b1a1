"""Pages that state shares: Two heads, Start, and a lesson's question."""

import re
from dataclasses import replace

import numpy as np

from qa.audit.browser import wait
from qa.audit.numbers import NUMBER, nearest
from qa.audit.page_reader import CODE_ONE
from qa.audit.pages.run import check_frame, check_run, compare_run
from qa.audit.pages.start import check_stages
from qa.audit.truth import State
from qa.audit.visit import Visit

_SELF = "decoder self-attention"
_OWN_MODEL = "induction-two-heads"
LESSON = State("everyday-paper-0", "the black cat sees the red house .")
"""The subject of the first lesson's second step."""


def induction(visit: Visit) -> None:
    """Check each share of Two heads against the weights of the named head."""
    visit.open("induction", visit.state.query())
    if not visit.truth.reference.has("decoder") or visit.truth.translates:
        visit = _lent(visit)
    truth, text, said = visit.truth, visit.text(), visit.text(".loupe-answer")
    check_frame(visit)
    check_run(visit)
    match = visit.says(
        said,
        r"(\S+) has appeared before, and L(\d+) H(\d+) puts <%> of its weight on the word that "
        r"came next: (\S+?)\.",
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
    below = r"L(\d+) H(\d+), one layer below, had read the previous word there \(<%>\)"
    if match := visit.says(said, below):
        own = weights[int(match[1]), int(match[2])]
        value = nearest([own[k, k - 1] for k in ends], match[3])
        visit.stated("weight on the word before", match[3], value, 1e-5)
    if match := visit.says(text, r"(\S+) comes next with a probability of <%>"):
        (word,) = (i for i, token in truth.words.target.names.items() if token == match[1])
        shares = np.exp(truth.log_probabilities[:, word])
        value = nearest(shares[rows] if rows else shares, match[2])
        visit.stated("what comes next", match[2], value, 1e-5)


def _lent(visit: Visit) -> Visit:
    """Open the model that the page brings along instead of one that it cannot show."""
    text, says = visit.text(), "This page has its own small model"
    visit.holds("names its own model", text[:200], says in text)
    own = visit.page.locator(".st-key-source input").input_value()
    return visit.of(State(_OWN_MODEL, own))


def start(visit: Visit) -> None:
    """Check the frame of each page, its runs, the stages of Start; then a lesson's question."""
    own = {"source": visit.truth.source_tokens, "target": visit.truth.target_tokens}
    for path in ("start", "learn", "lecture"):
        there = replace(visit, name=path)
        there.open(path, visit.state.query())
        if path != "learn":
            check_frame(there)
        for run in there.runs().values():
            if run["tokens"] == own:
                compare_run(there, run)
        if path == "start" and visit.truth.translates:
            check_stages(there)
    _check_lesson(visit.of(LESSON, "lesson"))


def _check_lesson(visit: Visit) -> None:
    """Answer wrongly; check the stated truth, and the weight in the row."""
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
    found = re.findall(rf"”: ({NUMBER})\.(?:\s|$)", text)
    visit.holds("shares that the lesson states", text[:300], found)
    for share in found:
        visit.stated("shares that the lesson states", share, nearest(weights, share))
