import pytest
import torch
from torch import nn

from model.edits import Edits
from model.foreign.recording import attached, record
from tests.model.foreign.huggingface.families import FAMILIES, family, inputs_of


def state(model: nn.Module) -> list[tuple]:
    """Return everything in a model that recording could change."""
    return [
        (
            path,
            module.training,
            tuple(module._forward_pre_hooks.items()),
            tuple(module._forward_hooks.items()),
            tuple(module._forward_pre_hooks_with_kwargs),
            tuple(module._forward_hooks_with_kwargs),
            tuple(module._forward_hooks_always_called),
            tuple(sorted(module.__dict__)),
            getattr(getattr(module, "config", None), "_attn_implementation", None),
        )
        for path, module in model.named_modules()
    ] + [
        (name, p.requires_grad, p.grad is None, p._version) for name, p in model.named_parameters()
    ]


@pytest.fixture
def model() -> nn.Module:
    """Build a model half in training mode, with a user's hooks and frozen weights."""
    model = FAMILIES["GPT-2"]()
    model.config._attn_implementation = "sdpa"
    model.train()
    model.transformer.h[1].eval()
    model.transformer.h[0].mlp.register_forward_hook(lambda _module, _args, output: output * 2)
    model.transformer.ln_f.register_forward_pre_hook(lambda _module, _args: None)
    model.lm_head.weight.requires_grad_(False)
    return model


@pytest.mark.parametrize("name", ["GPT-2", "Gemma 3", "ALBERT", "BART", "T5"])
def test_a_recorded_model_is_as_before(name):
    before = state(family(name))

    record(family(name), **inputs_of(name))

    assert state(family(name)) == before


def test_mode_hooks_and_frozen_weights_of_its_user_stay(model):
    before = state(model)

    record(model, **inputs_of("GPT-2"))

    assert state(model) == before
    assert model.training
    assert not model.transformer.h[1].training


def test_the_hooks_of_its_user_act_in_the_record(model):
    trace = record(model, **inputs_of("GPT-2"))

    layer = trace.decoder.layers[0]
    total = layer.after_self_attn + layer.feed_forward.output
    torch.testing.assert_close(layer.output, total, atol=1e-5, rtol=1e-5)
    # A hook changes the network's output, so the input of its last map is not called hidden.
    assert layer.feed_forward.hidden is None


def test_dropout_does_not_act_in_the_record(model):
    inputs = inputs_of("GPT-2")

    assert torch.equal(record(model, **inputs).logits, record(model, **inputs).logits)


def test_after_an_exception_it_is_as_before(model):
    before = state(model)

    def fail(_x: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("an edit that fails")

    edits = Edits({"decoder.layers.1.self_attn.weights": fail})
    with pytest.raises(RuntimeError, match="an edit that fails"):
        record(model, edits=edits, **inputs_of("GPT-2"))
    with pytest.raises(IndexError):
        record(model, input_ids=torch.tensor([[10**6]]))
    with pytest.raises(ValueError, match="no tensor is called"):
        record(model, edits=Edits({"decoder.nothing": fail}), **inputs_of("GPT-2"))

    assert state(model) == before


def test_attached_twice_it_is_put_back_when_the_last_lets_go(model):
    before = state(model)
    inputs = inputs_of("GPT-2")

    first = attached(model, **inputs)
    second = attached(model.transformer, **inputs)
    first.__enter__()
    ready = second.__enter__()
    first.__exit__(None, None, None)
    assert not model.transformer.training
    assert ready.record(**inputs).decoder is not None
    second.__exit__(None, None, None)

    assert state(model) == before


def test_attached_and_unheard_it_computes_what_it_did():
    model, inputs = family("Llama"), inputs_of("Llama")
    expected = model(**inputs).logits

    with attached(model, **inputs):
        assert torch.equal(model(**inputs).logits, expected)


@torch.enable_grad()
def test_a_record_has_gradients_where_they_are_enabled():
    trace = record(family("Llama"), **inputs_of("Llama"))

    (gradient,) = torch.autograd.grad(trace.logits.sum(), trace.decoder.layers[0].output)

    assert gradient.any()
