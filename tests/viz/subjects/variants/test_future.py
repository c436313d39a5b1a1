from dataclasses import replace

import numpy as np
import pytest
import torch

from viz.subjects.variants.future import Future, Reading, read_future
from viz.subjects.variants.material import score_pairs, source_ids, target_ids
from viz.subjects.variants.words.future import report_future


def said(found):
    return report_future(found).verdict


@pytest.fixture(scope="module")
def future(material) -> Future:
    return read_future(material)


def _of(checkpoint, pair):
    return source_ids(checkpoint, pair[0]), target_ids(checkpoint, pair[1])


def test_scores_are_those_of_a_softmax_in_float64(material):
    checkpoint = material.checkpoints["paper"]
    losses, right = [], []
    for pair in material.pairs[:3]:
        source, target = _of(checkpoint, pair)
        with torch.inference_mode():
            logits = checkpoint.model(source, target[:, :-1]).logits[0].double().numpy()
        for row, token in zip(logits, target[0, 1:].tolist(), strict=True):
            losses.append(np.log(np.exp(row).sum()) - row[token])
            right.append(row.argmax() == token)
    scores = score_pairs(checkpoint, material.pairs[:3])
    assert scores.loss == pytest.approx(np.mean(losses), rel=1e-4)
    assert scores.accuracy == np.mean(right)


@pytest.mark.slow
def test_weight_ahead_is_what_the_traces_hold(future, material):
    checkpoint = material.checkpoints["headlist"]
    later, following, rows = np.zeros((2, 4)), np.zeros((2, 4)), 0
    for pair in material.pairs:
        source, target = _of(checkpoint, pair)
        with torch.inference_mode():
            trace = checkpoint.model(source, target[:, :-1])
        for layer in range(2):
            weights = trace.decoder.layers[layer].self_attn.weights[0].numpy()
            for row in range(weights.shape[1] - 1):
                later[layer] += weights[:, row, row + 1 :].sum(axis=-1)
                following[layer] += weights[:, row, row + 1]
        rows += weights.shape[1] - 1
    np.testing.assert_allclose(future.later, later / rows, atol=1e-5)
    np.testing.assert_allclose(future.following, following / rows, atol=1e-5)
    table = report_future(future).tables[1]
    assert table.title.startswith("Share of a row's weight on all later tokens;")
    shares = [float(part.split()[0]) for part in table.rows[0][1].split(";")]
    parts = [100 * later[0, 0] / rows, 100 * following[0, 0] / rows]
    assert shares == pytest.approx(parts, abs=0.051)


def test_an_imposed_mask_does_what_a_given_mask_does(future, material):
    checkpoint = material.checkpoints["headlist"]
    losses = []
    for pair in material.pairs:
        source, target = _of(checkpoint, pair)
        size = target.size(1) - 1
        mask = torch.ones(1, size, size, dtype=torch.bool).tril()
        with torch.inference_mode():
            trace = checkpoint.model(source, target[:, :-1], target_mask=mask)
        log_probabilities = trace.logits.double().log_softmax(dim=-1)[0]
        losses += [-row[t].item() for row, t in zip(log_probabilities, target[0, 1:], strict=True)]
    assert future.masked.loss == pytest.approx(np.mean(losses), rel=1e-4)


def test_the_shipped_checkpoint_reads_ahead_and_cannot_write(future):
    assert future.own.accuracy > 0.95
    assert future.own.loss < 0.2
    assert future.masked.loss > 3
    assert future.own.exact_match == 0
    assert future.masked.exact_match is None
    assert future.following.max() > 0.9
    assert said(future).startswith("It reads ahead: head ")
    assert said(future).endswith("times as large: it lives on the tokens ahead.")
    assert "gets 0 % of held-out sentences right" in said(future)


@pytest.mark.slow
def test_a_sound_checkpoint_gets_the_other_verdict(material):
    future = read_future(material, "paper")
    assert future.later.max() == 0
    assert future.own.loss == future.masked.loss
    assert said(future).startswith("No weight falls on later tokens: paper cannot read ahead.")
    assert "99.1 %" in said(future)


def test_a_checkpoint_that_hardly_needs_the_future_is_said_to():
    own = Reading("own", 1.0, 0.5, "a", None)
    weights = np.full((1, 1), 0.25)
    future = Future(own, replace(own, loss=1.1), own, weights, weights)
    assert said(future).endswith("1.100 times as large.")
    assert "puts 25 % of" in said(future)
    assert "it writes “a” here" in said(future)
