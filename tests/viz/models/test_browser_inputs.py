"""What a run was made of, for the browser to run it once more: sent of small models alone."""

import pytest

from model.interventions.kinds import Intervention
from tests.checkpoints import BY_HEART, DEFAULT
from viz.models.browser_inputs import model_of, pack_inputs
from viz.models.running import open_view
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
