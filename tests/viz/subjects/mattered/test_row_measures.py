from typing import get_args

import numpy as np
import pytest
import torch

from model.attribution.logits import addends, split_state
from model.attribution.measures import MEASURES, Run
from model.attribution.passes import Pass
from model.checkpoints.checkpoint import load_checkpoint
from model.interventions.kinds import Intervention
from sample_data.swaps import Swaps
from tests.checkpoints import DEFAULT, SHIPPED, load_shipped
from tests.shipped import shipped
from viz.run.making import make_run
from viz.subjects.mattered import row_measures
from viz.subjects.mattered.row_measures import (
    first_places,
    looks_elsewhere,
    run_again,
    runs_again,
    seen_measures,
    takes_long,
)

PAPER = "everyday-paper-0"
CAT, CHAT = ("the cat sleeps", " and "), ("le chat dort", " et ")


def swaps_of_run(run) -> Swaps:
    return Swaps(run.info.tokenizers.source.vocabulary, {"tired": "adjective", "wide": "adjective"})


@pytest.fixture(scope="module")
def again() -> row_measures.RunAgain:
    run, model = shipped(PAPER)
    return run_again(run, model, 10, swaps_of_run(run))


def test_each_measure_gives_each_source_token_a_number(again: row_measures.RunAgain):
    run, model = shipped(PAPER)
    seen = seen_measures(run, model)
    assert {*seen, *again.values} == set(MEASURES)
    for values in seen.values():
        assert values.shape == (len(run.steps), len(run.source.ids))
    for values in again.values.values():
        assert values.shape == (len(run.source.ids),)


def test_only_words_that_can_be_swapped_are(again: row_measures.RunAgain):
    run, model = shipped(PAPER)
    swapped = again.values["swapped"]
    place = run.source.tokens.index("tired")
    assert np.isfinite(swapped).tolist() == [i == place for i in range(len(swapped))]
    # By hand: replace it with the other of the two adjectives.
    ids = list(run.source.ids)
    asked = Pass.of(model, ids, run.target_ids, (10,))
    whole = asked.log_probabilities(asked.source[None])
    asked.source[place] = run.info.tokenizers.source.vocabulary["wide"]
    cost = (whole - asked.log_probabilities(asked.source[None])).item()
    assert swapped[place] == pytest.approx(cost, abs=1e-4)


def test_steps_are_doubled_until_the_sum_is_close(again: row_measures.RunAgain, monkeypatch):
    assert abs(again.error) <= 0.05 or again.steps == 256
    run, model = shipped(PAPER, "The cat sleeps.")
    monkeypatch.setattr(row_measures, "_CLOSE", 1000.0)
    assert run_again(run, model, 1, swaps_of_run(run)).steps == 64
    monkeypatch.setattr(row_measures, "_CLOSE", 0.0)
    assert run_again(run, model, 1, swaps_of_run(run)).steps == 256


def test_what_comes_first_is_the_largest_number_above_0():
    seen = {"attention": np.array([[0.2, 0.5, 0.3]]), "direct": np.array([[-1.0, np.nan, -2.0]])}
    assert first_places(seen, None, 0) == {"attention": 1, "direct": None}
    again = row_measures.RunAgain({"swapped": np.array([np.nan, 0.1, 2.0])}, 64, 0.0, 0.0)
    assert first_places(seen, again, 0)["swapped"] == 2


def test_attention_is_held_against_a_swap_only_where_that_is_fair():
    def elsewhere(costs, looked=0):
        swapped = int(np.nanargmax(costs))
        again = row_measures.RunAgain({"swapped": np.array(costs)}, 64, 0.0, 0.0)
        return looks_elsewhere({"attention": looked, "swapped": swapped}, again)

    assert elsewhere([0.1, 2.0])
    assert not elsewhere([2.0, 0.1])
    assert not elsewhere([np.nan, 2.0]), "what it looks at cannot be swapped"
    assert not elsewhere([0.1, 0.4]), "the swap costs too little"
    assert not looks_elsewhere({"attention": 0}, None)


def test_a_long_sentence_is_not_run_again():
    run, _ = shipped(PAPER)
    assert runs_again(run, 0)
    assert not takes_long(run)
    texts = (f"{joint.join([said] * 30)} ." for said, joint in (CAT, CHAT))
    longer = make_run(load_shipped(PAPER), *texts)
    assert not runs_again(longer, 0)
    assert takes_long(longer)


HEADS = "decoder.layers.1.cross_attn"
CHANGES = (
    Intervention("zero", f"{HEADS}.heads", head=0),
    Intervention("skip", "encoder.layers.1.output"),
    Intervention("point", f"{HEADS}.weights", rows=(10,), columns=(13,)),
    Intervention("cut", "decoder.layers.*.cross_attn.weights", columns=(9,)),
    Intervention("paint", f"{HEADS}.weights", head=1, rows=(4,), values=(1.0, 2.0)),
    Intervention("scale", "source_embedding.tokens", rows=(1,), amount=0.5),
    Intervention("set", "encoder.layers.0.self_attn.mask", columns=(2,), amount=0.0),
    Intervention("fill", "decoder.layers.0.self_attn.scores", amount=0.0),
    Intervention("reverse", "source_embedding.positions", rows=(1, 2, 3)),
)


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: f"{change.kind} {change.name}")
def test_the_changed_model_is_run_again(change):
    checkpoint = load_checkpoint(SHIPPED / PAPER)
    run = make_run(checkpoint, DEFAULT, interventions=(change,))
    step = min(10, len(run.steps) - 1)
    found = run_again(run, checkpoint.model, step, swaps_of_run(run))
    assert set(found.values) == {*get_args(Run)}
    assert {name for name, row in found.values.items() if not np.isfinite(row).any()} == set()
    asked = Pass.of(checkpoint.model, run.source.ids, run.target_ids, (step,), run.edits)
    with torch.inference_mode():
        again = asked.log_probabilities(asked.source[None]).item()
    whole = run.trace.logits[0, step].log_softmax(-1)[run.steps[step].token].item()
    assert again == pytest.approx(whole, abs=1e-4)
    addends_here = addends(
        checkpoint.model, split_state(checkpoint.model, run.trace), step, run.steps[step].token
    )
    logit = run.trace.logits[0, step, run.steps[step].token].item()
    assert sum(part.value for part in addends_here) == pytest.approx(logit, abs=1e-3)
