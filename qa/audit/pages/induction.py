"""The page of the two heads: what they read at the place that the answer names."""

import re

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import NUMBER, check_stated
from qa.audit.pages.frame import check_frame
from qa.audit.pages.sent import check_run
from qa.audit.seen import Seen
from qa.audit.truth import State, Truth

URL = "induction"


def check(seen: Seen, state: State, truth: Truth, ledger: Ledger) -> None:
    """Hold each share that the page states against the weights of the head that it names."""
    seen.open(URL, state.query())
    check_frame(seen, truth, ledger)
    if not truth.reference.has("decoder") or truth.translates:
        ledger.holds(
            "says that it has nothing to show", seen.text()[-200:], "nothing to show" in seen.text()
        )
        return
    check_run(seen, truth, ledger)
    said = seen.text(".loupe-answer")
    tokens = truth.axis("decoder self-attention")[0]
    weights = truth.weights("decoder self-attention")
    match = re.search(
        rf"(\S+) was here before: L(\d+) H(\d+) puts ({NUMBER} %) of its weight "
        r"on what followed, (\S+?)\.",
        said,
    )
    if match is None:
        ledger.note(f"another answer: {said[:100]}")
        return
    again, layer, head, share, followed = match.groups()
    rows = [
        q
        for q in range(len(tokens))
        if tokens[q] == again
        and any(tokens[k] == again and tokens[k + 1] == followed for k in range(q - 1))
    ]
    ledger.holds("what came before", said[:120], bool(rows), f"{again} {followed} in {tokens}")
    if rows:
        places = {
            q: [k + 1 for k in range(q - 1) if tokens[k] == again and tokens[k + 1] == followed]
            for q in rows
        }
        found = {q: float(weights[int(layer), int(head), q, at].sum()) for q, at in places.items()}
        nearest = min(found.values(), key=lambda v: abs(v - float(share.rstrip(" %")) / 100))
        check_stated(ledger, "weight on what followed", share, nearest, slack=1e-5)
    if match := re.search(
        rf"L(\d+) H(\d+), a layer below, had read the word before it \(({NUMBER} %)\)", said
    ):
        below = weights[int(match[1]), int(match[2])]
        at = [k for k in range(1, len(tokens)) if tokens[k] == followed and tokens[k - 1] == again]
        values = [float(below[k, k - 1]) for k in at]
        stated = float(match[3].rstrip(" %")) / 100
        nearest = min(values, key=lambda v: abs(v - stated))
        check_stated(ledger, "weight on the word before", match[3], nearest, slack=1e-5)
    if match := re.search(rf"(\S+) comes next with ({NUMBER} %)", seen.text()):
        ids = [i for i, token in truth.words.target.names.items() if token == match[1]]
        stated = float(match[2].rstrip(" %")) / 100
        shares = np.exp(truth.log_probabilities[:, ids[0]]) if ids else np.zeros(1)
        nearest = min(
            shares[list(rows)] if rows else shares,
            key=lambda v: abs(v - stated),
        )
        check_stated(ledger, "what comes next", match[2], float(nearest), slack=1e-5)
