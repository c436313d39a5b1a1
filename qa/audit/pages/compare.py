"""The page of comparing: both runs, the divergence of every head, stages, steps, likelihoods."""

import re
from dataclasses import replace

import numpy as np

from qa.audit.numbers import NUMBER, most, nearest
from qa.audit.pages.run import check_frame, compare_run
from qa.audit.reference.layers import log_softmax
from qa.audit.reference.measures import jensen_shannon
from qa.audit.truth import Truth
from qa.audit.visit import Visit

_STAGES = (
    "source_embedding.output",
    "encoder.layers.0.output",
    "encoder.layers.1.output",
    "target_embedding.output",
    "decoder.layers.0.after_cross_attn",
    "decoder.layers.1.output",
    "logits",
)


def compare(visit: Visit) -> None:
    """Hold the comparison that the page opens with: another sentence of as many tokens."""
    truth = visit.truth
    if not truth.translates:
        return
    folds = {"more_compare_stages": "true", "more_compare_steps": "true"}
    visit.open("compare", visit.state.query(**folds))
    check_frame(visit)
    if len(visit.texts(".compare-in")) != 2:
        visit.note("nothing is compared")
        return
    runs = {tuple(run["tokens"]["source"]): run for run in visit.runs().values()}
    typed = (visit.of(replace(visit.state, source=text)) for text in visit.values() if text)
    others = (one for one in typed if one.truth.source_tokens != truth.source_tokens)
    there = next((one for one in others if tuple(one.truth.source_tokens) in runs), None)
    if there is None:
        visit.note("the other run is no sentence of the field")
        return
    for one in (visit, there):
        compare_run(one, runs[tuple(one.truth.source_tokens)])
    other = there.truth
    if len({(len(one.source_ids), len(one.target_ids)) for one in (truth, other)}) > 1:
        visit.note("texts of two lengths: how they are paired is not checked")
        return
    _check_heads(visit, other)
    _check_row(visit, other)
    _check_stages(visit, other)
    _check_steps(visit, other)


def _divergences(truth: Truth, other: Truth) -> dict[tuple[str, int, int], np.ndarray]:
    found = {}
    for kind in truth.run.kinds:
        a, b = truth.weights(kind), other.weights(kind)
        for layer, head in np.ndindex(*a.shape[:2]):
            rows = zip(a[layer, head], b[layer, head], strict=True)
            found[kind, layer, head] = np.asarray([jensen_shannon(p, q) for p, q in rows])
    return found


def _check_heads(visit: Visit, other: Truth) -> None:
    found, listed = _divergences(visit.truth, other), []
    short = {kind.split("-")[0].split()[0].capitalize(): kind for kind in visit.truth.run.kinds}
    buttons = visit.page.evaluate(
        """() => auditAll('.compare-list ol button').map((b) =>
          [b.title, ...[...b.children].map(auditText)])"""
    )
    for title, name, token, *_, bits in buttons:
        match = re.match(r"(\w+)(?:-\w+)? L(\d+) H(\d+)", name)
        if match is None:
            continue
        kind, layer, head = short[match[1]], int(match[2]), int(match[3])
        rows, there = found[kind, layer, head], visit.at(f"{kind} L{layer} H{head}")
        listed.append(rows.max())
        there.stated("divergence of a head, bits", bits, rows.max(), 2e-4)
        near = most(visit.truth.axis(kind)[0], rows, 2e-3)
        there.holds("row that changed most", token, any(name in token for name in near), near)
        a, b = (one.weights(kind)[layer, head, rows.argmax()] for one in (visit.truth, other))
        away = ("share that lies elsewhere", np.abs(a - b).sum() / 2)
        there.says(title, "<%> of the weight lies elsewhere", away, slack=1e-4)
    if not listed:
        visit.missing("divergence of the heads")
    best = sorted((rows.max() for rows in found.values()), reverse=True)
    visit.numbers("heads that changed most, in order", listed, best[: len(listed)], 2e-4)
    counted = ("heads that are counted", len(found))
    visit.says(visit.text(".loupe-answer"), r"^\w+ of (\d+) heads look", counted)


def _check_row(visit: Visit, other: Truth) -> None:
    text, chosen = visit.text(".loupe-compared"), visit.selection
    match = re.search(r"(.+): in A it reads (.+?); in B it reads (.+?)\.(?: |Save|$)", text)
    if match is None or not chosen:
        visit.note("no sentence on the row")
        return
    for one, said in ((visit.truth, match[2]), (other, match[3])):
        columns = one.axis(chosen["kind"])[1]
        row = one.weights(chosen["kind"])[chosen["layer"], chosen["head"], chosen["query"]]
        for share, name in re.findall(rf"({NUMBER} %) (.+?)(?:, (?=[\d.]+ %)|$)", said):
            shares = [weight for weight, column in zip(row, columns, strict=True) if column == name]
            if visit.holds("shares of a row in both runs", name, shares, columns):
                visit.stated("shares of a row in both runs", share, nearest(shares, share))


def _check_stages(visit: Visit, other: Truth) -> None:
    text = visit.text()
    for name in _STAGES:
        a, b = visit.truth.run.tensors[name], other.run.tensors[name]
        moved = ("difference of a stage", np.linalg.norm(b - a) / np.linalg.norm(a))
        if not visit.at(name).says(text, rf"{re.escape(name)} ?<%>", moved, slack=1e-5):
            visit.note(f"no bar of {name}")


def _check_steps(visit: Visit, other: Truth) -> None:
    both = (visit.truth, other)
    for line in visit.headed("moved"):
        step, there = int(line[0]), visit.at(f"step {line[0]}")
        p, q = (np.exp(one.log_probabilities[step]) for one in both)
        there.same("words of a step", line[1:3], [one.target_tokens[step + 1] for one in both])
        there.stated("probability that moved", line[3], np.abs(p - q).sum() / 2, 1e-5)
        there.stated("divergence of a step, bits", line[4], jensen_shannon(p, q), 1e-5)
    for line, written in zip(visit.headed("in A in B"), both, strict=False):
        for cell, given in zip(line[1:], both, strict=True):
            ids, there = written.target_ids, visit.at(line[0][:40])
            logs = log_softmax(given.reference.step_logits(given.source_ids, ids[:-1]))
            total = float(logs[np.arange(len(ids) - 1), ids[1:]].sum())
            there.says(cell, "log p <#>", ("log p of a whole output", total), slack=3e-4)
            share = ("probability of a whole output", np.exp(total))
            there.says(cell, "^<%>", share, slack=3e-5)
