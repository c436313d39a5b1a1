"""The page of comparing: both runs, the divergence of every head, stages, steps, likelihoods."""

import re
from dataclasses import replace

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import NUMBER, check_stated
from qa.audit.pages.frame import check_frame
from qa.audit.pages.sent import compare_run
from qa.audit.reference.measures import jensen_shannon
from qa.audit.seen import Seen
from qa.audit.truth import State, Truth, truth_of

URL = "compare"
_FIELD = "input[aria-label*='sentence'], [data-testid=stMain] input"


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
    other_text = seen.page.evaluate(
        """() => [...auditAll('[data-testid=stMain] input')].map((i) => i.value)"""
    )
    runs = list(seen.runs().values())
    other = next(
        (
            found
            for text in other_text
            if text
            and (found := truth_of(replace(state, source=text))).source_tokens
            != truth.source_tokens
            and any(run["tokens"]["source"] == found.source_tokens for run in runs)
        ),
        None,
    )
    if other is None:
        ledger.note("the other run is no sentence of the field")
        return
    for name, one in (("A", truth), ("B", other)):
        run = next((r for r in runs if r["tokens"]["source"] == one.source_tokens), None)
        if run is None:
            ledger.missing(f"run {name}")
        else:
            compare_run(run, one, ledger)
    if len(truth.source_ids) != len(other.source_ids) or len(truth.target_ids) != len(
        other.target_ids
    ):
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
        rows = found[key]
        place = f"{key[0]} L{key[1]} H{key[2]}"
        listed.append(rows.max())
        check_stated(
            ledger, "divergence of a head, bits", bits, rows.max(), place=place, slack=2e-4
        )
        names = truth.axis(key[0])[0]
        near = [names[i] for i in np.flatnonzero(rows >= rows.max() - 2e-3)]
        ledger.holds(
            "row that changed most", token, any(n in token for n in near), str(near), place
        )
        if match := re.search(rf"({NUMBER} %) of the weight lies elsewhere", title):
            row = int(rows.argmax())
            a, b = (
                truth.weights(key[0])[key[1], key[2], row],
                other.weights(key[0])[key[1], key[2], row],
            )
            check_stated(
                ledger,
                "share that lies elsewhere",
                match[1],
                float(np.abs(a - b).sum() / 2),
                place=place,
                slack=1e-4,
            )
    if listed:
        best = sorted((rows.max() for rows in found.values()), reverse=True)
        ledger.numbers("heads that changed most, in order", listed, best[: len(listed)], 2e-4)
    else:
        ledger.missing("divergence of the heads")
    if match := re.match(r"(\w+) of (\d+) heads look", seen.text(".loupe-answer")):
        ledger.same("heads that are counted", int(match[2]), len(found))


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
            column = [k for k in range(len(row)) if columns[k] == name]
            if column:
                nearest = min(column, key=lambda k: abs(row[k] - float(share.rstrip(" %")) / 100))
                check_stated(
                    ledger, "shares of a row in both runs", share, row[nearest], place=place
                )
            else:
                ledger.same("shares of a row in both runs", name, columns, place)


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
        match = re.search(rf"{re.escape(name)} ?({NUMBER} %)", text)
        if match is None:
            ledger.note(f"no bar of {name}")
            continue
        a, b = truth.run.tensors[name], other.run.tensors[name]
        check_stated(
            ledger,
            "difference of a stage",
            match[1],
            float(np.linalg.norm(b - a) / np.linalg.norm(a)),
            place=name,
            slack=1e-5,
        )


def _check_steps(seen: Seen, truth: Truth, other: Truth, ledger: Ledger) -> None:
    for table in seen.tables():
        heading = " ".join(table[0])
        if "moved" in heading and "bits" in heading:
            for line in table[1:]:
                step = int(line[0])
                p, q = (np.exp(one.log_probabilities[step]) for one in (truth, other))
                place = f"step {step}"
                names = [truth.target_tokens[step + 1], other.target_tokens[step + 1]]
                ledger.same("words of a step", line[1:3], names, place)
                check_stated(
                    ledger,
                    "probability that moved",
                    line[3],
                    float(np.abs(p - q).sum() / 2),
                    place=place,
                    slack=1e-5,
                )
                check_stated(
                    ledger,
                    "divergence of a step, bits",
                    line[4],
                    jensen_shannon(p, q),
                    place=place,
                    slack=1e-5,
                )
        elif heading.strip() == "in A in B" and len(table) == 3:
            for line, written in zip(table[1:], (truth, other), strict=True):
                for cell, given in zip(line[1:], (truth, other), strict=True):
                    ids = written.target_ids
                    logs = given.reference.step_logits(given.source_ids, ids[:-1])
                    logs = (
                        logs
                        - np.log(np.exp(logs - logs.max(-1, keepdims=True)).sum(-1, keepdims=True))
                        - logs.max(-1, keepdims=True)
                    )
                    total = float(logs[np.arange(len(ids) - 1), ids[1:]].sum())
                    if match := re.search(rf"log p ({NUMBER})", cell):
                        check_stated(
                            ledger,
                            "log p of a whole output",
                            match[1],
                            total,
                            place=line[0][:40],
                            slack=3e-4,
                        )
                    if match := re.match(rf"({NUMBER} %)", cell):
                        check_stated(
                            ledger,
                            "probability of a whole output",
                            match[1],
                            float(np.exp(total)),
                            place=line[0][:40],
                            slack=3e-5,
                        )
