"""The page of the two heads: what they read at the place that the answer names."""

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import check_stated, nearest, says
from qa.audit.page_reader import Seen
from qa.audit.pages.frame import check_frame
from qa.audit.pages.sent import check_run
from qa.audit.truth import State, Truth

URL = "induction"
_KIND = "decoder self-attention"


def check(seen: Seen, state: State, truth: Truth, ledger: Ledger) -> None:
    """Hold each share that the page states against the weights of the head that it names."""
    seen.open(URL, state.query())
    check_frame(seen, truth, ledger)
    text = seen.text()
    if not truth.reference.has("decoder") or truth.translates:
        ledger.holds("says that it has nothing to show", text[-200:], "nothing to show" in text)
        return
    check_run(seen, truth, ledger)
    said = seen.text(".loupe-answer")
    match = says(
        ledger,
        said,
        r"(\S+) was here before: L(\d+) H(\d+) puts <%> of its weight on what followed, (\S+?)\.",
    )
    if match is None:
        ledger.note(f"another answer: {said[:100]}")
        return
    again, layer, head, share, followed = match.groups()
    tokens, weights = truth.axis(_KIND)[0], truth.weights(_KIND)
    ends = [k for k in range(1, len(tokens)) if (tokens[k - 1], tokens[k]) == (again, followed)]
    rows = [q for q in range(len(tokens)) if tokens[q] == again and ends and ends[0] < q]
    ledger.holds("what came before", said[:120], rows, f"{again} {followed} in {tokens}")
    if rows:
        own = weights[int(layer), int(head)]
        found = [own[q, [k for k in ends if k < q]].sum() for q in rows]
        check_stated(ledger, "weight on what followed", share, nearest(found, share), slack=1e-5)
    below = r"L(\d+) H(\d+), a layer below, had read the word before it \(<%>\)"
    if match := says(ledger, said, below):
        own = weights[int(match[1]), int(match[2])]
        value = nearest([own[k, k - 1] for k in ends], match[3])
        check_stated(ledger, "weight on the word before", match[3], value, slack=1e-5)
    if match := says(ledger, text, r"(\S+) comes next with <%>"):
        ids = [i for i, token in truth.words.target.names.items() if token == match[1]]
        shares = np.exp(truth.log_probabilities[:, ids[0]]) if ids else np.zeros(1)
        value = nearest(shares[rows] if rows else shares, match[2])
        check_stated(ledger, "what comes next", match[2], value, slack=1e-5)
