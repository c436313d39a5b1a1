import dataclasses
from collections.abc import Callable
from operator import attrgetter, getitem

import pytest
import torch
from torch import Tensor

from model.edits import Edits
from model.tensor_names import AXES, HEAD_TENSORS, tensor_names
from model.traces import AttentionTrace, TransformerTrace, find_tensor, named_tensors
from model.transformer import Transformer
from tests.tiny import SOURCE, TARGET, tiny_model


def test_names_are_in_the_order_in_which_a_pass_computes_them(variant_model: Transformer):
    """A mask is computed before its scores, but its name follows theirs, as in figure 2."""
    order: list[str] = []

    def seen(name: str) -> Callable[[Tensor], Tensor]:
        return lambda value: [order.append(name), value][1]

    edits = Edits({name: seen(name) for name in tensor_names(variant_model.config)})
    with torch.inference_mode():
        trace = variant_model(SOURCE, TARGET, edits=edits)
    names = [name for name, _ in named_tensors(trace)]
    apart = {"mask", "scores"}
    assert [n for n in order if n.rpartition(".")[2] not in apart] == [
        n for n in names if n.rpartition(".")[2] not in apart
    ]
    assert sorted(order) == sorted(names)
    for at, name in enumerate(names):
        if name.endswith(".scores"):
            assert names[at + 1] == name.replace(".scores", ".mask")


def test_names_are_known_without_a_run(variant_model: Transformer, variant_trace: TransformerTrace):
    names = tuple(name for name, _ in named_tensors(variant_trace))
    assert tensor_names(variant_model.config) == names
    assert len(set(names)) == len(names)


def test_a_name_is_the_path_of_a_field(trace: TransformerTrace):
    for name, tensor in named_tensors(trace):
        record = trace
        for part in name.split("."):
            record = getitem(record, int(part)) if part.isdigit() else attrgetter(part)(record)
        assert torch.equal(record, find_tensor(trace, name)), name
        assert torch.equal(record, tensor), name


def test_a_name_is_the_path_of_the_module_that_computed_it(
    variant_model: Transformer, variant_trace: TransformerTrace
):
    modules = dict(variant_model.named_modules())
    for name, _ in named_tensors(variant_trace):
        assert name.rpartition(".")[0] in modules, name


def test_tensors_of_unequal_sizes_are_shaped_as_annotated_and_those_with_heads_are_known():
    """No two axes have the same size, so no axis can be mistaken for another."""
    model = tiny_model("temperature", d_k=6, d_v=7, target_vocab_size=13)
    for name, tensor in named_tensors(model(SOURCE, TARGET)):
        last = name.rpartition(".")[2]
        assert (last in HEAD_TENSORS) == (tensor.dim() == 4 and tensor.size(1) == 4), name
        if name not in ("logits", "output"):
            sizes = {"d_model": 16, "d_k": 6, "d_v": 7, "d_ff": 32, "key": {3, 5}}
            size = sizes[AXES[last][-1]]
            assert tensor.size(-1) in (size if isinstance(size, set) else {size}), name


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


def test_a_record_is_frozen_and_equals_itself_alone(trace: TransformerTrace):
    """Records compare by identity, because comparing tensors gives no single answer."""
    layer = trace.encoder.layers[0]
    for record in (trace, trace.encoder, trace.decoder, layer, layer.self_attn):
        with pytest.raises(dataclasses.FrozenInstanceError):
            record.output = None
    assert trace == trace
    assert trace != dataclasses.replace(trace)
