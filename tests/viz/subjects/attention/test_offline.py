"""A view as one file: what is in it, and its own arithmetic held against Python's."""

import base64
import hashlib
import html
import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from model.interventions.kinds import Intervention
from tests.checkpoints import DEFAULT, ONE_TEXT
from tests.node import told_by
from tests.viz.subjects.attention.holding import by_python, hold, places_of, view_of
from viz.address.selection import Selection, nearest
from viz.heads.head_summary import metrics_by_head
from viz.heads.measures import pack_measures
from viz.run.view import View
from viz.subjects.attention import offline
from viz.subjects.attention.offline import estimate, offline_page

SCRIPT = Path(__file__).with_name("compute_cells.js")
UNCHECKED = (0, 1, 8)
"""Places of the lines that a page does not compute a second time."""
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
    found = re.search(r'<script type="application/json" id="sent">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def computed(page: str, places: list[dict[str, Any]]) -> dict[str, Any]:
    return told_by(SCRIPT, {"sent": sent_in(page), "selections": places})


_PAINTED = "decoder.layers.0.cross_attn.weights"
CHANGES = {
    "none": (),
    "painted": (Intervention("point", _PAINTED, rows=(1,), columns=(2,), amount=0.9),),
}


@pytest.mark.parametrize("changes", CHANGES.values(), ids=CHANGES)
def test_every_cell_is_what_python_computes(checkpoint: Checkpoint, changes):
    view = view_of(checkpoint, DEFAULT, *changes)
    holds_everywhere(view)


@pytest.mark.parametrize("name", ["tiny-gpt", "tiny-alibi", "everyday-headlist"])
def test_other_models_have_their_cells(one_text_checkpoints, checkpoints_folder, name):
    """Of one text, and without a causal mask."""
    folder, text = (
        (one_text_checkpoints, ONE_TEXT) if "tiny" in name else (checkpoints_folder, DEFAULT)
    )
    holds_everywhere(view_of(load_checkpoint(folder / name), text))


def test_a_model_without_parameters_has_no_output_step(checkpoint: Checkpoint):
    view = view_of(checkpoint, DEFAULT)
    recorded = replace(view.run, anatomy=replace(view.run.anatomy, is_recorded=True))
    view = view._replace(run=recorded)
    holds_everywhere(view)
    place = {"kind": "cross-attention", "layer": 0, "head": 1, "query": 2, "key": 3}
    assert "output" not in computed(page_of(view), [place])["computed"][0]


def holds_everywhere(view: View) -> None:
    places = places_of(view)
    told = computed(page_of(view), places)["computed"]
    for place, own in zip(places, told, strict=True):
        hold(own, by_python(view, place), place, unchecked=UNCHECKED)


def test_of_a_large_run_only_the_selected_head_has_cells(checkpoint, monkeypatch):
    view = view_of(checkpoint, DEFAULT)
    whole = len(page_of(view))
    monkeypatch.setattr(offline, "MOST_CELLS", 1000)
    place = {"kind": "cross-attention", "layer": 0, "head": 1, "query": 2, "key": 3}
    page = page_of(view, Selection(**place, step=2))
    assert len(page) < whole
    told = computed(page, [place, place | {"head": 2}, place | {"layer": 1}])["computed"]
    assert told[1:] == [None, None]
    assert told[0]["weight"] == by_python(view, place)["weight"]


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
