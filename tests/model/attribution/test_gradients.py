"""Gradients agree with captum, which differentiates the model's forward itself."""

import captum.attr
import pytest
import torch
from torch.testing import assert_close

from model.attribution.gradients import (
    average_embedding,
    gradient_times_input,
    integrate_closely,
    integrated_gradients,
)
from model.attribution.passes import Pass
from model.checkpoints.checkpoint import load_checkpoint
from model.edits import Edits
from tests.model.by_hand import IDS, TOKENS, WRITTEN, asked, double, traced

ROW = 2


def forward(model):
    def log_probability(tokens):
        count = len(tokens)
        trace = model(
            torch.tensor([IDS]).expand(count, -1),
            torch.tensor([WRITTEN[:-1]]).expand(count, -1),
            edits=Edits({TOKENS: lambda _: tokens}),
        )
        return trace.logits[:, ROW].log_softmax(-1)[:, WRITTEN[ROW + 1]]

    return log_probability


def tokens_of(model):
    return traced(model).source_embedding.tokens.clone().requires_grad_()


def test_gradient_times_input_is_captums(variant: str):
    model = double(variant)
    theirs = captum.attr.InputXGradient(forward(model)).attribute(tokens_of(model)).sum(-1)
    assert_close(gradient_times_input(asked(model, ROW)), theirs.detach())


def test_integrated_gradients_are_captums(variant: str):
    model = double(variant)
    method = captum.attr.IntegratedGradients(forward(model))
    tokens = tokens_of(model)
    theirs = method.attribute(tokens, tokens * 0, n_steps=16, method="riemann_middle").sum(-1)
    assert_close(integrated_gradients(asked(model, ROW), steps=16).values, theirs.detach())


def test_from_another_baseline_too():
    model, tokens = double(), tokens_of(double())
    baseline = model.source_embedding.weight.mean(0).detach()[None]
    method = captum.attr.IntegratedGradients(forward(model))
    start = baseline.expand_as(tokens)
    theirs = method.attribute(tokens, start, n_steps=8, method="riemann_middle").sum(-1)
    found = integrated_gradients(asked(model, ROW), baseline=baseline, steps=8)
    assert_close(found.values, theirs.detach())


def test_what_the_sum_misses_vanishes_with_more_steps():
    model, tokens = double(), tokens_of(double())
    with torch.no_grad():
        difference = forward(model)(tokens) - forward(model)(tokens * 0)
    coarse, fine = (integrated_gradients(asked(model, ROW), steps=n) for n in (2, 2000))
    assert_close(fine.difference, difference)
    assert_close(fine.values.sum(1), difference, rtol=1e-3, atol=1e-3)
    assert_close(coarse.error, coarse.values.sum(1) - difference)
    assert coarse.error.abs() > 5 * fine.error.abs()


def test_rows_are_asked_one_by_one_or_together():
    model = double()
    together = gradient_times_input(asked(model))
    assert_close(together[[3, 0]], gradient_times_input(asked(model, 3, 0)))
    together = integrated_gradients(asked(model), steps=4)
    assert_close(together.values[[1]], integrated_gradients(asked(model, 1), steps=4).values)


def test_no_steps_are_refused():
    with pytest.raises(ValueError, match="at least 1, got 0"):
        integrated_gradients(asked(double()), steps=0)


@pytest.fixture(scope="module", params=["tiny-gpt", "tiny-bert", "tiny-alibi"])
def of_text(request, one_text_checkpoints) -> Pass:
    model = load_checkpoint(one_text_checkpoints / request.param).model.double()
    return Pass.of_text(model, (1, 4, 5, 6, 4, 7), 5, 8)


def test_gradients_of_one_text_answer_to_a_small_change(of_text):
    step, place = 1e-3, 4  # a root-mean-square norm computes in float32
    tokens = of_text.embedded()
    ends = tokens.repeat(2, 1, 1)
    ends[0, place] *= 1 - step
    ends[1, place] *= 1 + step
    texts = of_text.source.expand(2, -1)
    changed = of_text.log_probabilities(texts, {of_text.tokens_name: lambda _: ends})
    before, after = changed[:, 0].tolist()
    found = gradient_times_input(of_text)[0, place].item()
    assert found == pytest.approx((after - before) / (2 * step), rel=1e-2, abs=2e-3)


def test_from_an_average_embedding_they_sum_to_the_whole_difference_of_one_text(of_text):
    start = average_embedding(of_text)
    found = integrate_closely(of_text, close=0.02, most_steps=1024, baseline=start)
    assert abs(found.error) <= 0.02
    assert found.values.abs().max() > 0.02
