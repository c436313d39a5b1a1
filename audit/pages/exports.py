"""What leaves the app: a head as CSV and Parquet, the run as arrays, the view as one file."""

import csv
import io
import json
import re
import tempfile
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from audit.browser import wait
from audit.ledger import Ledger
from audit.numbers import NUMBER, check_stated, read_number
from audit.pages.map import check_arrays
from audit.reference.files import parse_safetensors
from audit.seen import STEP, Seen
from audit.truth import State, Truth

URL = "exports"


def check(seen: Seen, state: State, truth: Truth, ledger: Ledger) -> None:
    """Save from the page of attention, with a head of the last kind in view."""
    kind = truth.run.kinds[-1]
    weights = truth.weights(kind)
    layer, head = weights.shape[0] - 1, weights.shape[1] - 1
    query = weights.shape[2] // 2
    key = int(weights[layer, head, query].argmax())
    seen.open("attention", state.query(kind=kind, layer=layer, head=head, query=query, key=key))
    own = weights[layer, head]
    place = f"{kind} L{layer} H{head}"
    _check_csv(_saved(seen, "the head", "CSV").decode("utf-8-sig"), own, ledger, place)
    _check_parquet(_saved(seen, "the head", "Parquet"), truth, own, ledger, place)
    with np.load(io.BytesIO(_saved(seen, "the head", "NPZ")), allow_pickle=False) as arrays:
        check_arrays({n: arrays[n] for n in arrays.files}, truth, ledger, "run as NPZ")
    check_arrays(
        parse_safetensors(_saved(seen, "the head", "safetensors")),
        truth,
        ledger,
        "run as safetensors",
    )
    if truth.reference.config.get("d_ff") and len(truth.run.kinds) == 3:
        _check_offline(
            seen, truth, _saved(seen, "this view", "HTML"), ledger, (kind, layer, head, query, key)
        )


def _saved(seen: Seen, what: str, kind: str) -> bytes:
    button = seen.page.get_by_role("button", name=f"Save {what}", exact=True)
    button.focus()
    seen.page.keyboard.press("Enter")
    item = seen.page.locator(".loupe-save-menu:popover-open").get_by_role("menuitem")
    with seen.page.expect_download() as download:
        item.filter(has_text=kind).first.click()
    seen.rest()
    return Path(download.value.path()).read_bytes()


def _numbers(rows: list[list[str]]) -> list[list[str]]:
    return [r for r in rows if r and not r[0].startswith("#")]


def _check_csv(text: str, own: np.ndarray, ledger: Ledger, place: str) -> None:
    rows = _numbers(list(csv.reader(io.StringIO(text))))
    names, body = rows[0], rows[1:]
    if "weight" in names and len(body) == own.size:
        found = [read_number(r[names.index("weight")]).middle for r in body]
        ledger.numbers("head as CSV", np.reshape(found, own.shape), own, STEP, place)
    else:
        found_ = [[read_number(c or "0").middle for c in r[-own.shape[1] :]] for r in body]
        ledger.numbers("head as CSV", found_, own, STEP, place)


def _check_parquet(
    contents: bytes, truth: Truth, own: np.ndarray, ledger: Ledger, place: str
) -> None:
    table = pq.read_table(io.BytesIO(contents))
    said = json.loads((table.schema.metadata or {}).get(b"Loupe", b"{}"))
    ledger.same("provenance: checkpoint", said.get("checkpoint"), truth.state.checkpoint, place)
    ledger.same("provenance: written", said.get("target"), truth.text, place)
    if digest := truth.files.about.get("sha256"):
        ledger.same("provenance: sha256", said.get("sha256"), digest, place)
    columns = table.to_pydict()
    name = next((n for n in columns if n == "weight"), None)
    if name and len(columns[name]) == own.size:
        ledger.numbers(
            "head as Parquet",
            np.reshape(np.asarray(columns[name], float), own.shape),
            own,
            STEP,
            place,
        )
    else:
        numbers = [
            np.asarray(v, float) for n, v in columns.items() if np.asarray(v).dtype.kind == "f"
        ]
        ledger.numbers(
            "head as Parquet",
            np.nan_to_num(np.stack(numbers[-own.shape[1] :], axis=1)),
            own,
            STEP,
            place,
        )


def _check_offline(
    seen: Seen,
    truth: Truth,
    contents: bytes,
    ledger: Ledger,
    chosen: tuple[str, int, int, int, int],
) -> None:
    """Open the file without a network: the cell that it shows, and one that is chosen there."""
    kind, layer, head, query, key = chosen
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "view.html"
        file.write_bytes(contents)
        browser = seen.page.context.browser
        assert browser is not None
        context = browser.new_context(offline=True)
        page = context.new_page()
        page.add_init_script((Path(__file__).parents[1] / "spy.js").read_text("utf-8"))
        page.goto(file.as_uri())
        wait(page, "() => Boolean(document.querySelector('#cell_words .cell-answer'))")
        rows, columns = truth.axis(kind)
        row = truth.weights(kind)[layer, head, query]
        text = page.evaluate("() => auditText(document.querySelector('#cell_words'))")
        place = f"offline: {kind} L{layer} H{head}, row {query}, column {key}"
        if match := re.search(rf"in head (\d+)\? ({NUMBER}) of the weight", text):
            ledger.same("offline view: head", int(match[1]), head, place)
            check_stated(ledger, "offline view: weight", match[2], float(row[key]), place=place)
        else:
            ledger.missing("offline view: weight")
        ledger.holds(
            "offline view: cell",
            text[:80],
            rows[query] in text and columns[key] in text,
            place=place,
        )
        if match := re.search(rf"match with ({NUMBER})", text):
            score = truth.run.stacked(kind, "scores")[layer, head, query, key]
            check_stated(
                ledger, "offline view: score", match[1], float(score), place=place, slack=2e-5
            )
        context.close()
