"""The page of the map: its answer, tensors as tables and files."""

import csv
import io
import re
from pathlib import Path

import numpy as np

from qa.audit.ledger import Ledger
from qa.audit.numbers import NUMBER, count, read_number, says
from qa.audit.page_reader import Seen
from qa.audit.pages.frame import check_frame
from qa.audit.pages.sent import check_run
from qa.audit.reference.files import Array
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
    said, config = seen.text(".loupe-answer"), truth.reference.config
    read = len(truth.source_ids or truth.target_ids[:-1])
    layers, what = config["n_encoder_layers"] or config["n_decoder_layers"], "the answer's numbers"
    claims = [(what, number) for number in (read, read, config["d_model"], layers)]
    sizes = r"<#> tokens become <#> × <#> numbers and pass (\d+) layers?"
    if says(ledger, said, sizes, *claims) is None:
        ledger.note(f"another answer: {said[:80]}")
        return
    written = (what, len(truth.target_ids) - len(truth.prompt))
    says(ledger, said, r"writes (\d+) tokens", written)


def _check_tensor(seen: Seen, truth: Truth, ledger: Ledger, name: str) -> None:
    values, text = truth.run.tensors[name], seen.text()
    shape = re.search(rf"{re.escape(name)} ?({NUMBER}(?: × {NUMBER})+)", text)
    if shape is None:
        ledger.missing("shape of a tensor")
    else:
        size = [count(n) for n in shape[1].split(" × ")]
        ledger.same("shape of a tensor", size, list(values.shape), name)
    finite, what = values[np.isfinite(values)], "range of a tensor"
    ends = (what, finite.min()), (what, finite.max())
    says(ledger, text, "Values from <#> to <#>", *ends, place=name, slack=FLOAT32)
    tables = [c for caption, c in open_all(seen).items() if "×" in caption or "head" in caption]
    for cells in tables[:1]:
        tested = values.reshape(-1, *values.shape[-2:])[0]
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
            mask = np.broadcast_to(one.reshape(one.shape[-2:]), computed.shape)
            ledger.same(f"{kind}: masks", int((mask != computed.astype(bool)).sum()), 0, name)
            continue
        finite = np.abs(computed[np.isfinite(computed)]).max(initial=1.0)
        ledger.numbers(f"{kind}: tensors", one, computed, FLOAT32 + 4e-6 * finite, name)
    unkept = (".products", ".mask", ".masked_scores")
    named = {n for n in truth.run.tensors if not n.endswith(unkept)}
    ledger.same(f"{kind}: names", sorted(named - set(arrays)), [], f"{found} compared")


def _check_csv(text: str, values: Array, ledger: Ledger) -> None:
    rows = [r for r in csv.reader(io.StringIO(text)) if r and not r[0].startswith("#")]
    numbers: list[float] = []
    for cells in rows[1:]:
        try:
            numbers.append(read_number(cells[-1]).middle)
        except ValueError:
            continue
    room = FLOAT32 + 1e-5 * np.abs(values).max()
    if len(rows) - 1 == values.size:
        ledger.numbers("CSV: one number a line", numbers, values.ravel(), room)
    else:
        width = values.shape[-1]
        body = [[float(c) for c in cells[-width:]] for cells in rows[1:]]
        ledger.numbers("CSV: a row a line", body, values.reshape(-1, width), room)
