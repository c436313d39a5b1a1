"""Against captum, which differentiates the model's forward for itself."""

import captum.attr
import pytest
import torch
from torch import nn
from torch.testing import assert_close

from model.edits import Edits
from model.gradients import (
    gradient_times_input,
    integrated_gradients,
    linear_gradient_times_input,
    with_held_norms,
)
from model.passes import TOKENS
from tests.model.by_hand import IDS, WRITTEN, asked, double, traced
from tests.tiny import tiny_model

ROW = 2
LITTLE = 1e-5


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
    for function in (gradient_times_input, linear_gradient_times_input):
        together = function(asked(model))
        assert_close(together[[3, 0]], function(asked(model, 3, 0)))
    together = integrated_gradients(asked(model), steps=4)
    assert_close(together.values[[1]], integrated_gradients(asked(model, 1), steps=4).values)


class _Fixed(nn.Module):
    """A norm that divides by what it was told."""

    def __init__(self, norm, at):
        super().__init__()
        self.norm, self.at = norm, at

    def forward(self, x):
        ratio = (self.norm(self.at) - self.norm.bias) / (self.at - self.at.mean(-1, keepdim=True))
        return ratio * (x - x.mean(-1, keepdim=True)) + self.norm.bias


def test_linear_numbers_are_what_making_an_embedding_smaller_takes_away(variant: str):
    """From the same model with weights and scales set to what they were, without gradients.

    By so little that no unit of a hidden layer opens or closes.
    """
    model = tiny_model(variant).double()
    asked_here = asked(model, ROW)
    found = linear_gradient_times_input(asked_here)[0]
    trace = traced(model)
    seen = {}
    norms = {n: m for n, m in model.named_modules() if n.endswith("norm")}
    hooks = [
        m.register_forward_pre_hook(lambda _, x, n=n: seen.update({n: x[0].detach()}))
        for n, m in norms.items()
    ]
    traced(model)
    for hook in hooks:
        hook.remove()
    for name, norm in norms.items():
        parent, _, last = name.rpartition(".")
        setattr(model.get_submodule(parent), last, _Fixed(norm, seen[name]))
    edits = fixed_edits(trace)
    with torch.inference_mode():
        whole = asked_here.logits_above_mean(asked_here.source[None], edits)
        for place in range(len(IDS)):
            less = trace.source_embedding.tokens.clone()
            less[0, place] *= 1 - LITTLE
            without = asked_here.logits_above_mean(
                asked_here.source[None], edits | {TOKENS: lambda _, less=less: less}
            )
            assert_close(found[place], (whole - without)[0, 0] / LITTLE, rtol=1e-6, atol=1e-7)


def fixed_edits(trace):
    """Weights of attention as they were."""
    edits = {}
    for stack, layers in (("encoder", trace.encoder.layers), ("decoder", trace.decoder.layers)):
        for i, layer in enumerate(layers):
            name = f"{stack}.layers.{i}"
            edits[f"{name}.self_attn.weights"] = lambda _, w=layer.self_attn.weights: w
            if stack == "decoder":
                edits[f"{name}.cross_attn.weights"] = lambda _, w=layer.cross_attn.weights: w
    return edits


def test_the_held_model_computes_the_same_with_the_same_parameters(variant: str):
    model = double(variant)
    held = with_held_norms(model)
    assert_close(traced(held).logits, traced(model).logits)
    own = {id(p) for p in model.parameters()}
    assert {id(p) for p in held.parameters()} == own
    assert type(model.decoder.layers[0].cross_attn_norm) is not type(
        held.decoder.layers[0].cross_attn_norm
    )


def test_no_steps_are_refused():
    with pytest.raises(ValueError, match="at least 1, got 0"):
        integrated_gradients(asked(double()), steps=0)
