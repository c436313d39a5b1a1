"""The Compare page: both runs, how far every head moved, stages, steps."""

import re
from dataclasses import replace

import numpy as np

from qa.audit.numbers import NUMBER, most, nearest
from qa.audit.pages.run import check_frame, compare_run
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
    """Check the comparison that the page opens with: another sentence with as many tokens."""
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
        visit.note("the other run is not of the sentence in the field")
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


def _moved(truth: Truth, other: Truth) -> dict[tuple[str, int, int], np.ndarray]:
    """Return the share of each row that lies elsewhere, for the rows of words alone."""
    found = {}
    for kind in truth.run.kinds:
        a, b = truth.weights(kind), other.weights(kind)
        named = truth.axis(kind)[0]
        words = np.array([any(map(str.isalnum, name)) and name[0] != "<" for name in named])
        for layer, head in np.ndindex(*a.shape[:2]):
            moved = np.abs(a[layer, head] - b[layer, head]).sum(axis=-1) / 2
            found[kind, layer, head] = np.where(words | ~words.any(), moved, 0)
    return found


def _check_heads(visit: Visit, other: Truth) -> None:
    found, listed = _moved(visit.truth, other), []
    short = {kind.split("-")[0].split()[0].capitalize(): kind for kind in visit.truth.run.kinds}
    buttons = visit.page.evaluate(
        """() => auditAll('.compare-list ol button').map((b) =>
          [b.title, ...[...b.children].map(auditText)])"""
    )
    for title, name, token, *_, share in buttons:
        match = re.match(r"(\w+)(?:-\w+)? L(\d+) H(\d+)", name)
        if match is None:
            continue
        kind, layer, head = short[match[1]], int(match[2]), int(match[3])
        rows, there = found[kind, layer, head], visit.at(f"{kind} L{layer} H{head}")
        listed.append(rows.max())
        there.stated("share of a head that lies elsewhere", share, rows.max(), 2e-4)
        near = most(visit.truth.axis(kind)[0], rows, 2e-3)
        there.holds("row that changed most", token, any(name in token for name in near), near)
        away = ("share that lies elsewhere", rows.max())
        there.says(title, "<%> of the weight is elsewhere", away, slack=5e-3)
    if not listed:
        visit.missing("how far the heads moved")
    best = sorted((rows.max() for rows in found.values()), reverse=True)
    visit.numbers("heads that changed most, in order", listed, best[: len(listed)], 2e-4)


def _check_row(visit: Visit, other: Truth) -> None:
    text, chosen = visit.text(".loupe-compared"), visit.selection
    match = re.search(r"(.+): in A it reads (.+?); in B it reads (.+?)\.(?: |Save|$)", text)
    if match is None or not chosen:
        visit.note("no sentence on the row")
        return
    for one, said in ((visit.truth, match[2]), (other, match[3])):
        columns = one.axis(chosen["kind"])[1]
        row = one.weights(chosen["kind"])[chosen["layer"], chosen["head"], chosen["query"]]
        for share, name in re.findall(rf"({NUMBER}%) (.+?)(?:, (?=[\d.]+%)|$)", said):
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
