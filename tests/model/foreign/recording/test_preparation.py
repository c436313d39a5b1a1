from functools import cache
from itertools import chain

import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close
from transformers import AttentionMaskInterface

from model.edits import Bypass, Edits
from model.foreign.recording import attached, record
from model.traces import (
    AttentionTrace,
    TransformerTrace,
    for_each_head,
    named_tensors,
    present,
)
from tests.closeness import rooms, worst
from tests.model.foreign.huggingface.families import (
    DECODERS,
    ENCODER_DECODERS,
    ENCODERS,
    FAMILIES,
    eager,
    family,
    inputs_of,
)

TEXT = [name for name in FAMILIES if name != "ViT"]
KINDS = ["GPT-2", "Llama", "Gemma 2", "GPT-OSS", "NeoX", "BERT", "ALBERT", "BART", "T5"]
"""Kinds that differ in attention or in norm placement; the others differ only in names."""


@cache
def recorded(name: str, *, padded: bool = True) -> TransformerTrace:
    return record(family(name), **inputs_of(name, padded=padded))


def edited(name: str, edits: dict) -> TransformerTrace:
    return record(family(name), edits=Edits(edits), **inputs_of(name))


def stack(trace: TransformerTrace):
    return trace.decoder or present(trace.encoder)


def attentions(trace: TransformerTrace) -> dict[str, list[AttentionTrace]]:
    found: dict[str, list[AttentionTrace]] = {}
    if trace.encoder:
        found["encoder"] = [layer.self_attn for layer in trace.encoder.layers]
    if trace.decoder:
        found["decoder"] = [layer.self_attn for layer in trace.decoder.layers]
        found["cross"] = [layer.cross_attn for layer in trace.decoder.layers if layer.cross_attn]
    return found


@pytest.mark.parametrize("name", KINDS)
def test_without_padding_it_is_what_the_models_own_code_computes_to_the_last_bit(name):
    expected = eager(name, inputs_of(name, padded=False)).logits

    assert torch.equal(present(recorded(name, padded=False).logits), expected)


@pytest.mark.parametrize("name", [name for name in KINDS if name not in ENCODERS])
def test_with_a_cache_the_models_own_code_computes_the_same_within_rounding(name):
    trace = recorded(name, padded=False)
    allowed = dict(rooms(dict(named_tensors(trace))))["logits"]

    cached = eager(name, inputs_of(name, padded=False), use_cache=True)

    assert cached.past_key_values is not None
    assert worst(present(trace.logits), cached.logits, allowed) <= 1


@pytest.mark.parametrize("name", FAMILIES)
def test_weights_and_hidden_states_are_those_that_transformers_gives(name):
    inputs = inputs_of(name)
    told = eager(name, inputs, output_attentions=True, output_hidden_states=True)
    trace = recorded(name)

    if name != "ViT":
        assert torch.equal(present(trace.logits), told.logits)
    heard = attentions(trace)
    if name in ENCODER_DECODERS:
        weights = {
            "encoder": told.encoder_attentions,
            "decoder": told.decoder_attentions,
            "cross": told.cross_attentions,
        }
        states = {
            "encoder": told.encoder_hidden_states,
            "decoder": told.decoder_hidden_states,
        }
    else:
        side = "decoder" if name in DECODERS else "encoder"
        weights, states = {side: told.attentions}, {side: told.hidden_states}
    for side, expected in weights.items():
        assert len(heard[side]) == len(expected)
        for attention, theirs in zip(heard[side], expected, strict=True):
            assert torch.equal(attention.weights, theirs)
    for side, expected in states.items():
        ours = present(getattr(trace, side))
        assert torch.equal(ours.layers[0].input, expected[0])
        for layer, theirs in zip(ours.layers[:-1], expected[1:], strict=False):
            assert torch.equal(layer.output, theirs)
        if name != "ViT":  # returns its state before the final norm
            assert torch.equal(ours.output, expected[-1])


@pytest.mark.parametrize("name", FAMILIES)
def test_each_attention_agrees_with_itself(name):
    for attention in chain(*attentions(recorded(name)).values()):
        scores = attention.scores.double().masked_fill(~attention.mask.unsqueeze(1), -1e30)
        rest = attention.weights.double().sum(dim=-1, keepdim=True)
        mixed = attention.weights @ for_each_head(attention.value, attention.weights.size(1))

        assert_close(scores.softmax(dim=-1) * rest, attention.weights.double(), atol=1e-5, rtol=0)
        assert_close(mixed, attention.heads, atol=1e-5, rtol=1e-5)
        if name != "GPT-OSS":  # sinks take a share of each row
            assert_close(rest, torch.ones_like(rest), atol=1e-5, rtol=0)


def test_sinks_leave_rows_that_do_not_sum_to_one():
    for attention in attentions(recorded("GPT-OSS"))["decoder"]:
        assert (attention.weights.sum(dim=-1) < 0.999).any()


@pytest.mark.parametrize("name", FAMILIES)
def test_the_stream_adds_up(name):
    trace = recorded(name)
    for side in (trace.encoder, trace.decoder):
        for layer in side.layers if side else ():
            feed_forward = present(layer.feed_forward)
            assert (feed_forward.hidden is None) == (name == "GPT-OSS")
            if name == "NeoX":
                assert layer.after_self_attn is None
                total = layer.input + layer.self_attn.output + feed_forward.output
                assert_close(total, layer.output, atol=1e-5, rtol=1e-5)
                continue
            after = present(layer.after_self_attn)
            if name.startswith("Gemma") or name in ("BERT", "RoBERTa", "DistilBERT", "ALBERT"):
                continue
            if name in ("Marian", "BART"):
                assert_close(after.mean(dim=-1), torch.zeros(after.shape[:-1]), atol=1e-5, rtol=0)
                continue
            assert_close(layer.input + layer.self_attn.output, after, atol=1e-5, rtol=1e-5)
            if side is trace.decoder and trace.encoder:
                after, cross = present(layer.after_cross_attn), present(layer.cross_attn)
                total = present(layer.after_self_attn) + cross.output
                assert_close(total, after, atol=1e-5, rtol=1e-5)
            assert_close(after + feed_forward.output, layer.output, atol=1e-5, rtol=1e-5)


HAND_MADE = {
    "GPT-2": {
        "decoder.layers.1.feed_forward.hidden": "<transformer.h.1.mlp.c_proj",
        "decoder.layers.1.feed_forward.output": "transformer.h.1.mlp",
        "decoder.layers.1.after_self_attn": "<transformer.h.1.ln_2",
        "decoder.output": "transformer.ln_f",
        "target_embedding.tokens": "transformer.wte",
    },
    "Gemma 2": {
        "decoder.layers.1.self_attn.output": "model.layers.1.self_attn.o_proj",
        "decoder.layers.1.after_self_attn": "<model.layers.1.pre_feedforward_layernorm",
        "decoder.layers.1.feed_forward.output": "model.layers.1.mlp",
        "decoder.layers.1.feed_forward.hidden": "<model.layers.1.mlp.down_proj",
    },
    "GPT-OSS": {"decoder.layers.1.feed_forward.output": "model.layers.1.mlp"},
    "BERT": {
        "source_embedding.output": "bert.embeddings",
        "source_embedding.segments": "bert.embeddings.token_type_embeddings",
        "encoder.layers.2.after_self_attn": "bert.encoder.layer.2.attention.output",
        "encoder.layers.2.feed_forward.hidden": "<bert.encoder.layer.2.output.dense",
        "encoder.layers.2.feed_forward.output": "bert.encoder.layer.2.output.dense",
        "encoder.output": "bert.encoder.layer.2",
    },
    "BART": {
        "decoder.layers.1.after_cross_attn": "model.decoder.layers.1.encoder_attn_layer_norm",
        "decoder.layers.1.feed_forward.hidden": "<model.decoder.layers.1.fc2",
        "source_embedding.output": "model.encoder.layernorm_embedding",
    },
    "T5": {
        "decoder.layers.1.cross_attn.output": "decoder.block.1.layer.1.EncDecAttention.o",
        "decoder.layers.1.after_cross_attn": "<decoder.block.1.layer.2.layer_norm",
        "encoder.output": "encoder.final_layer_norm",
    },
}


@pytest.mark.parametrize("name", HAND_MADE)
def test_names_are_of_the_tensors_that_these_modules_read_and_give(name):
    model, seen = family(name), {}

    def look(tensor_name: str, *, reads: bool):
        def hook(_module: nn.Module, args: tuple, output: object = None):
            value = args[0] if reads else output
            seen[tensor_name] = value[0] if isinstance(value, tuple) else value

        return hook

    handles = []
    for tensor_name, path in HAND_MADE[name].items():
        module, reads = model.get_submodule(path.removeprefix("<")), path.startswith("<")
        register = module.register_forward_pre_hook if reads else module.register_forward_hook
        handles.append(register(look(tensor_name, reads=reads)))
    eager(name, inputs_of(name))
    [handle.remove() for handle in handles]

    tensors = dict(named_tensors(recorded(name)))
    for tensor_name, expected in seen.items():
        assert torch.equal(tensors[tensor_name], expected), tensor_name


@pytest.mark.parametrize("name", ["GPT-2", "BERT", "BART", "Marian", "T5"])
def test_tokens_of_a_text_alone_are_the_rows_of_its_ids(name):
    model, inputs = family(name), {k: x[:1] for k, x in inputs_of(name, padded=False).items()}
    trace, table = record(model, **inputs), model.get_input_embeddings().weight
    ids = {"source_embedding": "input_ids", "target_embedding": "decoder_input_ids"}
    for side, named in ids.items():
        if embedding := getattr(trace, side):
            rows = table[inputs.get(named, inputs["input_ids"])]
            scale = rows.size(-1) ** 0.5 if name == "Marian" else 1.0
            assert_close(embedding.tokens, rows * scale)


@pytest.mark.parametrize("name", TEXT)
def test_embeddings_are_their_parts(name):
    trace = recorded(name, padded=False)
    if name == "ALBERT":  # its embeddings have another width than the stream
        assert trace.source_embedding is None
        return
    for embedding in (trace.source_embedding, trace.target_embedding):
        if embedding is None:
            continue
        total = embedding.tokens + embedding.positions
        if embedding.segments is not None:
            total = total + embedding.segments
        if name in ("BERT", "RoBERTa", "DistilBERT", "BART"):
            total = nn.functional.layer_norm(total, total.shape[-1:])
        assert_close(total, embedding.output, atol=1e-4, rtol=1e-4)
        has_vectors = name in ("GPT-2", "Marian", *ENCODERS, "BART")
        assert bool(embedding.positions.any()) == has_vectors


@pytest.mark.parametrize("name", DECODERS)
def test_a_missing_mask_would_show(name, monkeypatch):
    expected = eager(name, inputs_of(name)).logits
    with attached(family(name), **inputs_of(name)) as ready:
        masks = AttentionMaskInterface._global_mapping
        for mask in [key for key in masks if key.startswith("recorded")]:
            monkeypatch.delitem(masks, mask)
        blind = ready.record(**inputs_of(name))

    assert (present(blind.logits) - expected).abs().max() > 0.1
    for attention in attentions(recorded(name))["decoder"]:
        assert not attention.weights.triu(1).any()


@pytest.mark.parametrize("name", KINDS)
def test_an_edit_that_changes_nothing_changes_nothing(name):
    plain = recorded(name)
    side = "decoder" if plain.decoder else "encoder"
    base = f"{side}.layers.1.self_attn"
    parts = ("query", "key", "value", "scores", "mask", "weights", "heads", "output")
    edits = {f"{base}.{part}": torch.clone for part in parts}

    again = edited(name, edits)

    assert_close(again.logits, plain.logits, atol=1e-4, rtol=1e-4)
    assert_close(stack(again).layers[1].self_attn.scores, stack(plain).layers[1].self_attn.scores)


@pytest.mark.parametrize("name", [name for name in KINDS if name != "ALBERT"])  # shares layers
def test_a_head_without_output_is_one_whose_columns_of_the_projection_are_zero(name):
    model, inputs = family(name), inputs_of(name)
    side = "encoder" if name in ENCODERS else "decoder"
    base = f"{side}.layers.1.self_attn"
    with attached(model, **inputs) as ready:
        (path, _), *_ = [
            call
            for call, taps in ready.plan.leaving.items()
            if any(tap.name == f"{base}.output" for tap in taps)
        ]
        cut = ready.record(edits=Edits({f"{base}.heads[2]": torch.zeros_like}), **inputs)
    d_v = stack(cut).layers[1].self_attn.heads.size(-1)
    columns = slice(2 * d_v, 3 * d_v)
    projection = model.get_submodule(path)
    weight = projection.weight.clone()
    if isinstance(projection, nn.Linear):
        projection.weight[:, columns] = 0
    else:  # GPT-2's Conv1D has its inputs in rows
        projection.weight[columns] = 0
    try:
        expected = eager(name, inputs).logits
    finally:
        projection.weight.copy_(weight)

    assert_close(cut.logits, expected, atol=1e-4, rtol=1e-4)
    assert (present(cut.logits) - present(recorded(name).logits)).abs().max() > 0.01


@pytest.mark.parametrize("name", KINDS)
def test_what_is_written_into_the_stream_flows_on(name):
    plain = recorded(name)
    side = "decoder" if plain.decoder else "encoder"
    layer = f"{side}.layers.1"
    last = "after_cross_attn" if plain.decoder and plain.encoder else "after_self_attn"
    if name == "NeoX":
        last = "input"
    shift = torch.linspace(-1, 1, 32)

    def moved(x: Tensor) -> Tensor:
        return x + shift

    def nothing(x: Tensor) -> Tensor:
        return torch.zeros_like(x)

    quiet = {f"{layer}.feed_forward.output": nothing}
    before = stack(edited(name, quiet)).layers[1].output
    after = edited(name, {**quiet, f"{layer}.{last}": moved})

    if name in (*ENCODERS, "BART", "Marian"):  # followed by a norm
        assert (stack(after).layers[1].output - before).abs().max() > 0.01
    elif name != "NeoX":
        assert_close(stack(after).layers[1].output, before + shift, atol=1e-5, rtol=1e-5)
    assert (present(after.logits) - present(plain.logits)).abs().max() > 0.01


def test_a_hidden_score_a_masked_place_and_a_weight_of_zero():
    base = "decoder.layers.1.self_attn"

    def hide(scores: Tensor) -> Tensor:
        return scores.index_fill(-1, torch.tensor(3), -torch.inf)

    def forbid(mask: Tensor) -> Tensor:
        return mask.index_fill(-1, torch.tensor(3), value=False)

    for name in ("Llama", "Gemma 2", "GPT-OSS"):
        hidden = edited(name, {f"{base}.scores": hide})
        masked = edited(name, {f"{base}.mask": forbid})
        attention = stack(hidden).layers[1].self_attn

        assert not attention.weights[..., 3].any()
        assert torch.isneginf(attention.scores[..., 3]).all()
        assert not stack(masked).layers[1].self_attn.mask[..., 3].any()
        assert_close(hidden.logits, masked.logits, atol=1e-5, rtol=1e-5)


def test_a_query_that_may_read_nothing_reads_nothing():
    edits = {"decoder.layers.1.self_attn.scores": lambda s: torch.full_like(s, -torch.inf)}

    attention = stack(edited("GPT-2", edits)).layers[1].self_attn

    assert not attention.weights.any()
    assert not attention.heads.any()


def test_weights_in_place_of_the_models_own_mix_the_values():
    even = {"decoder.layers.1.self_attn.weights": lambda w: torch.full_like(w, 1 / w.size(-1))}

    attention = stack(edited("Llama", even)).layers[1].self_attn

    mean = for_each_head(attention.value, 4).mean(dim=2, keepdim=True)
    assert_close(attention.heads, mean.expand_as(attention.heads), atol=1e-5, rtol=1e-5)


def test_one_head_of_values_is_read_by_a_group_of_queries():
    edits = {"decoder.layers.0.self_attn.value[1]": torch.zeros_like}

    heads = stack(edited("Llama", edits)).layers[0].self_attn.heads

    assert not heads[:, 2:].any()
    assert heads[:, :2].any()


def test_parts_of_embeddings_and_outputs_can_be_edited():
    doubled = edited("GPT-2", {"target_embedding.tokens": lambda x: 2 * x})
    embedding = present(doubled.target_embedding)
    assert_close(embedding.output, embedding.tokens + embedding.positions)

    blank = edited("Marian", {"encoder.output": torch.zeros_like})
    cross = present(present(blank.decoder).layers[0].cross_attn)
    assert_close(cross.weights[0], torch.full_like(cross.weights[0], 1 / 12))

    still = edited("GPT-2", {"target_embedding.positions": torch.zeros_like})
    assert not present(still.target_embedding).positions.any()
    assert_close(present(still.target_embedding).output, present(still.target_embedding).tokens)

    silent = edited("GPT-2", {"logits": torch.zeros_like})
    assert not present(silent.output).any()


def test_a_bypassed_layer_gives_what_it_reads():
    layer = stack(edited("Qwen2", {"decoder.layers.1.output": Bypass()})).layers[1]

    assert torch.equal(layer.output, layer.input)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ("decoder.layers.1.self_attn.weight", "nearest: decoder.layers.1.self_attn.weights"),
        ("encoder.layers.1.self_attn.weights", "no tensor is called"),
        ("decoder.layers.1.self_attn.key[2]", "has heads 0 to 1"),
        ("decoder.layers.1.output[0]", "no heads"),
    ],
)
def test_unknown_names_are_refused(edit, message):
    with pytest.raises(ValueError, match=message.replace("[", r"\[")):
        edited("Llama", {edit: torch.zeros_like})
