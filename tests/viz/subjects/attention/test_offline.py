"""A view as one file: its contents, and the arithmetic of its cells."""

import base64
import hashlib
import html
import json
import math
import re
import zlib
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from model.interventions.kinds import Intervention
from tests.checkpoints import DEFAULT, ONE_TEXT
from tests.viz.subjects.attention.making import Cell, Place, made, off, places_of, view_of
from viz.address.selection import Selection, nearest
from viz.heads.head_summary import metrics_by_head
from viz.heads.measures import pack_measures
from viz.run.axes import attention_trace
from viz.run.record import Run
from viz.run.tensor_parcel import TensorParcel
from viz.run.view import View
from viz.subjects.attention import offline
from viz.subjects.attention.offline import estimate, offline_page

PLACE = Place("cross-attention", 0, 1, 2, 3)
SAID: dict[str, object] = {
    "app": "Loupe 1",
    "checkpoint": "tiny",
    "sha256": "b" * 64,
    "source": DEFAULT,
    "target": "t",
    "given": False,
    "decoding": "greedy",
    "edits": ["head off"],
    "device": "cpu",
    "torch": "2",
    "numpy": "2",
    "date": "2026-01-02T03:04",
    "link": "http://x/<img onerror=1>",
}


def page_of(view: View, selection: Selection | None = None) -> str:
    chosen = selection or nearest(view.run, {})[0]
    measures = pack_measures(metrics_by_head(view.run, None), "key")
    return offline_page(view, chosen, measures, SAID).decode()


def sent_in(page: str) -> dict[str, Any]:
    """Return the data of a page: plain values and arrays."""
    found = re.search(r'<script type="application/json" id="sent">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def cells_in(page: str, run: Run, places: list[Place]) -> list[Cell]:
    """Make cells from the data in a page."""
    sent = sent_in(page)
    kind, text = sent["arrays"]["numbers"]
    assert kind == "f4"
    numbers = np.frombuffer(zlib.decompress(base64.b64decode(text)), "<f4")
    parcel = TensorParcel(sent["values"]["run"]["tensors"], pa.table({"number": numbers}))
    return made(run, places, [parcel])


_PAINTED = "decoder.layers.0.cross_attn.weights"
CHANGES = {
    "none": (),
    "painted": (Intervention("point", _PAINTED, rows=(1,), columns=(2,), amount=0.9),),
}


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES)
def test_every_cell_has_its_arithmetic(checkpoint: Checkpoint, changes):
    holds_everywhere(view_of(checkpoint, DEFAULT, *changes))


@pytest.mark.parametrize("name", ["tiny-gpt", "tiny-alibi", "everyday-headlist"])
def test_other_models_have_their_cells(one_text_checkpoints, checkpoints_folder, name):
    """They are models of one text, and one without a causal mask."""
    folder, text = (
        (one_text_checkpoints, ONE_TEXT) if "tiny" in name else (checkpoints_folder, DEFAULT)
    )
    holds_everywhere(view_of(load_checkpoint(folder / name), text))


def test_a_model_without_parameters_has_no_output_step(checkpoint: Checkpoint):
    view = view_of(checkpoint, DEFAULT)
    recorded = replace(view.run, anatomy=replace(view.run.anatomy, is_recorded=True))
    view = view._replace(run=recorded)
    (cell,) = cells_in(page_of(view), view.run, [PLACE])
    assert cell["output"] is None
    assert off(cell) == []


def holds_everywhere(view: View) -> None:
    """Compare each cell with the trace, and each of its steps with float64."""
    places = places_of(view.run)
    for place, cell in zip(places, cells_in(page_of(view), view.run, places), strict=True):
        trace = attention_trace(view.run, place.kind, place.layer)
        assert cell["weight"] == trace.weights[0, place.head, place.query, place.key]
        assert not np.isnan(cell["lines"]).any()
        assert set(off(cell)) <= set(cell["changed"])


def test_of_a_large_run_only_the_selected_head_has_cells(checkpoint, monkeypatch):
    view = view_of(checkpoint, DEFAULT)
    whole = len(page_of(view))
    monkeypatch.setattr(offline, "MOST_CELLS", 1000)
    page = page_of(view, Selection(**PLACE._asdict(), step=2))
    assert len(page) < whole
    places = [PLACE, PLACE._replace(head=2), PLACE._replace(layer=1)]
    cell, *others = cells_in(page, view.run, places)
    assert others == [None, None]
    assert cell["weight"] == attention_trace(view.run, PLACE.kind, 0).weights[0, 1, 2, 3]


def test_the_estimate_is_near_the_size(checkpoint: Checkpoint):
    view = view_of(checkpoint, DEFAULT)
    selection = nearest(view.run, {})[0]
    told = estimate(view, selection)
    assert told is not None
    assert math.isclose(told, len(page_of(view, selection)), rel_tol=0.35)


def test_a_run_that_is_too_large_is_said_to_be(checkpoint: Checkpoint, monkeypatch):
    view = view_of(checkpoint, DEFAULT)
    monkeypatch.setattr(offline, "MOST_WEIGHTS", 10)
    assert estimate(view, nearest(view.run, {})[0]) is None


def test_its_policy_lets_its_own_script_run_and_nothing_else(checkpoint: Checkpoint):
    page = page_of(view_of(checkpoint, DEFAULT))
    found = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert found
    policy = html.unescape(found[1])
    scripts = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{digest}'; ")
    assert "http" not in policy


def test_it_says_where_it_comes_from(checkpoint: Checkpoint):
    page = page_of(view_of(checkpoint, DEFAULT))
    found = re.search(r'<meta name="loupe:provenance" content="([^"]*)">', page)
    assert found
    assert json.loads(html.unescape(found[1])) == SAID
    foot = page.partition("<footer>")[2].partition("</footer>")[0]
    for part in ("b" * 64, "2026-01-02", "head off", "&lt;img onerror=1&gt;"):
        assert part in foot
