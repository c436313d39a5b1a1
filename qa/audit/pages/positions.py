"""The page of positions: the run without them, the encoding's numbers, its waves."""

import math
import re

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import NUMBER, check_stated, read_number
from qa.audit.pages.frame import check_frame
from qa.audit.pages.sent import check_run
from qa.audit.reference.layers import log_softmax, position_vectors
from qa.audit.reference.transformer import Reference
from qa.audit.seen import Seen
from qa.audit.tables import check_matrix, open_all
from qa.audit.truth import State, Truth

URL = "positions"
_NO_WORDS = "(no words)"
"""What the page says in the place of a text without any."""


def check(seen: Seen, state: State, truth: Truth, ledger: Ledger) -> None:
    """Hold the reruns, one head before and after, and the encoding against the reference."""
    if not truth.translates:
        return
    seen.open(
        URL,
        state.query(
            more_positions_head="true", more_positions_encoding="true", more_positions_order="true"
        ),
    )
    check_frame(seen, truth, ledger)
    check_run(seen, truth, ledger)
    without = Reference(
        truth.files,
        dict(truth.reference.changes)
        | {
            "source_embedding.positions": np.zeros_like,
            "target_embedding.positions": np.zeros_like,
        },
    )
    _check_reruns(seen, truth, without, ledger)
    _check_head(seen, truth, without, ledger)
    _check_encoding(seen, truth, ledger)


def _check_reruns(seen: Seen, truth: Truth, without: Reference, ledger: Ledger) -> None:
    table = next((t for t in seen.tables() if t and "loss, nats a token" in " ".join(t[0])), None)
    if table is None:
        ledger.missing("losses with and without positions")
        return
    for line, reference in zip(table[1:], (truth.reference, without), strict=False):
        logs = log_softmax(reference.step_logits(truth.source_ids, truth.target_ids[:-1]))
        ids = np.asarray(truth.target_ids[1:])
        loss = float(-logs[np.arange(len(ids)), ids].mean())
        check_stated(ledger, "loss, nats a token", line[1], loss, place=line[0], slack=2e-5)
        ranked = int((logs.argmax(axis=-1) == ids).sum())
        ledger.same("tokens ranked first", line[2], f"{ranked} of {len(ids)}", line[0])
    text = seen.text()
    match = re.search(r"as it is (.+?) without positions (.+?) Positions ", text)
    if match is None:
        ledger.note("the texts of the reruns are not side by side")
        return
    most = max(64, 2 * len(truth.source_ids))
    written = truth.words.written(without.greedy(truth.source_ids, truth.prompt, most)[1:])
    written = written or _NO_WORDS
    ledger.same("text as it is", match[1].strip(), truth.text or _NO_WORDS)
    squeezed = match[2].replace(" ", "")
    ledger.holds(
        "text without positions",
        match[2],
        squeezed == written.replace(" ", "") or squeezed.rstrip("…") in written.replace(" ", ""),
        written,
    )


def _check_head(seen: Seen, truth: Truth, without: Reference, ledger: Ledger) -> None:
    text = seen.text()
    match = re.search(r"Attention ?(encoder|decoder)\.layers\.(\d+)\.(\w+)\.weights\[(\d+)\]", text)
    if match is None:
        ledger.missing("one head with and without positions")
        return
    name = f"{match[1]}.layers.{match[2]}.{match[3]}.weights"
    head = int(match[4])
    before = truth.run.tensors[name][head]
    after = without.forward(truth.source_ids, truth.target_ids[:-1]).tensors[name][head]
    mask = truth.run.tensors[name.replace("weights", "mask")].astype(bool)
    tables = open_all(seen)
    for caption, values in (
        ("As it is", before),
        ("Changed", after),
        ("Difference", after - before),
    ):
        cells = next((c for n, c in tables.items() if n.startswith(caption)), None)
        if cells is None:
            ledger.missing(f"head: {caption}")
            continue
        check_matrix(
            ledger,
            f"head: {caption}",
            cells,
            values,
            mask=None if mask.all() else mask,
            place=name,
            slack=1e-5,
        )


def _check_encoding(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    text = seen.text()
    kind, width = truth.reference.config["positions"], truth.reference.d_model
    if match := re.search(
        rf"waves grow from ({NUMBER}) positions in dimension (\d+) "
        rf"to ({NUMBER}) in dimension (\d+)",
        text,
    ):
        wave = {
            "sinusoidal": lambda j: 2 * math.pi * 10000 ** ((j - j % 2) / width),
            "double_sine": lambda j: 2 * math.pi * 1000 ** (2 * j / width),
        }.get(kind)
        if wave:
            for length, dimension in (match.groups()[:2], match.groups()[2:]):
                check_stated(
                    ledger, "length of a wave", length, wave(int(dimension)), place=dimension
                )
    if match := re.search(
        rf"({NUMBER}) of ({NUMBER}) dimensions move by less than ({NUMBER}) over (\d+) positions",
        text,
    ):
        table = position_vectors(kind, int(match[4]) + 1, width)
        for count in (table[:-1], table):
            still = int((count.max(axis=0) - count.min(axis=0) < float(match[3])).sum())
            if still == int(match[1]):
                break
        ledger.same("dimensions that hardly move", int(match[1]), still)
    if match := re.search(
        rf"equals (\w+)_embedding\.positions\[(\d+), (\d+)\] of this run ± ({NUMBER})", text
    ):
        position, dimension = int(match[2]), int(match[3])
        value = truth.run.tensors[f"{match[1]}_embedding.positions"][position, dimension]
        ledger.holds("badge: equals this run", match[0], read_number(match[4]).middle < 1e-6)
        stated = re.findall(rf"= ?({NUMBER})", text[: match.start()])
        if stated:
            check_stated(ledger, "one number of the encoding", stated[-1], float(value), slack=1e-6)
    if match := re.search(rf"without positions the rows only move ± ({NUMBER})", text):
        ledger.holds("badge: the rows only move", match[0], read_number(match[1]).middle < 1e-4)
    for plot in seen.plots():
        for trace in plot["data"]:
            z = trace.get("z")
            if (
                z
                and np.shape(z)[-1] == width
                and kind in ("sinusoidal", "double_sine", "single_frequency")
            ):
                computed = position_vectors(kind, len(z), width)
                ledger.numbers("picture of the encoding", z, computed, 2e-3)
