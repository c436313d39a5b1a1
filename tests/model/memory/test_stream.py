"""A trace that keeps only the residual stream reproduces every number of a full one exactly."""

from typing import Any

import pytest
import torch

from model.config import TransformerConfig
from model.edits import NO_EDITS, Edits, ablate
from model.memory.stream import RecomputedTrace, trace_bytes, trace_stream
from model.recompute import RecomputedLayers
from model.traces import named_tensors, present
from model.transformer import Transformer

SIZES: dict[str, Any] = {"d_model": 24, "d_ff": 32, "n_heads": 4, "d_k": 6, "d_v": 6, "dropout": 0}
BOTH: dict[str, Any] = {**SIZES, "source_vocab_size": 30, "target_vocab_size": 40, "tying": "none"}
GPT: dict[str, Any] = {
    **SIZES,
    "source_vocab_size": 0,
    "target_vocab_size": 40,
    "n_encoder_layers": 0,
    "n_kv_heads": 2,
    "positions": "rotary",
    "norm_placement": "pre",
}
BERT: dict[str, Any] = {**SIZES, "source_vocab_size": 30, "target_vocab_size": 0} | {
    "n_decoder_layers": 0,
    "head": "transform",
}
SOURCE, TARGET = torch.tensor([[4, 9, 2, 17, 8]]), torch.tensor([[1, 6, 30, 11]])


def model_of(values: dict[str, Any]) -> Transformer:
    torch.manual_seed(3)
    return Transformer(TransformerConfig(**(values | {"dropout": 0.0}))).eval()


def texts_of(model: Transformer) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    config = model.config
    return (SOURCE if config.has_encoder else None, TARGET if config.has_decoder else None)


@torch.inference_mode()
@pytest.mark.parametrize("values", [BOTH, GPT, BERT], ids=["both", "decoder", "encoder"])
@pytest.mark.parametrize("edited", [False, True], ids=["plain", "edited"])
def test_every_tensor_is_there_to_the_last_bit(values: dict[str, Any], edited: bool) -> None:
    model = model_of(values)
    stack = "encoder" if model.config.has_encoder else "decoder"
    edits = Edits({f"{stack}.layers.1.self_attn.heads[2]": ablate}) if edited else NO_EDITS
    whole = dict(named_tensors(model(*texts_of(model), edits=edits)))
    streamed = dict(named_tensors(trace_stream(model, *texts_of(model), edits=edits)))
    assert streamed.keys() == whole.keys()
    assert [name for name in whole if not torch.equal(whole[name], streamed[name])] == []


@torch.inference_mode()
def test_only_what_goes_into_the_layers_is_held() -> None:
    model = model_of(GPT)
    trace = trace_stream(model, None, TARGET)
    layers = present(trace.decoder).layers
    assert isinstance(layers, RecomputedLayers)
    held = [value for value in vars(layers).values() if isinstance(value, tuple)]
    assert [tuple(x.shape) for x in held[0]] == [(1, 4, 24)] * 6
    assert "logits" not in vars(trace)
    whole = model(None, TARGET)
    assert layers[-1].output.equal(present(whole.decoder).layers[5].output)
    torch.testing.assert_close(trace.logit_row(2), present(whole.logits)[0, 2])


@torch.inference_mode()
def test_a_model_in_fewer_bits_is_shown_in_float32() -> None:
    model = model_of(GPT).bfloat16()
    trace: RecomputedTrace = trace_stream(model, None, TARGET)
    floats = [tensor for _, tensor in named_tensors(trace) if tensor.is_floating_point()]
    assert {tensor.dtype for tensor in floats} == {torch.float32}
    exact = present(model(None, TARGET).decoder).layers[3].self_attn.weights
    shown = present(trace.decoder).layers[3].self_attn.weights
    assert torch.equal(shown, exact.float())


@torch.inference_mode()
@pytest.mark.parametrize("values", [BOTH, GPT, BERT], ids=["both", "decoder", "encoder"])
def test_the_estimate_of_a_trace_is_near_its_size(values: dict[str, Any]) -> None:
    model = model_of(values)
    source, target = texts_of(model)
    tensors = {
        tensor.data_ptr(): tensor.nbytes
        for name, tensor in named_tensors(model(source, target))
        if not name.endswith(".positions")  # a table that the model holds anyway
    }
    sizes = (0 if text is None else text.size(1) for text in (source, target))
    assert 0.7 < trace_bytes(model.config, *sizes) / sum(tensors.values()) < 1.3
