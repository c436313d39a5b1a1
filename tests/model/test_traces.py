import dataclasses
from operator import attrgetter, getitem

import pytest
import torch
from torch import Tensor

from model.traces import (
    HEAD_TENSORS,
    AttentionTrace,
    TransformerTrace,
    find_tensor,
    named_tensors,
    tensor_names,
)
from model.transformer import Transformer
from tests.tiny import SOURCE, TARGET, tiny_model

ENCODER_LAYER = [
    "input",
    "self_attn.query",
    "self_attn.key",
    "self_attn.value",
    "self_attn.scores",
    "self_attn.mask",
    "self_attn.weights",
    "self_attn.heads",
    "self_attn.output",
    "after_self_attn",
    "feed_forward.hidden",
    "feed_forward.output",
    "output",
]
DECODER_LAYER = [
    *ENCODER_LAYER[:10],
    "cross_attn.query",
    "cross_attn.key",
    "cross_attn.value",
    "cross_attn.scores",
    "cross_attn.mask",
    "cross_attn.weights",
    "cross_attn.heads",
    "cross_attn.output",
    "after_cross_attn",
    *ENCODER_LAYER[10:],
]


def names_under(prefix: str, trace: TransformerTrace) -> list[str]:
    names = (name for name, _ in named_tensors(trace))
    return [name.removeprefix(prefix) for name in names if name.startswith(prefix)]


def test_names_of_a_layer(trace: TransformerTrace):
    assert names_under("encoder.layers.1.", trace) == ENCODER_LAYER
    assert names_under("decoder.layers.2.", trace) == DECODER_LAYER


def test_names_around_the_layers(trace: TransformerTrace):
    assert [n for n in names_under("", trace) if ".layers." not in n] == [
        "source_embedding.tokens",
        "source_embedding.positions",
        "source_embedding.output",
        "encoder.output",
        "target_embedding.tokens",
        "target_embedding.positions",
        "target_embedding.output",
        "decoder.output",
        "logits",
        "output",
    ]


def test_layers_stand_before_the_output_of_their_stack(trace: TransformerTrace):
    names = names_under("", trace)
    assert len(names) == 10 + 2 * len(ENCODER_LAYER) + 3 * len(DECODER_LAYER)
    assert names[3 : 3 + 2 * 13] == [
        f"encoder.layers.{i}.{n}" for i in (0, 1) for n in ENCODER_LAYER
    ]
    assert names[-3 - 3 * 22 : -3] == [
        f"decoder.layers.{i}.{n}" for i in (0, 1, 2) for n in DECODER_LAYER
    ]


def test_names_are_known_without_a_run(variant_model: Transformer, variant_trace: TransformerTrace):
    names = tuple(name for name, _ in named_tensors(variant_trace))
    assert tensor_names(variant_model.config) == names
    assert len(set(names)) == len(names)


def test_a_name_is_the_path_of_a_field(trace: TransformerTrace):
    for name, tensor in named_tensors(trace):
        record = trace
        for part in name.split("."):
            record = getitem(record, int(part)) if part.isdigit() else attrgetter(part)(record)
        assert torch.equal(record, tensor), name


def test_a_name_is_the_path_of_the_module_that_computed_it(
    variant_model: Transformer, variant_trace: TransformerTrace
):
    modules = dict(variant_model.named_modules())
    for name, _ in named_tensors(variant_trace):
        assert name.rpartition(".")[0] in modules, name


def test_names_may_be_those_of_a_part(trace: TransformerTrace):
    attention = trace.encoder.layers[0].self_attn
    names = [name for name, _ in named_tensors(attention, "here.")]
    assert names == [f"here.{n.removeprefix('self_attn.')}" for n in ENCODER_LAYER[1:9]]


SIZES = {
    "batch": 2,
    "source": 3,
    "target": 5,
    "head": 4,
    "d_model": 16,
    "d_k": 6,
    "d_v": 7,
    "d_ff": 32,
    "source_vocab": 11,
    "target_vocab": 13,
    "1": 1,
}
SHAPES = {
    "source_embedding.tokens": "batch source d_model",
    "source_embedding.positions": "source d_model",
    "source_embedding.output": "batch source d_model",
    "target_embedding.tokens": "batch target d_model",
    "target_embedding.positions": "target d_model",
    "target_embedding.output": "batch target d_model",
    "encoder.layers.1.input": "batch source d_model",
    "encoder.layers.1.self_attn.query": "batch head source d_k",
    "encoder.layers.1.self_attn.key": "batch head source d_k",
    "encoder.layers.1.self_attn.value": "batch head source d_v",
    "encoder.layers.1.self_attn.scores": "batch head source source",
    "encoder.layers.1.self_attn.mask": "batch 1 source",
    "encoder.layers.1.self_attn.weights": "batch head source source",
    "encoder.layers.1.self_attn.heads": "batch head source d_v",
    "encoder.layers.1.self_attn.output": "batch source d_model",
    "encoder.layers.1.after_self_attn": "batch source d_model",
    "encoder.layers.1.feed_forward.hidden": "batch source d_ff",
    "encoder.layers.1.feed_forward.output": "batch source d_model",
    "encoder.layers.1.output": "batch source d_model",
    "encoder.output": "batch source d_model",
    "decoder.layers.2.input": "batch target d_model",
    "decoder.layers.2.self_attn.query": "batch head target d_k",
    "decoder.layers.2.self_attn.key": "batch head target d_k",
    "decoder.layers.2.self_attn.value": "batch head target d_v",
    "decoder.layers.2.self_attn.scores": "batch head target target",
    "decoder.layers.2.self_attn.mask": "batch target target",
    "decoder.layers.2.self_attn.weights": "batch head target target",
    "decoder.layers.2.self_attn.heads": "batch head target d_v",
    "decoder.layers.2.self_attn.output": "batch target d_model",
    "decoder.layers.2.after_self_attn": "batch target d_model",
    "decoder.layers.2.cross_attn.query": "batch head target d_k",
    "decoder.layers.2.cross_attn.key": "batch head source d_k",
    "decoder.layers.2.cross_attn.value": "batch head source d_v",
    "decoder.layers.2.cross_attn.scores": "batch head target source",
    "decoder.layers.2.cross_attn.mask": "batch 1 source",
    "decoder.layers.2.cross_attn.weights": "batch head target source",
    "decoder.layers.2.cross_attn.heads": "batch head target d_v",
    "decoder.layers.2.cross_attn.output": "batch target d_model",
    "decoder.layers.2.after_cross_attn": "batch target d_model",
    "decoder.layers.2.feed_forward.hidden": "batch target d_ff",
    "decoder.layers.2.feed_forward.output": "batch target d_model",
    "decoder.layers.2.output": "batch target d_model",
    "decoder.output": "batch target d_model",
    "logits": "batch target target_vocab",
    "output": "batch target target_vocab",
}


@pytest.fixture(scope="module")
def trace_of_unequal_sizes() -> dict[str, Tensor]:
    """No two axes have one size, so that none can pass for another."""
    model = tiny_model("temperature", d_k=6, d_v=7, target_vocab_size=13)
    return dict(named_tensors(model(SOURCE, TARGET)))


@pytest.mark.parametrize(("name", "axes"), SHAPES.items(), ids=SHAPES)
def test_shapes(name: str, axes: str, trace_of_unequal_sizes: dict[str, Tensor]):
    assert trace_of_unequal_sizes[name].shape == tuple(SIZES[axis] for axis in axes.split())


def test_every_kind_of_tensor_has_its_shape_tested(trace: TransformerTrace):
    shown = [n for n in names_under("", trace) if not n.startswith(OTHER_LAYERS)]
    assert set(shown) == set(SHAPES)


OTHER_LAYERS = ("encoder.layers.0.", "decoder.layers.0.", "decoder.layers.1.")


def test_tensors_with_a_head_axis(trace_of_unequal_sizes: dict[str, Tensor]):
    for name, tensor in trace_of_unequal_sizes.items():
        has_heads = name.rpartition(".")[2] in HEAD_TENSORS
        assert has_heads == (tensor.dim() == 4 and tensor.size(1) == SIZES["head"]), name


def attentions(trace: TransformerTrace) -> list[AttentionTrace]:
    decoder = trace.decoder.layers
    return [
        *(layer.self_attn for layer in trace.encoder.layers),
        *(layer.self_attn for layer in decoder),
        *(layer.cross_attn for layer in decoder),
    ]


def test_weights_of_every_query_sum_to_one(variant_trace: TransformerTrace):
    assert len(attentions(variant_trace)) == 8
    for attention in attentions(variant_trace):
        sums = attention.weights.sum(dim=-1)
        torch.testing.assert_close(sums, torch.ones_like(sums), rtol=0, atol=1e-6)


def test_masked_weights_are_exactly_zero_and_no_others(variant_trace: TransformerTrace):
    for attention in attentions(variant_trace):
        mask = attention.mask.unsqueeze(1).expand_as(attention.weights)
        assert torch.equal(attention.weights > 0, mask)


def test_hidden_units_are_never_negative(variant_trace: TransformerTrace):
    for stack in (variant_trace.encoder, variant_trace.decoder):
        for layer in stack.layers:
            assert (layer.feed_forward.hidden >= 0).all()


def test_records_are_frozen(trace: TransformerTrace):
    for record, field in (
        (trace, "logits"),
        (trace.source_embedding, "tokens"),
        (trace.encoder, "layers"),
        (trace.encoder.layers[0], "input"),
        (trace.encoder.layers[0].self_attn, "weights"),
        (trace.encoder.layers[0].feed_forward, "hidden"),
        (trace.decoder, "output"),
        (trace.decoder.layers[0], "after_cross_attn"),
    ):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(record, field, None)


def test_a_record_equals_itself_alone(trace: TransformerTrace):
    """Comparing tensors element by element would have no single answer."""
    assert trace == trace
    assert trace != dataclasses.replace(trace)


def test_a_tensor_is_found_by_each_name_that_is_listed(variant_trace):
    for name, tensor in named_tensors(variant_trace):
        assert torch.equal(find_tensor(variant_trace, name), tensor), name
