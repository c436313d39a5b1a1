"""What one sentence loses, compared with single runs of the model with one change each."""

import pytest
import torch

from model.attribution.sublayers import Part
from model.decoding.greedy import greedy, score
from model.edits import Edits
from model.interventions.kinds import Intervention, edits_of
from tests.checkpoints import DEFAULT
from viz.run.making import make_run
from viz.subjects.mattered.damage import measure_losses
from viz.subjects.mattered.kept_changes import as_change

CROSS = "decoder.layers.1.cross_attn"


def loss_with(checkpoint, run, edits: Edits) -> float:
    written = tuple(step.token for step in run.steps)
    steps = score(checkpoint.model, torch.tensor([run.source.ids]), written, edits=edits)
    return -sum(step.log_probability for step in steps) / len(steps)


@pytest.mark.parametrize("how", ["zero", "even"])
@pytest.mark.parametrize(
    "part", [Part(CROSS, 2), Part(CROSS), Part("encoder.layers.0.self_attn", 1)]
)
def test_a_loss_is_what_the_change_that_keeps_it_costs(checkpoint, run, part, how):
    """The cut in a batch and the cut as a change of one run lead to the same number."""
    losses = measure_losses(run, checkpoint.model, how)
    (found,) = [loss for loss in losses.of if loss.part == part]
    edits = edits_of((as_change(part, how),), checkpoint.model)
    cost = loss_with(checkpoint, run, edits) - loss_with(checkpoint, run, Edits())
    assert found.damage == pytest.approx(cost, abs=1e-5)
    ids = torch.tensor([run.source.ids])
    steps = greedy(checkpoint.model, ids, max_length=len(run.steps) + 8, edits=edits)
    written = run.info.tokenizers.target.decode([step.token for step in steps])
    assert found.text.removesuffix(" …") == written
    assert found.changed == (found.text != run.text)


def test_a_changed_run_is_cut_as_it_is_changed(checkpoint):
    off = Intervention("zero", f"{CROSS}.heads", head=1)
    run = make_run(checkpoint, DEFAULT, interventions=(off,))
    losses = measure_losses(run, checkpoint.model, "zero")
    assert losses.text == run.text
    (same,) = [loss for loss in losses.of if loss.part == Part(CROSS, 1)]
    assert same.damage == pytest.approx(0, abs=1e-6)
    both = edits_of((off, as_change(Part(CROSS, 3), "zero")), checkpoint.model)
    (other,) = [loss for loss in losses.of if loss.part == Part(CROSS, 3)]
    assert other.damage == pytest.approx(loss_with(checkpoint, run, both) - losses.loss, abs=1e-5)
