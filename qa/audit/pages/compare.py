"""The page of comparing: both runs, the divergence of every head, stages, steps, likelihoods."""

import re
from dataclasses import replace

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import NUMBER, check_stated, most, nearest, says
from qa.audit.page_reader import Seen
from qa.audit.pages.frame import check_frame
from qa.audit.pages.sent import compare_run
from qa.audit.reference.layers import log_softmax
from qa.audit.reference.measures import jensen_shannon
from qa.audit.tables import headed
from qa.audit.truth import State, Truth, truth_of

URL = "compare"


def check(seen: Seen, state: State, truth: Truth, ledger: Ledger) -> None:
    """Hold the comparison that the page opens with: another sentence of as many tokens."""
    if not truth.translates:
        return
    seen.open(URL, state.query(more_compare_stages="true", more_compare_steps="true"))
    check_frame(seen, truth, ledger)
    texts = seen.texts(".compare-in")
    if len(texts) != 2:
        ledger.note("nothing is compared")
        return
    runs = {tuple(run["tokens"]["source"]): run for run in seen.runs().values()}
    typed = seen.page.evaluate("() => auditAll('[data-testid=stMain] input').map((i) => i.value)")
    others = (truth_of(replace(state, source=text)) for text in typed if text)
    other = next(
        (
            one
            for one in others
            if one.source_tokens != truth.source_tokens and tuple(one.source_tokens) in runs
        ),
        None,
    )
    if other is None:
        ledger.note("the other run is no sentence of the field")
        return
    for name, one in (("A", truth), ("B", other)):
        if run := runs.get(tuple(one.source_tokens)):
            compare_run(run, one, ledger)
        else:
            ledger.missing(f"run {name}")
    sizes = {(len(one.source_ids), len(one.target_ids)) for one in (truth, other)}
    if len(sizes) > 1:
        ledger.note("texts of two lengths: how they are paired is not checked")
        return
    _check_heads(seen, truth, other, ledger)
    _check_row(seen, truth, other, ledger)
    _check_stages(seen, truth, other, ledger)
    _check_steps(seen, truth, other, ledger)


def _divergences(truth: Truth, other: Truth) -> dict[tuple[str, int, int], np.ndarray]:
    found = {}
    for kind in truth.run.kinds:
        a, b = truth.weights(kind), other.weights(kind)
        for layer, head in np.ndindex(*a.shape[:2]):
            rows = zip(a[layer, head], b[layer, head], strict=True)
            found[kind, layer, head] = np.asarray([jensen_shannon(p, q) for p, q in rows])
    return found


_SHORT = {
    "Encoder": "encoder self-attention",
    "Decoder": "decoder self-attention",
    "Cross": "cross-attention",
}


def _check_heads(seen: Seen, truth: Truth, other: Truth, ledger: Ledger) -> None:
    found = _divergences(truth, other)
    buttons = seen.page.evaluate(
        """() => auditAll('.compare-list ol button').map((b) =>
          [b.title, ...[...b.children].map(auditText)])"""
    )
    listed = []
    for title, name, token, *_, bits in buttons:
        match = re.match(r"(\w+)(?:-\w+)? L(\d+) H(\d+)", name)
        if match is None:
            continue
        key = (_SHORT[match[1]], int(match[2]), int(match[3]))
        (kind, layer, head), rows = key, found[key]
        place = f"{kind} L{layer} H{head}"
        listed.append(rows.max())
        what = "divergence of a head, bits"
        check_stated(ledger, what, bits, rows.max(), place=place, slack=2e-4)
        near = most(truth.axis(kind)[0], rows, 2e-3)
        right = any(name in token for name in near)
        ledger.holds("row that changed most", token, right, str(near), place)
        a, b = (one.weights(kind)[layer, head, rows.argmax()] for one in (truth, other))
        away = ("share that lies elsewhere", np.abs(a - b).sum() / 2)
        says(ledger, title, "<%> of the weight lies elsewhere", away, place=place, slack=1e-4)
    if listed:
        best = sorted((rows.max() for rows in found.values()), reverse=True)
        ledger.numbers("heads that changed most, in order", listed, best[: len(listed)], 2e-4)
    else:
        ledger.missing("divergence of the heads")
    counted = ("heads that are counted", len(found))
    says(ledger, seen.text(".loupe-answer"), r"^\w+ of (\d+) heads look", counted)


def _check_row(seen: Seen, truth: Truth, other: Truth, ledger: Ledger) -> None:
    text = seen.text(".loupe-compared")
    match = re.search(r"(.+): in A it reads (.+?); in B it reads (.+?)\.(?: |Save|$)", text)
    chosen = seen.selection
    if match is None or not chosen:
        ledger.note("no sentence on the row")
        return
    for one, said in ((truth, match[2]), (other, match[3])):
        rows, columns = one.axis(chosen["kind"])
        row = one.weights(chosen["kind"])[chosen["layer"], chosen["head"], chosen["query"]]
        place = f"row {rows[chosen['query']]}"
        for share, name in re.findall(rf"({NUMBER} %) (.+?)(?:, (?=[\d.]+ %)|$)", said):
            shares = row[[k for k in range(len(row)) if columns[k] == name]]
            what = "shares of a row in both runs"
            if len(shares):
                check_stated(ledger, what, share, nearest(shares, share), place=place)
            else:
                ledger.same(what, name, columns, place)


def _check_stages(seen: Seen, truth: Truth, other: Truth, ledger: Ledger) -> None:
    text = seen.text()
    for name in (
        "source_embedding.output",
        "encoder.layers.0.output",
        "encoder.layers.1.output",
        "target_embedding.output",
        "decoder.layers.0.after_cross_attn",
        "decoder.layers.1.output",
        "logits",
    ):
        a, b = truth.run.tensors[name], other.run.tensors[name]
        moved = ("difference of a stage", np.linalg.norm(b - a) / np.linalg.norm(a))
        if not says(ledger, text, rf"{re.escape(name)} ?<%>", moved, place=name, slack=1e-5):
            ledger.note(f"no bar of {name}")


def _check_steps(seen: Seen, truth: Truth, other: Truth, ledger: Ledger) -> None:
    both = (truth, other)
    for line in (headed(seen, "moved") or [])[1:]:
        step = int(line[0])
        place, (p, q) = f"step {step}", (np.exp(one.log_probabilities[step]) for one in both)
        names = [one.target_tokens[step + 1] for one in both]
        ledger.same("words of a step", line[1:3], names, place)
        for what, text, value in (
            ("probability that moved", line[3], np.abs(p - q).sum() / 2),
            ("divergence of a step, bits", line[4], jensen_shannon(p, q)),
        ):
            check_stated(ledger, what, text, value, place=place, slack=1e-5)
    for line, written in zip((headed(seen, "in A in B") or [])[1:], both, strict=False):
        for cell, given in zip(line[1:], both, strict=True):
            ids, place = written.target_ids, line[0][:40]
            logs = log_softmax(given.reference.step_logits(given.source_ids, ids[:-1]))
            total = float(logs[np.arange(len(ids) - 1), ids[1:]].sum())
            what = ("log p of a whole output", total)
            says(ledger, cell, "log p <#>", what, place=place, slack=3e-4)
            what = ("probability of a whole output", np.exp(total))
            says(ledger, cell, "^<%>", what, place=place, slack=3e-5)
