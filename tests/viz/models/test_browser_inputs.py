"""The inputs of a run, with which the browser repeats it; sent only for small models."""

from typing import Any
from unittest.mock import Mock

import pytest

from model.interventions.kinds import Intervention
from model.writing import WritingRules
from tests.checkpoints import BY_HEART, DEFAULT
from tests.tiny import tiny_config
from viz.models.browser_inputs import model_of, pack_inputs
from viz.models.running import open_view
from viz.models.weights import runs_in_browser
from viz.run.inputs import Inputs

pytestmark = pytest.mark.usefixtures("tiny_checkpoints")
NAME = "everyday-paper"


def test_it_is_what_was_run():
    cut = Intervention("cut", "decoder.layers.0.cross_attn.weights", 1, (2,), (0,))
    view = open_view(Inputs(NAME, DEFAULT, BY_HEART[DEFAULT], "cpu", (cut,)))
    model = model_of(view)
    assert model
    inputs = pack_inputs(view, model)
    assert inputs["run"] == view.parcel.key
    assert inputs["source"] == view.run.source.ids
    assert inputs["written"] == tuple(step.token for step in view.run.steps)
    assert inputs["given"]
    [made] = inputs["interventions"]
    assert (made["kind"], made["head"], made["rows"], made["columns"]) == ("cut", 1, (2,), (0,))


def test_a_model_that_is_too_large_is_pythons_alone(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("viz.models.weights.MOST_BYTES", 10)
    assert model_of(open_view(Inputs(NAME, DEFAULT, "", "cpu"))) is None


def test_so_is_one_of_a_single_text(one_text_checkpoints, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LOUPE_CHECKPOINTS", str(one_text_checkpoints))
    assert model_of(open_view(Inputs("tiny-gpt", DEFAULT, "", "cpu"))) is None


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"activation": "gelu", "gated": True},
        {"positions": "relative", "norm": "rms", "norm_placement": "parallel"},
        {"n_kv_heads": 1, "head": "transform", "segments": 2},
        {"source_vocab_size": 0, "n_encoder_layers": 0, "positions": "rotary"},
        {"target_vocab_size": 0, "n_decoder_layers": 0, "head": "none"},
    ],
)
def test_the_browsers_own_model_runs_every_config(change: dict[str, Any]):
    assert runs_in_browser(tiny_config(**change))


def test_it_follows_a_folders_rules_if_they_are_few():
    config = tiny_config()
    assert runs_in_browser(config, WritingRules(first=4, last=2, never=(7,)))
    assert not runs_in_browser(config, WritingRules(more=Mock()))


def test_it_writes_nothing_if_there_are_no_logits_to_choose_from():
    assert not runs_in_browser(tiny_config(head="none"))
