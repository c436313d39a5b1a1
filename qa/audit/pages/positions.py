"""The page of positions: the run without them, the encoding's numbers, its waves."""

import math
import re

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import NUMBER, check_stated, read_number, says
from qa.audit.page_reader import Seen
from qa.audit.pages.frame import check_frame
from qa.audit.pages.sent import check_run
from qa.audit.reference.layers import position_vectors
from qa.audit.reference.transformer import KINDS, Reference
from qa.audit.tables import captioned, check_matrix, headed, open_all
from qa.audit.truth import State, Truth

URL = "positions"
_FOLDS = {f"more_positions_{name}": "true" for name in ("head", "encoding", "order")}
_NO_WORDS = "(no words)"
"""What the page says in the place of a text without any."""


def check(seen: Seen, state: State, truth: Truth, ledger: Ledger) -> None:
    """Hold the reruns, one head before and after, and the encoding against the reference."""
    if not truth.translates:
        return
    seen.open(URL, state.query(**_FOLDS))
    check_frame(seen, truth, ledger)
    check_run(seen, truth, ledger)
    none = {f"{side}_embedding.positions": np.zeros_like for side in ("source", "target")}
    without = Reference(truth.files, {**truth.reference.changes, **none})
    _check_reruns(seen, truth, without, ledger)
    _check_head(seen, truth, without, ledger)
    _check_encoding(seen, truth, ledger)


def _check_reruns(seen: Seen, truth: Truth, without: Reference, ledger: Ledger) -> None:
    table = headed(seen, "loss, nats a token")
    if table is None:
        ledger.missing("losses with and without positions")
        return
    for line, reference in zip(table[1:], (truth.reference, without), strict=False):
        logits, ids = truth.step_logits(reference), np.asarray(truth.target_ids[1:])
        loss, ranked = truth.loss_of(logits), int((logits.argmax(axis=-1) == ids).sum())
        check_stated(ledger, "loss, nats a token", line[1], loss, place=line[0], slack=2e-5)
        ledger.same("tokens ranked first", line[2], f"{ranked} of {len(ids)}", line[0])
    text = seen.text()
    match = re.search(r"as it is (.+?) without positions (.+?) Positions ", text)
    if match is None:
        ledger.note("the texts of the reruns are not side by side")
        return
    most = max(64, 2 * len(truth.source_ids))
    ids = without.greedy(truth.source_ids, truth.prompt, most)[1:]
    written = truth.words.written(ids) or _NO_WORDS
    ledger.same("text as it is", match[1].strip(), truth.text or _NO_WORDS)
    squeezed, whole = (text.replace(" ", "") for text in (match[2], written))
    right = squeezed == whole or squeezed.rstrip("…") in whole
    ledger.holds("text without positions", match[2], right, written)


def _check_head(seen: Seen, truth: Truth, without: Reference, ledger: Ledger) -> None:
    named = seen.head_named("Attention")
    if named is None:
        ledger.missing("one head with and without positions")
        return
    kind, layer, head = named
    path = f"{KINDS[kind][0]}.layers.{layer}.{KINDS[kind][1]}"
    before = truth.weights(kind)[layer, head]
    changed = without.forward(truth.source_ids, truth.target_ids[:-1])
    after, mask = changed.weights(kind)[layer, head], truth.mask(kind)
    tables, hidden = open_all(seen), None if mask.all() else mask
    pictures = ("As it is", before), ("Changed", after), ("Difference", after - before)
    for caption, values in pictures:
        what, cells = f"head: {caption}", captioned(tables, caption)
        if cells is None:
            ledger.missing(what)
        else:
            check_matrix(ledger, what, cells, values, mask=hidden, place=path, slack=1e-5)


def _check_encoding(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    text = seen.text()
    kind, width = truth.reference.config["positions"], truth.reference.d_model
    waves = {
        "sinusoidal": lambda j: 2 * math.pi * 10000 ** ((j - j % 2) / width),
        "double_sine": lambda j: 2 * math.pi * 1000 ** (2 * j / width),
    }
    grow = r"waves grow from <#> positions in dimension (\d+) to <#> in dimension (\d+)"
    if (match := says(ledger, text, grow)) and kind in waves:
        for length, dimension in (match.groups()[:2], match.groups()[2:]):
            long = waves[kind](int(dimension))
            check_stated(ledger, "length of a wave", length, long, place=dimension)
    move = r"<#> of <#> dimensions move by less than <#> over (\d+) positions"
    if match := says(ledger, text, move):
        table = position_vectors(kind, int(match[4]) + 1, width)
        still = [int((np.ptp(of, axis=0) < float(match[3])).sum()) for of in (table[:-1], table)]
        ledger.among("dimensions that hardly move", int(match[1]), still)
    equals = r"equals (\w+)_embedding\.positions\[(\d+), (\d+)\] of this run ± <#>"
    if match := says(ledger, text, equals):
        value = truth.run.tensors[f"{match[1]}_embedding.positions"][int(match[2]), int(match[3])]
        ledger.holds("badge: equals this run", match[0], read_number(match[4]).middle < 1e-6)
        for stated in re.findall(rf"= ?({NUMBER})", text[: match.start()])[-1:]:
            check_stated(ledger, "one number of the encoding", stated, value, slack=1e-6)
    if match := says(ledger, text, "without positions the rows only move ± <#>"):
        ledger.holds("badge: the rows only move", match[0], read_number(match[1]).middle < 1e-4)
    pictures = [trace.get("z") for plot in seen.plots() for trace in plot["data"]]
    for z in pictures:
        if z and np.shape(z)[-1] == width and kind in (*waves, "single_frequency"):
            computed = position_vectors(kind, len(z), width)
            ledger.numbers("picture of the encoding", z, computed, 2e-3)
