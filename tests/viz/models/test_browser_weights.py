"""Weights for the browser: written in parts, and read by PyTorch and the browser's own model."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import torch

from model.checkpoints.weights import check_weights, stored_tensors, widened
from model.config import TransformerConfig
from model.linear import store_by_input
from model.transformer import Transformer
from tests.node import told_by
from viz.models import browser_weights
from viz.models.browser_weights import (
    BrowserModelError,
    browser_bytes,
    weight_parts,
    write_parts,
)

SCRIPT = Path(__file__).parents[1] / "pictures" / "twin" / "packed.js"
UNIT = 2.0**-24
WIDTH = 256


def decoder(vocabulary: int, **changes: object) -> Transformer:
    """Return a model like GPT-2 with random weights, stored like those of a loaded model."""
    fields = {
        "source_vocab_size": 0,
        "target_vocab_size": vocabulary,
        "d_model": WIDTH,
        "d_ff": 1024,
        "n_heads": 4,
        "d_k": WIDTH // 4,
        "d_v": WIDTH // 4,
        "n_encoder_layers": 0,
        "n_decoder_layers": 1,
        "norm_placement": "pre",
        "final_norm": True,
        "positions": "learned",
        "max_length": 16,
        "tying": "all",
        "generator_bias": False,
    }
    torch.manual_seed(0)
    model = Transformer(TransformerConfig(**{**fields, **changes})).eval().requires_grad_(False)  # pyright: ignore[reportArgumentType]
    for name, tensor in model.state_dict().items():
        if name.endswith(("norm.weight", "bias")):
            tensor.normal_()
    store_by_input(model)
    return model


def read(model: Transformer, bits: browser_weights.Bits) -> dict[str, torch.Tensor]:
    return safetensors.torch.load(b"".join(weight_parts(model, bits)))


def test_eight_bits_are_off_by_half_a_step_and_the_rest_is_float16():
    model = decoder(1000)
    found, originals = read(model, 8), stored_tensors(model)
    check_weights(found, model.config)
    wide = widened(found)
    assert wide.keys() - {name for name in found if name.endswith(".scale")} == originals.keys()
    for name, original in originals.items():
        if original.dim() < 2 or original.numel() < 100_000:
            assert torch.equal(found[name], original.half())
            continue
        assert found[name].dtype == torch.int8
        # The scale is the largest number of a row divided by 127, in float16 (11 significant bits).
        largest = original.abs().amax(dim=1)
        scale = found[f"{name}.scale"].float()
        assert (scale - largest / 127).abs().max() <= (largest / 127 * 2**-11).max()
        # Half a step, plus the roundings of the quotient and of the product.
        assert ((wide[name] - original).abs() <= scale[:, None] * (0.5 + 256 * UNIT)).all()


def test_sixteen_bits_are_rounded_to_the_nearest():
    model = decoder(1000)
    found = read(model, 16)
    check_weights(found, model.config)
    for name, original in stored_tensors(model).items():
        exact = original.double().numpy()
        assert np.array_equal(found[name].numpy(), exact.astype(np.float16))


def test_bfloat16_becomes_float16():
    model = decoder(1000).bfloat16()
    for name, original in stored_tensors(model).items():
        assert torch.equal(read(model, 16)[name], original.to(torch.float16))


def test_tied_weights_are_written_once():
    names = read(decoder(1000), 8).keys()
    assert "target_embedding.weight" in names
    assert "generator.weight" not in names
    assert "generator.weight" in read(decoder(1000, tying="none"), 8)


@pytest.mark.parametrize("bits", [8, 16])
def test_the_size_is_known_before(bits: browser_weights.Bits):
    model = decoder(1000)
    written = sum(map(len, weight_parts(model, bits)))
    header = int.from_bytes(next(weight_parts(model, bits))[:8], "little")
    assert written == browser_bytes(model, bits) + 8 + header
    assert header % 8 == 0


def test_parts_are_of_one_size_but_for_the_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(browser_weights, "PART_BYTES", 300_000)
    model = decoder(1000)
    parts = write_parts(model, tmp_path / "m.n")
    files = [tmp_path / f"m.n.{i}" for i in range(len(parts))]
    assert sorted(tmp_path.iterdir()) == files
    assert [file.stat().st_size for file in files] == [part["bytes"] for part in parts]
    assert {part["bytes"] for part in parts[:-1]} == {300_000}
    assert b"".join(file.read_bytes() for file in files) == b"".join(weight_parts(model))


def test_it_takes_no_second_copy_of_the_weights(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(browser_weights, "PART_BYTES", 1_000_000)
    model = decoder(60_000)
    next(weight_parts(model))  # makes everything that is made only once
    tracemalloc.start()
    for part in weight_parts(model):
        assert len(part) <= 1_000_000
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # A few pieces of two megabytes at most; all parts together would take sixteen.
    assert most <= browser_bytes(model) / 2


def test_a_model_that_is_too_large_is_refused_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    model = decoder(1000)
    monkeypatch.setattr(browser_weights, "MOST_BYTES", 1_500_000)
    assert browser_bytes(model, 8) < 1_500_000 < browser_bytes(model, 16)
    with pytest.raises(BrowserModelError, match=r"may have at most 2 MB.*Write it in 8 bits"):
        write_parts(model, tmp_path / "m", 16)
    monkeypatch.setattr(browser_weights, "MOST_BYTES", 500_000)
    with pytest.raises(BrowserModelError, match=r"Choose a smaller model; the app itself opens"):
        write_parts(model, tmp_path / "m")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("value", "message"),
    [(float("nan"), "weights must be finite"), (70_000.0, r"65,504 at most, got 70,000 in .*norm")],
)
def test_numbers_that_float16_lacks_are_refused(value: float, message: str):
    model = decoder(1000)
    model.get_parameter("decoder.norm.weight")[3] = value
    with pytest.raises(BrowserModelError, match=message):
        weight_parts(model)


@pytest.mark.slow
@pytest.mark.parametrize("has_kernel", [True, False])
@pytest.mark.parametrize("bits", [8, 16])
def test_the_browser_multiplies_by_weights_as_they_came(
    bits: browser_weights.Bits, tmp_path: Path, has_kernel: bool
):
    model = decoder(24_000)  # more numbers than the browser converts to float32 at once
    parts = write_parts(model, tmp_path / "m", bits)
    x = torch.randn(5, WIDTH)
    told = told_by(
        SCRIPT,
        {
            "parts": [str(tmp_path / f"m.{i}") for i in range(len(parts))],
            "config": {"tying": "all"},
            "columns": WIDTH,
            "inputs": x.tolist(),
            "row": 17,
            "hasKernel": has_kernel,
        },
    )
    assert told["inKernel"] == has_kernel
    assert told["isPacked"]
    assert told["isShared"]
    assert told["size"] == sum(part["bytes"] for part in parts)
    # The scratch memory matters less the larger a model is; GPT-2's weights take 128 MB.
    assert told["memory"] <= 2 * told["size"]
    wide = {name: each.double().numpy() for name, each in widened(read(model, bits)).items()}
    for name, key, bias in (
        ("target_embedding.weight", "logits", None),
        ("decoder.layers.0.feed_forward.expand.weight", "hidden", "expand.bias"),
    ):
        weight = wide[name]
        added = wide[name.replace("expand.weight", bias)] if bias else 0.0
        given = x.double().numpy()
        exact = given @ weight.T + added
        # One rounding for each term's product and one for its weight, relative to the sizes.
        sizes = np.abs(given) @ np.abs(weight).T + np.abs(added)
        found = np.array(told[key]).reshape(exact.shape)
        assert (np.abs(found - exact) <= (WIDTH + 4) * UNIT * sizes).all()
    assert told["row"] == widened(read(model, bits))["target_embedding.weight"][17].tolist()
    assert told["norm"] == model.get_parameter("decoder.norm.weight").half().tolist()
