"""The browser's data of the two runs that a pull compares, checked against logits in float64."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from model.decoding.greedy import greedy
from model.interventions.kinds import Intervention, edits_of
from model.traces import present
from sample_data.tasks import TASKS, source_classes
from tests.checkpoints import DEFAULT, ONE_TEXT, SHIPPED, VARIANTS
from tests.node import told_by
from viz.models.browser_inputs import pack_inputs
from viz.run.axes import all_heads
from viz.run.inputs import Inputs
from viz.run.making import make_run
from viz.run.payload import pack_run
from viz.run.record import Run
from viz.run.view import View
from viz.run.wire import WireModel
from viz.subjects.touch.page import pack_hand

SCRIPT = Path(__file__).with_name("pairs.js")
MODEL: WireModel = {"key": "own", "address": ""}
ACROSS = "decoder.layers.*.cross_attn.weights"
PULLED = Intervention("point", ACROSS, rows=(2,), columns=(4,), amount=0.9)
CUT = Intervention("cut", "encoder.layers.0.self_attn.weights", 1, (1,), (0,))
PAINTED = Intervention("paint", ACROSS, rows=(1,), columns=None, values=(0.5, 0.25, 1.0))
UNKNOWN = "The grumpfles saw Maria's 12 zebrons, didn't they?"
TEXTS = (*TASKS["everyday"].examples[2:4], DEFAULT, UNKNOWN)
ROUNDING = 2**-20 * 32
"""Relative error of a float32 softmax over thousands of logits below 32."""
MOST_OFF = 2e-4
"""The same value as in touch_frames.js."""


def view_of(checkpoint: Checkpoint, text: str, *changes: Intervention, target: str = "") -> View:
    run = make_run(checkpoint, text, target, interventions=changes)
    inputs = Inputs("tiny", text, target, "cpu", changes)
    return View(inputs, run, pack_run(run, f"{text} {changes}"), checkpoint)


def case_of(view: View, before: View, *, runs_here: bool = False) -> dict[str, Any]:
    return {
        "facts": pack_hand(view, before, None, 3),
        "runs": [one.parcel.said["meta"] for one in (before, view)],
        "inputs": pack_inputs(view, MODEL) if runs_here else None,
    }


def told(checkpoint: str | None, nouns: list[str], cases: list[dict[str, Any]]) -> list[Any]:
    return told_by(SCRIPT, {"checkpoint": checkpoint, "nouns": nouns, "cases": cases})


def hold(written: dict[str, Any], run: Run) -> None:
    """Compare the token written or put at each place with a softmax of the run's logits."""
    logits = present(run.trace.logits)[0].double().numpy()
    if run.steps:
        ids, tokens = [*run.target_ids[1:]], [*run.target_tokens[1:]]
        logits = np.stack([step.logits.double().numpy() for step in run.steps])
    else:
        ids = logits.argmax(axis=-1).tolist()
        tokens = [*run.info.tokenizers.target.tokens(ids)]
    shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    assert (written["ids"], written["tokens"]) == (ids, tokens)
    own = shares[range(len(ids)), ids]
    assert written["probabilities"] == pytest.approx(own, rel=ROUNDING)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "task"), [(VARIANTS["paper"], "everyday"), (VARIANTS["headlist"], "none")]
)
def test_the_browser_has_both_runs_and_its_own_model_writes_the_same(name: str, task: str):
    nouns = [word for word, of in source_classes(task).items() if of.startswith("noun")]
    checkpoint = load_checkpoint(SHIPPED / name)
    cases = [(text, changes) for text in TEXTS for changes in ((), (PULLED,), (CUT, PAINTED))]
    before = {text: view_of(checkpoint, text) for text in TEXTS}
    views = [view_of(checkpoint, text, *changes) for text, changes in cases]
    asked = [case_of(one, before[one.inputs.source], runs_here=True) for one in views]
    answers = told(str(SHIPPED / name), nouns, asked)
    for view, found in zip(views, answers, strict=True):
        old, pair = before[view.inputs.source].run, found["pair"]
        hold(pair["now"], view.run)
        hold(pair["was"], old)
        assert pair["sourceTokens"] == [*view.run.source.tokens]
        assert (pair["begin"], pair["isGiven"]) == (view.run.target_tokens[0], False)
        assert found["twin"]["tokens"] == pair["now"]["tokens"]
        assert found["difference"] < MOST_OFF
        if found["pull"] and not view.run.interventions:
            hold_pull(checkpoint, old, found["pull"])
    if name == VARIANTS["paper"]:
        assert all(found["pull"] for found in answers)


def hold_pull(checkpoint: Checkpoint, run: Run, pull: dict[str, int]) -> None:
    """Check that the pulled row, decoded again, writes what the row of the other key wrote."""
    mean = all_heads(run, "cross-attention").mean(axis=(0, 1))
    assert mean[pull["row"]].argmax() == pull["held"]
    made = Intervention("point", ACROSS, rows=(pull["row"],), columns=(pull["to"],))
    source = torch.tensor([run.source.ids])
    model = checkpoint.model
    steps = tuple(greedy(model, source, edits=edits_of([made], model)))
    others = [row for row in range(len(mean)) if mean[row].argmax() == pull["to"]]
    assert steps[pull["row"]].token in [run.steps[row].token for row in others]
    assert steps[pull["row"]].token != run.steps[pull["row"]].token


def test_a_model_that_writes_the_same_with_other_probabilities_is_found_out():
    """The check of the browser's model must notice that its logits have half the temperature."""
    checkpoint = load_checkpoint(SHIPPED / VARIANTS["paper"])
    cooler = Intervention("scale", "logits", amount=2.0)
    view, before = view_of(checkpoint, DEFAULT, cooler), view_of(checkpoint, DEFAULT)
    assert view.run.target_ids == before.run.target_ids
    case = case_of(view, before, runs_here=True)
    case["facts"]["interventions"] = []
    [found] = told(str(SHIPPED / VARIANTS["paper"]), [], [case])
    assert found["twin"]["ids"] == [*view.run.target_ids[1:]]
    assert found["difference"] > 1000 * MOST_OFF


@pytest.mark.parametrize("name", ["tiny-gpt", "tiny-bert", "tiny-alibi"])
def test_models_of_one_text_are_held_by_what_they_put_at_each_place(one_text_checkpoints, name):
    view = view_of(load_checkpoint(one_text_checkpoints / name), ONE_TEXT)
    [found] = told(None, [], [case_of(view, view)])
    hold(found["pair"]["now"], view.run)
    assert found["pair"]["begin"] == (view.run.target_tokens[0] if view.run.steps else "")
    assert found["pair"]["sourceTokens"] == [*view.run.texts["source"]]


def test_a_target_that_was_given_is_forced_again(checkpoint):
    view = view_of(checkpoint, DEFAULT, target="le chat dort .")
    [found] = told(None, [], [case_of(view, view)])
    assert found["pair"]["isGiven"]
    hold(found["pair"]["now"], view.run)
