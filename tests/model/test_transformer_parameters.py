"""The transformer's parameters: names, sharing, initial values, gradients, and dropout."""

from typing import get_args

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

from model.config import DropoutPoint
from model.norms import UnbiasedStdNorm
from model.presets import PRESETS
from model.transformer import Transformer, count_parameters
from tests.tiny import SOURCE, TARGET, randn, tiny_config, tiny_model


def test_names_of_parameters():
    """The names are part of the file format, so every checkpoint depends on them."""
    names = [name for name, _ in tiny_model("prenorm").named_parameters()]
    attention = [f"{part}.{kind}" for part in ("query", "key", "value", "output") for kind in KINDS]
    self_attn = [f"self_attn.{n}" for n in attention] + [f"self_attn_norm.{k}" for k in KINDS]
    cross_attn = [f"cross_attn.{n}" for n in attention] + [f"cross_attn_norm.{k}" for k in KINDS]
    feed_forward = [
        f"feed_forward{part}.{kind}" for part in (".expand", ".contract", "_norm") for kind in KINDS
    ]
    expected = ["source_embedding.weight", "target_embedding.weight"]
    expected += [f"encoder.layers.{i}.{n}" for i in range(2) for n in self_attn + feed_forward]
    expected += [
        f"decoder.layers.{i}.{n}" for i in range(3) for n in self_attn + cross_attn + feed_forward
    ]
    expected += [f"{m}.{k}" for m in ("encoder.norm", "decoder.norm", "generator") for k in KINDS]
    assert sorted(names) == sorted(expected)


KINDS = ("weight", "bias")


@pytest.mark.parametrize(
    ("tying", "n_tables"), [("none", 3), ("decoder", 2), ("all", 1)], ids=["none", "decoder", "all"]
)
def test_tied_weights_are_one_tensor(tying: str, n_tables: int):
    model = tiny_model(tying=tying)
    source, target, generator = (
        m.weight for m in (model.source_embedding, model.target_embedding, model.generator)
    )
    assert len({w.data_ptr() for w in (source, target, generator)}) == n_tables
    assert (target is generator) == (tying in ("decoder", "all"))
    assert (source is target) == (tying == "all")


@pytest.mark.parametrize("tying", ["none", "decoder", "all"])
def test_gradients_of_tied_weights_add_up(tying: str):
    """The gradient of a shared table is the sum of the gradients of three separate ones."""
    tied = tiny_model(tying=tying)
    apart = Transformer(tiny_config(tying="none")).eval()
    apart.load_state_dict(tied.state_dict())
    for model in (tied, apart):
        (model(SOURCE, TARGET).logits * randn(2, 5, 11)).sum().backward()
    source, target, generator = (
        m.weight.grad for m in (apart.source_embedding, apart.target_embedding, apart.generator)
    )
    expected = {
        "none": (source, target, generator),
        "decoder": (source, target + generator, target + generator),
        "all": (source + target + generator,) * 3,
    }[tying]
    for module, gradient in zip(
        (tied.source_embedding, tied.target_embedding, tied.generator), expected, strict=True
    ):
        assert_close(module.weight.grad, gradient)


def test_count_of_parameters():
    attention = 4 * (16 * 16 + 16)
    feed_forward = 16 * 32 + 32 + 32 * 16 + 16
    norm = 2 * 16
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    layers = 2 * encoder_layer + 3 * decoder_layer
    assert count_parameters(tiny_model(tying="all")) == layers + 11 * 16 + 11
    assert count_parameters(tiny_model(tying="none")) == layers + 3 * 11 * 16 + 11


# Training


def test_everything_trainable_gets_a_gradient(variant: str):
    model = tiny_model(variant, positions="learned").train()
    torch.manual_seed(0)
    (model(SOURCE, TARGET).output * randn(2, 5, 11)).sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name
        if not name.endswith("key.bias"):  # it shifts the scores of a row alike
            assert (parameter.grad != 0).any(), name


def dropped(model: Transformer) -> dict[str, set[bool]]:
    """Return, for each dropout point and each place, whether something was dropped."""
    trace = model(SOURCE, TARGET)
    found: dict[str, set[bool]] = {point: set() for point in get_args(DropoutPoint)}

    def compare(point: str, output: Tensor, undropped: Tensor) -> None:
        found[point].add(not torch.allclose(output, undropped, atol=1e-5))

    for embedding in (trace.source_embedding, trace.target_embedding):
        compare("embedding", embedding.output, embedding.tokens + embedding.positions)
    layers = (*model.encoder.layers, *model.decoder.layers)
    records = (*trace.encoder.layers, *trace.decoder.layers)
    for layer, record in zip(layers, records, strict=True):
        network, hidden = layer.feed_forward, record.feed_forward.hidden
        compare("feed_forward_hidden", record.feed_forward.output, network.contract(hidden))
        sublayers = [(record.self_attn, layer.self_attn_norm, record.input, record.after_self_attn)]
        if layer in [*model.decoder.layers]:
            before, after = record.after_self_attn, record.after_cross_attn
            sublayers.append((record.cross_attn, layer.cross_attn_norm, before, after))
        for attention, norm, before, after in sublayers:
            compare("attention_weights", attention.heads, attention.weights @ attention.value)
            compare("sublayer_output", after, norm(before + attention.output))
        before = sublayers[-1][-1] + record.feed_forward.output
        compare("sublayer_output", record.output, layer.feed_forward_norm(before))
    return found


@pytest.mark.parametrize("point", get_args(DropoutPoint))
def test_dropout_acts_where_the_config_says_and_only_while_training(point: DropoutPoint):
    model = tiny_model(dropout=0.5, dropout_at=(point,))
    nowhere = {name: {False} for name in get_args(DropoutPoint)}
    assert dropped(model) == nowhere
    assert dropped(model.train()) == nowhere | {point: {True}}


@pytest.mark.parametrize("variant", PRESETS)
def test_every_dropout_has_the_rate_of_the_config(variant: str):
    model = tiny_model(variant, dropout=0.25)
    rates = {module.p for module in model.modules() if isinstance(module, nn.Dropout)}
    assert rates - {0.0} == {0.25}


@pytest.mark.parametrize("variant", PRESETS)
def test_every_norm_is_that_of_the_config(variant: str):
    model = tiny_model(variant, norm_eps=0.125)
    norms = [m for name, m in model.named_modules() if name.endswith("norm")]
    kind = UnbiasedStdNorm if variant in ("addnorm", "prenorm") else nn.LayerNorm
    assert len(norms) == 2 * 2 + 3 * 3 + (2 if variant == "prenorm" else 0)
    assert {type(norm) for norm in norms} == {kind}
    assert {norm.eps for norm in norms} == {0.125}


@pytest.mark.parametrize("variant", PRESETS)
def test_fresh_weights_embed_tokens_with_unit_variance(variant: str):
    torch.manual_seed(0)
    sizes = {"source_vocab_size": 200, "target_vocab_size": 200, "d_model": 64}
    model = Transformer(tiny_config(variant, positions="learned", **sizes)).eval()
    ids = torch.arange(200).unsqueeze(0)
    for embedding in (model.source_embedding, model.target_embedding):
        assert embedding(ids).tokens.std().item() == pytest.approx(1, rel=0.05)
        assert embedding(ids).positions.std().item() == pytest.approx(0.5**0.5, rel=0.05)


@pytest.mark.parametrize("variant", PRESETS)
def test_embeddings_are_scaled_where_the_variant_scales(variant: str):
    model = tiny_model(variant)
    factor = 1.0 if variant in ("temperature", "headlist") else 4.0
    trace = model(SOURCE, TARGET)
    for embedding, ids, record in (
        (model.source_embedding, SOURCE, trace.source_embedding),
        (model.target_embedding, TARGET, trace.target_embedding),
    ):
        assert_close(record.tokens, embedding.weight[ids] * factor)
