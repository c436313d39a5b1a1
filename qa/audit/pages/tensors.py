"""The map and the downloads: tensors as tables, CSV, arrays, and the view as one file."""

import csv
import io
import json
import re
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from qa.audit.browser import SPY, wait
from qa.audit.numbers import NUMBER, count, read_number
from qa.audit.pages.cell import check_card, check_numbers
from qa.audit.pages.run import check_frame, check_run
from qa.audit.reference.files import Array, parse_safetensors
from qa.audit.reference.transformer import KINDS
from qa.audit.visit import Visit

FLOAT32 = 6e-5
"""The float32 error of the largest tensors of these models, scores and streams up to 60."""
NAMED = (
    "source_embedding.output",
    "encoder.layers.0.self_attn.query",
    "decoder.layers.0.self_attn.weights",
    "decoder.layers.0.feed_forward.hidden",
    "logits",
)


def map_(visit: Visit) -> None:
    """Check the answer, one tensor of each sort and the file of all tensors."""
    names = [n for n in NAMED if n in visit.truth.run.tensors]
    for name in names:
        visit.open("map", visit.state.query(tensor=name, more_map_tensor="true"))
        if name == names[0]:
            check_frame(visit)
            check_run(visit)
            _check_answer(visit)
        _check_tensor(visit.at(name), visit.truth.run.tensors[name])
    _check_csv(visit, _downloaded(visit, "This tensor (CSV)"), visit.truth.run.tensors[names[-1]])
    check_arrays(visit, _arrays(_downloaded(visit, "All tensors of the run (NPZ)")), "NPZ")


def _downloaded(visit: Visit, words: str) -> bytes:
    with visit.page.expect_download() as download:
        visit.page.get_by_text(words).click()
    return Path(download.value.path()).read_bytes()


def _arrays(contents: bytes) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(contents), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def _rows(text: str) -> Iterator[list[str]]:
    return (row for row in csv.reader(io.StringIO(text)) if row and not row[0].startswith("#"))


def _check_answer(visit: Visit) -> None:
    truth, config, said = visit.truth, visit.truth.reference.config, visit.text(".loupe-answer")
    read, what = len(truth.source_ids or truth.target_ids[:-1]), "the answer's numbers"
    claims = [(what, number) for number in (read, config["d_model"])]
    if visit.says(said, "<#> × <#> numbers", *claims) is None:
        visit.note(f"another answer: {said[:80]}")
        return
    written = (what, len(truth.target_ids) - len(truth.prompt))
    visit.says(said, r"writes (\d+) tokens", written)


def _check_tensor(visit: Visit, values: Array) -> None:
    text = visit.text()
    shape = re.search(rf"{re.escape(visit.place)} ?({NUMBER}(?: × {NUMBER})+)", text)
    size = [count(n) for n in shape[1].split(" × ")] if shape else None
    visit.same("shape of a tensor", size, list(values.shape))
    check_values(visit, values)


def check_values(visit: Visit, values: Array) -> None:
    """Check the range of a tensor, and its first matrix as a table."""
    text, what = visit.text(), "range of a tensor"
    finite = values[np.isfinite(values)]
    ends = (what, finite.min()), (what, finite.max())
    visit.says(text, "Values range from <#> to <#>", *ends, slack=FLOAT32)
    tables = [c for caption, c in visit.captioned().items() if "×" in caption or "head" in caption]
    for cells in tables[:1]:
        first = values.reshape(-1, *values.shape[-2:])[0]
        visit.matrix("tensor as a table", cells, first, slack=FLOAT32)


def check_arrays(visit: Visit, arrays: dict[str, np.ndarray], kind: str) -> None:
    """Check every tensor of a file against the reference's of the same name.

    The reference has keys and values that several heads share once for each of these heads.
    """
    config, tensors = visit.truth.reference.config, visit.truth.run.tensors
    sharing = config["n_heads"] // (config.get("n_kv_heads") or config["n_heads"])
    for name, values in arrays.items():
        computed = tensors.get(name)
        if computed is None or values.dtype.kind not in "fb":
            continue
        one = values[0] if values.ndim == computed.ndim + 1 else values
        if name.endswith((".key", ".value")):
            computed = computed[::sharing]
        if values.dtype.kind == "b":
            mask = np.broadcast_to(one.reshape(one.shape[-2:]), computed.shape)
            visit.same(f"{kind}: masks", int((mask != computed.astype(bool)).sum()), 0, name)
            continue
        finite = np.abs(computed[np.isfinite(computed)]).max(initial=1.0)
        visit.numbers(f"{kind}: tensors", one, computed, FLOAT32 + 4e-6 * finite, name)
    unkept = (".products", ".mask", ".masked_scores", "_norm.output")
    named = {n for n in tensors if not n.endswith(unkept)}
    visit.same(f"{kind}: names", sorted(named - set(arrays)), [])


def _check_csv(visit: Visit, contents: bytes, values: Array) -> None:
    _, *rows = _rows(contents.decode("utf-8-sig"))
    room = FLOAT32 + 1e-5 * np.abs(values).max()
    if len(rows) == values.size:
        numbers = [read_number(cells[-1]).middle for cells in rows]
        visit.numbers("CSV: one number a line", numbers, values.ravel(), room)
    else:
        width = values.shape[-1]
        body = [[float(c) for c in cells[-width:]] for cells in rows]
        visit.numbers("CSV: a row a line", body, values.reshape(-1, width), room)


def exports(visit: Visit) -> None:
    """Save from the Attention page, with a head of the last kind in view."""
    truth, kind = visit.truth, visit.truth.run.kinds[-1]
    weights = truth.weights(kind)
    layer, head, query = weights.shape[0] - 1, weights.shape[1] - 1, weights.shape[2] // 2
    key = int(weights[layer, head, query].argmax())
    cell = {"kind": kind, "layer": layer, "head": head, "query": query, "key": key}
    visit.open("attention", visit.state.query(**cell))
    found = _arrays(_saved(visit, "the head", "NPZ"))
    check_arrays(visit, found, "run as NPZ")
    stack, part = KINDS[kind]
    own = found[f"{stack}.layers.{layer}.{part}.weights"][0, head]
    text = _saved(visit, "the head", "CSV").decode("utf-8-sig")
    _check_head(visit.at(f"{kind} L{layer} H{head}"), text, own)
    tensors = parse_safetensors(_saved(visit, "the head", "safetensors"))
    check_arrays(visit, tensors, "run as safetensors")
    if truth.reference.config.get("d_ff") and len(truth.run.kinds) == 3:
        _check_offline(visit, _saved(visit, "", "HTML"), cell)


def _saved(visit: Visit, what: str, kind: str) -> bytes:
    visit.page.get_by_role("button", name=f"Save {what}".strip(), exact=True).focus()
    visit.page.keyboard.press("Enter")
    item = visit.page.locator(".loupe-save-menu:popover-open").get_by_role("menuitem")
    with visit.page.expect_download() as download:
        item.filter(has_text=kind).first.click()
    visit.rest()
    return Path(download.value.path()).read_bytes()


def _check_head(visit: Visit, text: str, own: np.ndarray) -> None:
    """Check a head as text against the file of the run, to the last digit of float32."""
    names, *rows = _rows(text)
    at = names.index("weight")
    found = np.array([float(row[at]) for row in rows], np.float32)
    visit.numbers("head as CSV", found, own.ravel(), 0.0)
    said = json.loads(list(csv.reader(io.StringIO(text.strip())))[-1][0].removeprefix("# Loupe "))
    checkpoint, digest = visit.state.checkpoint, visit.truth.files.about.get("sha256")
    visit.same("provenance: checkpoint", said.get("checkpoint"), checkpoint)
    visit.same("provenance: written", said.get("target"), visit.truth.text)
    if digest:
        visit.same("provenance: sha256", said.get("sha256"), digest)


def _check_offline(visit: Visit, contents: bytes, cell: dict[str, object]) -> None:
    """Open the file without a network, and check its card."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "view.html"
        file.write_bytes(contents)
        context = visit.page.context.browser.new_context(offline=True)
        page = context.new_page()
        page.add_init_script(SPY)
        page.goto(file.as_uri())
        wait(page, "() => Boolean(document.querySelector('#cell_words .cell-line'))")
        before, inside = visit.ledger.values, replace(visit, page=page)
        check_card(inside, inside.text("#cell_words"), cell)
        visit.holds("offline view: its card", str(cell), visit.ledger.values - before >= 8)
        check_numbers(inside, cell, "#cell")
        context.close()
