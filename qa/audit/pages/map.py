"""The page of the map: its answer, tensors as tables and files."""

import csv
import io
import re
from pathlib import Path

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import NUMBER, check_stated, read_number
from qa.audit.pages.frame import check_frame
from qa.audit.pages.sent import check_run
from qa.audit.reference.files import Array
from qa.audit.seen import Seen
from qa.audit.tables import check_matrix, open_all
from qa.audit.truth import State, Truth

URL = "map"
FLOAT32 = 6e-5
"""How far float32 takes the largest tensors of these models: scores and streams up to 60."""


def check(seen: Seen, state: State, truth: Truth, ledger: Ledger) -> None:
    """Hold the answer, one tensor of each sort and the file of all tensors."""
    names = [n for n in _NAMED if n in truth.run.tensors]
    for number, name in enumerate(names):
        seen.open(URL, state.query(tensor=name, more_map_tensor="true"))
        if not number:
            check_frame(seen, truth, ledger)
            check_run(seen, truth, ledger)
            _check_answer(seen, truth, ledger)
        _check_tensor(seen, truth, ledger, name)
    _check_files(seen, truth, ledger, names[-1])


_NAMED = (
    "source_embedding.output",
    "encoder.layers.0.self_attn.query",
    "decoder.layers.0.self_attn.weights",
    "decoder.layers.0.feed_forward.hidden",
    "logits",
)


def _check_answer(seen: Seen, truth: Truth, ledger: Ledger) -> None:
    said = seen.text(".loupe-answer")
    config = truth.reference.config
    read = truth.source_ids or truth.target_ids[:-1]
    match = re.search(
        rf"({NUMBER}) tokens become ({NUMBER}) × ({NUMBER}) numbers and pass (\d+) layers?", said
    )
    if match is None:
        ledger.note(f"another answer: {said[:80]}")
        return
    layers = config["n_encoder_layers"] or config["n_decoder_layers"]
    expected = [len(read), len(read), config["d_model"], layers]
    ledger.same("the answer's numbers", [int(n.replace(",", "")) for n in match.groups()], expected)
    if match := re.search(r"writes (\d+) tokens", said):
        ledger.same(
            "the answer's numbers", int(match[1]), len(truth.target_ids) - len(truth.prompt)
        )


def _check_tensor(seen: Seen, truth: Truth, ledger: Ledger, name: str) -> None:
    values = truth.run.tensors[name]
    text = seen.text()
    shape = re.search(rf"{re.escape(name)} ?({NUMBER}(?: × {NUMBER})+)", text)
    if shape is None:
        ledger.missing("shape of a tensor")
    else:
        size = [int(n.replace(",", "")) for n in shape[1].split(" × ")]
        ledger.same("shape of a tensor", size, list(values.shape), name)
    if match := re.search(rf"Values from ({NUMBER}) to ({NUMBER})", text):
        finite = values[np.isfinite(values)]
        for said, computed in zip(match.groups(), (finite.min(), finite.max()), strict=True):
            check_stated(
                ledger, "range of a tensor", said, float(computed), place=name, slack=FLOAT32
            )
    tables = [c for caption, c in open_all(seen).items() if "×" in caption or "head" in caption]
    flat = values.reshape(-1, *values.shape[-2:])
    for cells in tables[:1]:
        tested = flat[0] if values.ndim > 2 else values
        if values.ndim > 2 and (match := re.search(r"head (\d+)", text)):
            tested = values[0]
        check_matrix(ledger, "tensor as a table", cells, tested, place=name, slack=FLOAT32)


def _check_files(seen: Seen, truth: Truth, ledger: Ledger, name: str) -> None:
    with seen.page.expect_download() as download:
        seen.page.get_by_text("This tensor (CSV)").click()
    _check_csv(Path(download.value.path()).read_text("utf-8"), truth.run.tensors[name], ledger)
    with seen.page.expect_download() as download:
        seen.page.get_by_text("All tensors of the run (NPZ)").click()
    with np.load(Path(download.value.path())) as arrays:
        check_arrays({n: arrays[n] for n in arrays.files}, truth, ledger, "NPZ")


def check_arrays(arrays: dict[str, np.ndarray], truth: Truth, ledger: Ledger, kind: str) -> None:
    """Hold every tensor of a file against the reference's of the same name.

    Of keys and values that several heads share, the reference has one for each of these heads.
    """
    found = 0
    config = truth.reference.config
    sharing = config["n_heads"] // (config.get("n_kv_heads") or config["n_heads"])
    for name, values in arrays.items():
        computed = truth.run.tensors.get(name)
        if computed is None or values.dtype.kind not in "fb":
            continue
        found += 1
        one = values[0] if values.ndim == computed.ndim + 1 else values
        if name.endswith((".key", ".value")):
            computed = computed[::sharing]
        if values.dtype.kind == "b":
            differ = np.broadcast_to(
                one.reshape(one.shape[-2:]), computed.shape
            ) != computed.astype(bool)
            ledger.same(f"{kind}: masks", int(differ.sum()), 0, name)
            continue
        finite = np.abs(computed[np.isfinite(computed)]).max(initial=1.0)
        ledger.numbers(f"{kind}: tensors", one, computed, FLOAT32 + 4e-6 * finite, name)
    named = {
        n for n in truth.run.tensors if not n.endswith((".products", ".mask", ".masked_scores"))
    }
    ledger.same(f"{kind}: names", sorted(named - set(arrays)), [], f"{found} compared")


def _check_csv(text: str, values: Array, ledger: Ledger) -> None:
    rows = [r for r in csv.reader(io.StringIO(text)) if r and not r[0].startswith("#")]
    numbers: list[float] = []
    for cells in rows[1:]:
        try:
            numbers.append(read_number(cells[-1]).middle)
        except ValueError:
            continue
    if len(rows) - 1 == values.size:
        ledger.numbers(
            "CSV: one number a line", numbers, values.ravel(), FLOAT32 + 1e-5 * np.abs(values).max()
        )
    else:
        body = [[float(c) for c in cells[-values.shape[-1] :]] for cells in rows[1:]]
        ledger.numbers(
            "CSV: a row a line",
            body,
            values.reshape(-1, values.shape[-1]),
            FLOAT32 + 1e-5 * np.abs(values).max(),
        )
