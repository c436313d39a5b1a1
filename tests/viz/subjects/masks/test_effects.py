import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import BY_HEART, SHIPPED
from viz.subjects.masks.batch import make_batch
from viz.subjects.masks.effects import alone_differences, compare
from viz.subjects.masks.lab import Switches, run_lab

TEXTS = tuple(BY_HEART)
LONGEST = 0
"""Number of the sentence that is not padded."""


@pytest.fixture(scope="module")
def batch(checkpoint):
    return make_batch(checkpoint, TEXTS)


@pytest.fixture(scope="module")
def baseline(checkpoint, batch):
    return run_lab(checkpoint, batch, Switches())


@pytest.fixture(scope="module")
def blind(checkpoint, batch):
    """Without a causal mask."""
    return run_lab(checkpoint, batch, Switches(causal=False))


def test_losses_and_probabilities_are_those_of_a_softmax_in_float64(baseline, blind, batch):
    for sentence, change in enumerate(compare(baseline, blind)):
        length = batch.target_lengths[sentence]
        ids = batch.written[sentence, :length].numpy()
        for run, loss, side in (
            (baseline, change.loss_before, "before"),
            (blind, change.loss_after, "after"),
        ):
            logits = run.trace.logits[sentence, :length].numpy().astype(np.float64)
            exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
            rows = exponentials / exponentials.sum(axis=1, keepdims=True)
            predictions = [getattr(position, side) for position in change.positions]
            assert [p.id for p in predictions] == rows.argmax(axis=1).tolist()
            assert loss == pytest.approx(-np.log(rows[range(length), ids]).mean())


@pytest.mark.parametrize("switches", [Switches(), Switches(causal=False), Switches(fill=-1e9)])
def test_padding_does_not_matter_while_it_is_masked(checkpoint, batch, switches):
    assert max(alone_differences(run_lab(checkpoint, batch, switches))) < 1e-4


@pytest.mark.parametrize(
    "switches",
    [Switches(encoder_padding=False), Switches(cross_padding=False), Switches(fill=0.0)],
    ids=str,
)
def test_padding_that_is_read_changes_all_but_the_longest_sentence(checkpoint, batch, switches):
    differences = alone_differences(run_lab(checkpoint, batch, switches))
    for sentence, difference in enumerate(differences):
        assert (difference < 1e-4) == (sentence == LONGEST)


@pytest.mark.parametrize(
    ("name", "reads_padding"), [("english-french-addnorm", False), ("english-french-tied", True)]
)
def test_variants_with_their_own_switches(name, reads_padding):
    checkpoint = load_checkpoint(SHIPPED / name)
    batch = make_batch(checkpoint, TEXTS)
    own = run_lab(checkpoint, batch, Switches.of(checkpoint.info.config))
    padded = [number for number in range(len(TEXTS)) if number != LONGEST]
    differences = [alone_differences(own)[number] for number in padded]
    assert (min(differences) > 1e-2) if reads_padding else (max(differences) < 1e-4)
    with torch.inference_mode():
        sentence = padded[0]
        alone = checkpoint.model(batch.alone(sentence).source, batch.alone(sentence).target)
    rows = own.trace.logits[sentence, : batch.target_lengths[sentence]]
    by_hand = (rows - alone.logits[0]).abs().max().item()
    assert differences[0] == pytest.approx(by_hand, abs=1e-5)


def test_nan_is_told_rather_than_hidden(baseline):
    logits = baseline.trace.logits.clone()
    logits[1, 0] = math.nan
    broken = replace(baseline, trace=replace(baseline.trace, logits=logits))
    changes = compare(baseline, broken)
    assert math.isnan(changes[1].logit_difference)
    assert math.isnan(changes[1].loss_after)
    assert math.isnan(changes[1].alone_after)
    first, second = changes[1].positions[:2]
    assert (first.after.id, first.after.token) == (None, None)
    assert first.changed
    assert not second.changed
    assert changes[2].logit_difference == 0
