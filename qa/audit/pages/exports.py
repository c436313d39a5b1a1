"""What leaves the app: a head as CSV, the run as arrays, the view as one file."""

import csv
import io
import json
import tempfile
from pathlib import Path

import numpy as np

from qa.audit.browser import wait
from qa.audit.ledger import Ledger
from qa.audit.page_reader import Seen
from qa.audit.pages.attention import check_card, check_products
from qa.audit.pages.map import check_arrays
from qa.audit.reference.files import parse_safetensors
from qa.audit.reference.transformer import KINDS
from qa.audit.truth import State, Truth

URL = "exports"


def check(seen: Seen, state: State, truth: Truth, ledger: Ledger) -> None:
    """Save from the page of attention, with a head of the last kind in view."""
    kind = truth.run.kinds[-1]
    weights = truth.weights(kind)
    layer, head = weights.shape[0] - 1, weights.shape[1] - 1
    query = weights.shape[2] // 2
    key = int(weights[layer, head, query].argmax())
    seen.open("attention", state.query(kind=kind, layer=layer, head=head, query=query, key=key))
    place = f"{kind} L{layer} H{head}"
    with np.load(io.BytesIO(_saved(seen, "the head", "NPZ")), allow_pickle=False) as arrays:
        found = {n: arrays[n] for n in arrays.files}
    check_arrays(found, truth, ledger, "run as NPZ")
    stack, part = KINDS[kind]
    own = found[f"{stack}.layers.{layer}.{part}.weights"][0, head]
    _check_csv(_saved(seen, "the head", "CSV").decode("utf-8-sig"), truth, own, ledger, place)
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


def _check_csv(text: str, truth: Truth, own: np.ndarray, ledger: Ledger, place: str) -> None:
    """Hold a head as text against the file of the run, to the last digit of float32."""
    lines = [r for r in csv.reader(io.StringIO(text)) if r]
    rows = [r for r in lines if not r[0].startswith("#")]
    at = rows[0].index("weight")
    found = np.array([float(r[at]) for r in rows[1:]], np.float32)
    ledger.numbers("head as CSV", found, own.ravel(), 0.0, place)
    said = json.loads(lines[-1][0].removeprefix("# Loupe "))
    ledger.same("provenance: checkpoint", said.get("checkpoint"), truth.state.checkpoint, place)
    ledger.same("provenance: written", said.get("target"), truth.text, place)
    if digest := truth.files.about.get("sha256"):
        ledger.same("provenance: sha256", said.get("sha256"), digest, place)


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
        inside = Seen(page, file.as_uri())
        cell = {"kind": kind, "layer": layer, "head": head, "query": query, "key": key}
        place = f"offline: {kind} L{layer} H{head}, row {query}, column {key}"
        before = ledger.values
        check_card(inside.text("#cell_words"), truth, ledger, cell, place)
        ledger.holds("offline view: its card", place, ledger.values - before >= 8)
        check_products(inside.tables(), truth, ledger, cell, place)
        context.close()
