"""What a run's parcel holds: tokens, ids, probabilities, every weight, mask and measure."""

import math
from typing import Any

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.page_reader import STEP, Seen, decode
from qa.audit.reference.files import Array
from qa.audit.reference.measures import gold_share, head_measures, repeats
from qa.audit.truth import Truth, held_out

_MEASURED = 1.0e-4
"""Measures are sent with four decimals."""
_SHADE = 0.5 / 200
"""A reduced matrix is looked at, in so many colours."""


def check_run(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    run = seen.run()
    if run is None:
        ledger.missing("run that was sent")
        return
    compare_run(run, truth, ledger)


def compare_run(run: dict[str, Any], truth: Truth, ledger: Ledger) -> None:
    """Hold one run that the browser has against the reference."""
    ledger.same("tokens", run["tokens"]["source"], truth.source_tokens, "source")
    if not ledger.same("tokens", run["tokens"]["target"], truth.target_tokens, "target"):
        return
    ledger.same("ids", run["ids"]["source"], truth.source_ids, "source")
    ledger.same("whether the target was given", run["given"], truth.given)
    ledger.same("kinds of attention", sorted(run["kinds"]), sorted(truth.run.kinds))
    if truth.target_ids:
        ledger.numbers(
            "probability of each token",
            run["probabilities"],
            np.exp(truth.written_log),
            5e-6,
            truth.target_tokens[1:],
        )
    for kind in truth.run.kinds:
        _compare_kind(run["kinds"][kind], kind, truth, ledger)
        _compare_axes(run, kind, truth, ledger)
    if run.get("metrics"):
        _compare_measures(run, truth, ledger)
    _compare_gold(run, truth, ledger)


def _compare_kind(stack: dict[str, Any], kind: str, truth: Truth, ledger: Ledger) -> None:
    weights = truth.weights(kind)
    shape = (stack["layers"], stack["heads"], stack["rows"], stack["columns"])
    if not ledger.same("shape of the weights", shape, weights.shape, kind):
        return
    if not stack["whole"]:
        seen = decode(stack)[0]
        most = _largest_of_parts(weights, stack["drawn"])
        ledger.numbers("weights that are sent reduced", seen, most, _SHADE + STEP, kind)
        return
    seen, masked, nan = decode(stack)
    ledger.numbers(
        "weights of every head", seen, weights, STEP, f"{kind}: layer, head, row, column"
    )
    hidden = ~truth.mask(kind) & (weights == 0)
    ledger.same("masked cells", int((masked != hidden).sum()), 0, kind)
    ledger.same("cells that are no number", int((nan != np.isnan(weights)).sum()), 0, kind)
    rows = np.abs(seen.sum(axis=-1) - 1)
    ledger.numbers(
        "sum of each row, from 1",
        rows,
        np.zeros_like(rows),
        STEP * seen.shape[-1],
        f"{kind}: layer, head, row",
    )


def _largest_of_parts(weights: Array, drawn: list[int]) -> Array:
    """Divide rows and columns into so many parts, and keep the largest weight of each."""
    for axis, count in zip((2, 3), drawn, strict=True):
        ends = np.arange(count) * weights.shape[axis] // count
        weights = np.maximum.reduceat(weights, ends, axis=axis)
    return weights


def _compare_axes(run: dict[str, Any], kind: str, truth: Truth, ledger: Ledger) -> None:
    stack = run["kinds"][kind]
    names = []
    for axis, count in (("queries", stack["rows"]), ("keys", stack["columns"])):
        text, first = stack[axis]
        names.append(run["tokens"][text][first : first + count])
    ledger.same("labels of rows and columns", names, list(truth.axis(kind)), kind)


def _compare_measures(run: dict[str, Any], truth: Truth, ledger: Ledger) -> None:
    links = {tuple(link) for link in run["gold"] or ()}
    for kind, named in run["metrics"].items():
        weights, mask = truth.weights(kind), truth.mask(kind)
        for layer, head in np.ndindex(*weights.shape[:2]):
            found = head_measures(weights[layer, head], mask, is_cross=kind == "cross-attention")
            if not truth.translates:
                ids = truth.target_ids[:-1] if truth.target_ids else truth.source_ids
                found |= repeats(weights[layer, head], ids)
            if links and kind == "cross-attention":
                found["gold"] = gold_share(weights[layer, head], links)
            place = f"{kind} L{layer} H{head}"
            for name, values in named.items():
                if name in found:
                    ledger.number(
                        f"measure: {name}", values[layer][head], found[name], _MEASURED, place
                    )
            for name, value in found.items():
                if name not in named and not math.isnan(value):
                    ledger.same("measures that are sent", "none", name, place)


def _compare_gold(run: dict[str, Any], truth: Truth, ledger: Ledger) -> None:
    """Of a held-out pair the file says the alignment: word i of the source, j of the target."""
    if not truth.translates:
        return
    wanted = truth.state.source
    for source, target, alignment in held_out(truth.files.about["task"]):
        if source == wanted and truth.words.target.encode(target) == truth.target_ids[1:-1]:
            links = [tuple(map(int, pair.split("-"))) for pair in alignment.split()]
            expected = {(row, column) for column, row in links}
            got = {tuple(link) for link in run["gold"] or ()}
            ends = (len(truth.target_ids) - 2, len(truth.source_ids) - 1)
            ledger.same("gold alignment", sorted(got - {ends}), sorted(expected), wanted)
            return
