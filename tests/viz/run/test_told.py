"""The probabilities in the parcel, compared with a softmax in float64."""

import numpy as np
import pytest

from viz.run.making import make_run
from viz.run.told import CANDIDATES, MOST_CANDIDATES, pack_told

ROUNDING = 2**-20
"""Relative error of a log-softmax over thousands of float32 logits below 32 and its exponential."""


def softmax(logits):
    logits = logits.double().numpy()
    exponentials = np.exp(logits - logits.max())
    return exponentials / exponentials.sum()


def test_the_candidates_are_the_best_of_the_softmax(run):
    for step, sent in zip(run.steps, pack_told(run)["steps"], strict=True):
        probabilities = softmax(step.logits)
        best = np.sort(probabilities)[::-1][:CANDIDATES]
        shares = [candidate["probability"] for candidate in sent["candidates"]]
        np.testing.assert_allclose(shares, best, rtol=ROUNDING * 32)
        assert sent["id"] == step.token
        assert sent["probability"] == pytest.approx(probabilities[step.token], rel=ROUNDING * 32)
        names = [candidate["token"] for candidate in sent["candidates"]]
        assert run.target_tokens[step.index + 1] in names


def test_a_token_that_was_given_is_sent_however_improbable(checkpoint, run):
    worst = int(run.steps[0].logits.argmin())
    word = run.info.tokenizers.target.all_tokens[worst]
    forced = make_run(checkpoint, run.source_text, target=word)
    last = pack_told(forced)["steps"][0]["candidates"][-1]
    assert (last["id"], last["token"]) == (worst, word)
    exact = softmax(forced.steps[0].logits)[worst]
    assert last["probability"] == pytest.approx(exact, rel=ROUNDING * 32)


def test_a_long_text_sends_fewer_candidates_a_step(monkeypatch, run):
    monkeypatch.setattr("viz.run.told.MOST_CANDIDATES", 3 * len(run.steps))
    assert {len(step["candidates"]) for step in pack_told(run)["steps"]} == {3}
    assert MOST_CANDIDATES > CANDIDATES
