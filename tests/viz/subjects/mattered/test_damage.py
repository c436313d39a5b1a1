"""What one sentence loses: held to single runs of the model with one thing changed."""

import numpy as np
import pytest
import torch

from model.attribution.cuts import Edge, Part
from model.checkpoints.checkpoint import load_checkpoint
from model.decoding.greedy import greedy, score
from model.edits import Edits
from model.interventions.kinds import Intervention, edits_of
from tests.checkpoints import DEFAULT
from viz.run.record import make_run
from viz.subjects.mattered.damage import (
    attentions,
    edge_losses,
    edges_of,
    first_change,
    map_edges,
    measure_losses,
    strongest_edges,
)
from viz.subjects.mattered.kept_changes import as_change

CROSS = "decoder.layers.1.cross_attn"


@pytest.fixture(scope="module")
def checkpoint(checkpoints_folder):
    return load_checkpoint(checkpoints_folder / "english-french-paper")


@pytest.fixture(scope="module")
def run(checkpoint):
    return make_run(checkpoint, DEFAULT)


def loss_with(checkpoint, run, edits: Edits) -> float:
    written = tuple(step.token for step in run.steps)
    steps = score(checkpoint.model, torch.tensor([run.source.ids]), written, edits=edits)
    return -sum(step.log_probability for step in steps) / len(steps)


@pytest.mark.parametrize("how", ["zero", "even"])
@pytest.mark.parametrize(
    "part", [Part(CROSS, 2), Part(CROSS), Part("encoder.layers.0.self_attn", 1)]
)
def test_a_loss_is_what_the_change_that_keeps_it_costs(checkpoint, run, part, how):
    """The cut as a batch, and the same cut as a change of one run: two ways to one number."""
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


def test_every_edge_has_its_place_in_a_map(checkpoint, run):
    cut = edges_of(run, (*attentions(run.info.config), Part(CROSS, 2)))
    damages = edge_losses(checkpoint.model, run.source.ids, run.target_ids, cut)
    maps = map_edges(run, cut, damages)
    assert [(one.sublayer, one.head) for one in maps][-2:] == [(CROSS, None), (CROSS, 2)]
    source, target = len(run.source.ids), len(run.steps)
    assert {one.damage.shape for one in maps} == {(source,) * 2, (target,) * 2, (target, source)}
    of_self = maps[2].damage
    assert np.isnan(of_self[np.triu_indices(target, 1)]).all()
    assert np.isnan(of_self[0, 0])  # an only key
    edge = Intervention("cut", f"{CROSS}.weights", head=2, rows=(3,), columns=(1,))
    edits = edits_of((edge,), checkpoint.model)
    cost = loss_with(checkpoint, run, edits) - loss_with(checkpoint, run, Edits())
    assert maps[-1].damage[3, 1] == pytest.approx(cost, abs=1e-5)


def test_the_edges_of_each_kind_that_cost_most_are_told_of(run):
    cut = edges_of(run, attentions(run.info.config))
    damages = [0.0] * len(cut)
    chosen = {Edge(CROSS, None, 2, 3): 0.5, Edge("encoder.layers.0.self_attn", None, 1, 0): 0.2}
    for edge, damage in chosen.items():
        damages[cut.index(edge)] = damage
    found = strongest_edges(map_edges(run, cut, damages), 2)
    assert {edge: pytest.approx(damage) for edge, damage in found} == chosen


def test_the_first_token_that_changes_is_named(checkpoint, run):
    edges = edges_of(run, attentions(run.info.config))
    costs = edge_losses(checkpoint.model, run.source.ids, run.target_ids, edges)
    worst = edges[int(np.argmax(costs))]
    name = f"{worst.sublayer}.weights"
    cut = Intervention("cut", name, rows=(worst.row,), columns=(worst.key,))
    trace = checkpoint.model(
        torch.tensor([run.source.ids]),
        torch.tensor([run.target_ids[:-1]]),
        edits=edits_of((cut,), checkpoint.model),
    )
    best = run.info.tokenizers.target.tokens(trace.logits[0].argmax(dim=-1).tolist())
    own = run.target_tokens[1:]
    expected = next(((a, b) for a, b in zip(own, best, strict=True) if a != b), None)
    assert first_change(run, checkpoint.model, worst) == expected
