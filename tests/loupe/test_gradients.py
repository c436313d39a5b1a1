"""Gradients of a run agree with finite differences and with torch's, through the plain model."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

import loupe
from tests.loupe.test_foreign import Attending, Translator, ids_of, sharp
from tests.loupe.test_kept import IDS, MODELS, traced
from tests.model.foreign.huggingface.families import FAMILIES

FINE = 1e-5, 1e-5, 1e-3
"""The step of a finite difference, the absolute error allowed, and the relative error allowed."""
COARSE = {"Gemma 2": (1e-3, 5e-3, 0.1), "T5": (1e-4, 1e-3, 0.1)}
"""The same for models that compute norms and softmaxes in float32, whatever their weights are."""


def of_checkpoint(name: str) -> Callable[..., loupe.Run]:
    own = loupe.load(name)
    own.model.double()
    target = "le chat dort ." if own.info.config.has_cross_attention else None
    return lambda **how: loupe.trace(own, "the cat sleeps .", target=target, **how)


def of_family(build: Callable) -> Callable[..., loupe.Run]:
    model = build().double()
    return lambda **how: traced(model, IDS, **how)


def with_outputs(model: nn.Module) -> Callable[..., loupe.Run]:
    return lambda **how: traced(model, IDS, record=["h.0", "c_proj", "mlp.act"], **how)


def of_module(build: Callable, target: str | None) -> Callable[..., loupe.Run]:
    model = sharp(build).double()
    return lambda **how: loupe.trace(model, ids_of, "the cat sat", target=target, **how)


RUNS = {
    **{name: lambda build=build: of_family(build) for name, build in MODELS.items()},
    "with outputs": lambda: with_outputs(MODELS["GPT-2"]().double()),
    "Marian": lambda: of_family(lambda: sharp(FAMILIES["Marian"])),
    "everyday-paper-0": lambda: of_checkpoint("everyday-paper-0"),
    "agreement": lambda: of_checkpoint("agreement"),
    "attention alone": lambda: of_module(Attending, None),
    "nn.Transformer": lambda: of_module(Translator, "a dog"),
}
TOGETHER = 12
"""The number of groups of tensors moved together, whose summed changes are the total change."""
NONE = (".scores", ".mask", ".bias", ".positions")
"""Endings of names on which the metric may not depend."""


def metric(run: loupe.Run) -> Tensor:
    """Return a function of two logits, one of them squared, so that no gradient is constant."""
    last = run["logits"] if "logits" in run else run[run.names("*.heads")[-1]].flatten(2)
    return last[0, -1, 1] - last[0, -1, 3].pow(2)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_a_gradient_is_what_finite_differences_say(name: str) -> None:
    trace = RUNS[name]()
    step, most, least = COARSE.get(name, FINE)
    run = trace(grad=True)
    found = run.gradient(metric, "*")
    assert all(key in found or key == "output" or key.endswith(NONE) for key in run)
    torch.manual_seed(0)
    kept = [key for key in found if not key.endswith(NONE) and key not in ("logits", "output")]
    ways = {key: torch.randn_like(found[key]) for key in kept}
    for start in range(TOGETHER):
        keys = kept[start::TOGETHER]

        def at(far: float, keys: list[str] = keys) -> float:
            edits = {key: lambda x, way=ways[key]: x + far * way for key in keys}
            return metric(trace(edits=edits)).item()

        expected = (at(step) - at(-step)) / (2 * step)
        parts = [found[key] * ways[key] for key in keys]
        size = max(least, sum(part.abs().sum().item() for part in parts))
        assert abs(sum(part.sum().item() for part in parts) - expected) <= most * size, keys


def test_it_is_what_torch_finds_through_the_plain_model() -> None:
    model = sharp(FAMILIES["GPT-2"]).requires_grad_(False)
    run = traced(model, IDS, grad=True)
    found = run.gradient(metric, ("target_embedding.tokens", "decoder.layers.?.output"))
    vectors = model.transformer.wte(IDS).requires_grad_()
    states = model.eval()(inputs_embeds=vectors, output_hidden_states=True)
    last = states.logits[0, -1]
    value = last[1] - last[3].pow(2)
    tokens, first = torch.autograd.grad(value, [vectors, states.hidden_states[1]])
    assert_close(found["target_embedding.tokens"], tokens)
    assert_close(found["decoder.layers.0.output"], first)
    assert run.differs is not None
    assert not any(each.requires_grad or each.grad is not None for each in model.parameters())
    with torch.inference_mode():
        assert traced(model, IDS, grad=True)["logits"].requires_grad
    assert not traced(model, IDS)["logits"].requires_grad


def test_what_has_no_gradient_is_said() -> None:
    model = MODELS["GPT-2"]()
    run = traced(model, IDS, grad=True)
    with pytest.raises(ValueError, match=r"one number as a tensor, got \(9, 100\)"):
        run.gradient(lambda run: run["logits"][0], "*")
    with pytest.raises(ValueError, match="got float"):
        run.gradient(lambda run: run["logits"].sum().item(), "*")
    with pytest.raises(ValueError, match=r"depends on no tensor that '\*.scores' names"):
        run.gradient(metric, "*.scores")
    with pytest.raises(ValueError, match="depends on no tensor that 'logits' names"):
        run.gradient(lambda run: run["decoder.layers.0.output"].sum(), ["*.heads", "logits"])
    with pytest.raises(ValueError, match="trace the run with grad=True"):
        traced(model, IDS).gradient(metric, "*")
    with pytest.raises(ValueError, match="omit device"):
        traced(model, IDS, grad=True, device="cpu")
    runs = loupe.trace(model, ids_of, ["the cat", "a dog sat"], grad=True)
    assert [run.gradient(metric, "decoder.output")["decoder.output"].size(1) for run in runs] == [
        2,
        3,
    ]
