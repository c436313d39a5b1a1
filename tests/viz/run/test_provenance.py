"""The provenance that every saved file contains."""

from datetime import UTC, datetime

import numpy as np
import pytest
import torch

from model.checkpoints.checkpoint import Checkpoint
from model.interventions.kinds import Intervention
from tests.checkpoints import DEFAULT
from viz.run import provenance as module
from viz.run.as_python import run_lines
from viz.run.inputs import Inputs
from viz.run.making import make_run
from viz.run.payload import pack_run
from viz.run.provenance import dated, provenance
from viz.run.version import version
from viz.run.view import View


def view_of(checkpoint: Checkpoint, target: str = "", *changes: Intervention) -> View:
    run = make_run(checkpoint, DEFAULT, target=target, interventions=changes)
    return View(
        Inputs("tiny", DEFAULT, target, "cpu", changes), run, pack_run(run, "k"), checkpoint
    )


def test_it_names_all_that_the_numbers_depend_on(checkpoint: Checkpoint):
    view = view_of(checkpoint)
    said = provenance(view, sha256="abc", again=run_lines(view, "here"))
    assert said == {
        "app": f"Loupe {version()}",
        "checkpoint": "tiny",
        "sha256": "abc",
        "source": DEFAULT,
        "target": view.run.text,
        "given": False,
        "decoding": "greedy, without sampling",
        "edits": [],
        "device": "cpu",
        "torch": torch.__version__,
        "numpy": np.__version__,
        "python": said["python"],
        "again": said["again"],
    }


def test_a_given_target_and_changes_are_said(checkpoint: Checkpoint):
    off = Intervention("zero", "encoder.layers.0.self_attn.heads", head=1)
    said = provenance(view_of(checkpoint, "le chat dort .", off), sha256=None, again="")
    assert (said["given"], said["decoding"]) == (True, "forced")
    assert said["target"] == "le chat dort."
    assert said["edits"] == [off.text()]


def test_every_change_is_said_in_the_order_in_which_it_is_made(checkpoint: Checkpoint):
    """The words are those of the page, written out by hand."""
    weights = "decoder.layers.1.cross_attn.weights"
    changes = (
        Intervention("zero", "encoder.layers.0.self_attn.heads", head=1),
        Intervention("point", weights, head=2, rows=(0,), columns=(1,), amount=0.8),
        Intervention("scale", "encoder.layers.1.self_attn.value", head=0, amount=2.0),
    )
    view = view_of(checkpoint, "", *changes)
    said = provenance(view, sha256=None, again=run_lines(view, "here"))
    assert said["edits"] == [
        "encoder self-attention, layer 0, head 1 off",
        "“chat” → “animal”: 80% of the weight (cross-attention, layer 1, head 2)",
        "encoder self-attention, layer 1, head 0, values × 2",
    ]
    places = [said["again"].index(f"Intervention({one.kind!r}, {one.name!r}") for one in changes]
    assert places == sorted(places)


def test_the_date_is_that_of_one_clock(checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch):
    when = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    monkeypatch.setattr(module, "now", lambda: when)
    said = dated(provenance(view_of(checkpoint), sha256=None, again=""))
    assert said["date"] == "2026-01-02T03:04:00+00:00"
