"""Models of one text: a decoder alone, an encoder alone, and common design choices."""

import math
from typing import Any

import pytest
import torch
from torch.nn import functional

from model.config import TransformerConfig
from model.decoding.greedy import greedy, score
from model.edits import Edits, ablate
from model.positions import alibi_bias, relative_bucket
from model.probing import anatomy_of
from model.tensor_names import tensor_names
from model.traces import named_tensors, present
from model.transformer import Transformer

SIZES: dict[str, Any] = {"d_model": 24, "d_ff": 32, "n_heads": 4, "d_k": 6, "d_v": 6}
GPT: dict[str, Any] = {
    **SIZES,
    "source_vocab_size": 0,
    "target_vocab_size": 20,
    "n_encoder_layers": 0,
    "n_decoder_layers": 2,
    "decoder_padding_mask": False,
    "dropout": 0.0,
}
BERT: dict[str, Any] = {
    **SIZES,
    "source_vocab_size": 20,
    "target_vocab_size": 0,
    "n_encoder_layers": 2,
    "n_decoder_layers": 0,
    "head": "transform",
    "segments": 2,
    "embedding_norm": True,
    "activation": "gelu",
    "dropout": 0.0,
}
CHOICES: dict[str, dict[str, Any]] = {
    "learned": {"positions": "learned", "max_length": 32},
    "rotary": {"positions": "rotary", "norm": "rms", "norm_placement": "pre", "final_norm": True},
    "part rotary": {"positions": "rotary", "rotary_share": 0.7, "norm_placement": "parallel"},
    "alibi": {"positions": "alibi", "n_kv_heads": 2},
    "relative": {"positions": "relative", "relative_buckets": 8, "relative_max_distance": 6},
    "gated": {"activation": "silu", "gated": True, "feed_forward_bias": False},
    "attention only": {"d_ff": 0, "positions": "rotary"},
    "window": {"window": 3},
}
IDS = torch.tensor([[5, 9, 3, 12, 7, 7, 2, 15, 4]])


def model_of(**values: Any) -> Transformer:
    torch.manual_seed(1)
    return Transformer(TransformerConfig(**values)).eval()


@pytest.mark.parametrize("choice", CHOICES)
def test_a_decoder_alone_names_what_it_computes(choice: str) -> None:
    config = TransformerConfig(**(GPT | CHOICES[choice]))
    trace = model_of(**(GPT | CHOICES[choice]))(None, IDS)
    assert tuple(name for name, _ in named_tensors(trace)) == tensor_names(config)
    assert all(tensor.isfinite().all() for _, tensor in named_tensors(trace))
    rows = torch.arange(9)
    behind = rows[:, None] - rows  # a window reads its own position and those just before
    expected = (behind >= 0) & (behind < (config.window or 9))
    assert torch.equal(present(trace.decoder).layers[0].self_attn.mask[0], expected)


@pytest.mark.parametrize("choice", CHOICES)
def test_rows_of_a_decoder_alone_do_not_depend_on_later_tokens(choice: str) -> None:
    model = model_of(**(GPT | CHOICES[choice]))
    changed = IDS.clone()
    changed[0, 6:] = torch.tensor([1, 8, 19])
    one, other = present(model(None, IDS).logits), present(model(None, changed).logits)
    torch.testing.assert_close(one[:, :6], other[:, :6])
    assert (one[:, 6:] - other[:, 6:]).abs().max() > 0.01


@torch.inference_mode()
@pytest.mark.parametrize("choice", CHOICES)
def test_going_on_from_a_prompt_step_by_step_is_one_pass(choice: str) -> None:
    model = model_of(**(GPT | CHOICES[choice]))
    prompt = IDS[0].tolist()
    steps = list(greedy(model, None, bos_id=prompt[0], prefix=prompt[1:], max_length=14, eos_id=-1))
    ids = [prompt[0], *(step.token for step in steps)]
    assert ids[: len(prompt)] == prompt
    logits = present(model(None, torch.tensor([ids[:-1]])).logits)[0]
    for row, step in zip(logits, steps, strict=True):
        torch.testing.assert_close(step.logits, row, atol=1e-5, rtol=1e-5)
    assert ids[len(prompt) :] == logits.argmax(dim=-1)[len(prompt) - 1 :].tolist()
    again = score(model, None, ids[1:], bos_id=ids[0])
    assert [step.token for step in again] == ids[1:]


def test_shared_keys_and_values_are_those_of_a_model_that_repeats_them() -> None:
    few = model_of(**(GPT | {"n_kv_heads": 2, "positions": "rotary"}))
    many = model_of(**(GPT | {"positions": "rotary"}))
    weights = few.state_dict()
    for name in list(weights):
        if ".self_attn.key." in name or ".self_attn.value." in name:
            weights[name] = torch.cat(
                [weights[name][head // 2 * 6 : head // 2 * 6 + 6] for head in range(4)]
            )
    many.load_state_dict(weights)
    one, other = few(None, IDS), many(None, IDS)
    torch.testing.assert_close(present(one.logits), present(other.logits))
    assert present(one.decoder).layers[0].self_attn.key.shape == (1, 2, 9, 6)


def test_rotary_scores_depend_on_the_distance_alone() -> None:
    model = model_of(**(GPT | {"positions": "rotary"}))
    trace = model(None, torch.full((1, 10), 4))
    scores = present(trace.decoder).layers[0].self_attn.scores[0]
    for distance in range(9):
        along = scores.diagonal(offset=-distance, dim1=1, dim2=2)
        torch.testing.assert_close(along, along[:, :1].expand_as(along), atol=1e-5, rtol=1e-5)
    assert (scores[:, 9, 0] - scores[:, 9, 9]).abs().max() > 1e-3


def test_weights_with_a_bias_are_those_of_torch() -> None:
    model = model_of(**(GPT | {"positions": "alibi"}))
    attention = present(model(None, IDS).decoder).layers[1].self_attn
    bias = present(attention.bias).masked_fill(~attention.mask.unsqueeze(1), -math.inf)
    heads = functional.scaled_dot_product_attention(
        attention.query, attention.key, attention.value, attn_mask=bias
    )
    torch.testing.assert_close(attention.heads, heads)


def test_alibi_falls_with_the_distance() -> None:
    bias = alibi_bias(8, 2, 5)
    assert bias.shape == (1, 8, 3, 5)
    for head, query, key in ((0, 2, 0), (3, 3, 1), (7, 4, 4), (5, 2, 4)):
        expected = -(2 ** -(head + 1)) * max(query - key, 0)
        assert bias[0, head, query - 2, key].item() == pytest.approx(expected)
    # Six heads: the slopes of four, and the first and third of eight (the authors' code).
    slopes = -alibi_bias(6, 1, 2)[0, :, 0, 0]
    assert slopes.tolist() == pytest.approx([2**-2, 2**-4, 2**-6, 2**-8, 2**-1, 2**-3])


def test_relative_buckets_are_exact_near_and_logarithmic_far() -> None:
    one_way = relative_bucket(0, 40, both_ways=False, buckets=8, max_distance=16)
    assert one_way[39].tolist()[::-1][:5] == [0, 1, 2, 3, 4]
    assert one_way[39, 0] == 7
    assert (one_way.triu(1) == 0).all()
    both = relative_bucket(0, 40, both_ways=True, buckets=8, max_distance=16)
    assert both[20, 19] == 1
    assert both[20, 21] == 5
    expected = 2 + int(math.log(9 / 2) / math.log(16 / 2) * 2)
    assert both[20, 11] == expected
    assert both[20, 29] == expected + 4


def test_a_parallel_layer_adds_both_sublayers_to_its_input() -> None:
    model = model_of(**(GPT | {"norm_placement": "parallel"}))
    layer = present(model(None, IDS).decoder).layers[1]
    module = model.get_submodule("decoder.layers.1")
    assert layer.after_self_attn is None
    read = module.get_submodule("feed_forward_norm")(layer.input)
    fed = module.get_submodule("feed_forward")(read).output
    torch.testing.assert_close(layer.output, layer.input + layer.self_attn.output + fed)


def test_an_encoder_alone_predicts_its_own_tokens() -> None:
    model = model_of(**BERT)
    trace = model(IDS, None)
    config = model.config
    assert tuple(name for name, _ in named_tensors(trace)) == tensor_names(config)
    assert present(trace.logits).shape == (1, 9, 20)
    changed = IDS.clone()
    changed[0, 8] = 1
    assert (
        present(model(changed, None).logits)[0, 0] - present(trace.logits)[0, 0]
    ).abs().max() > 0


def test_what_a_model_has_is_seen_in_one_pass() -> None:
    gpt = anatomy_of(model_of(**(GPT | {"n_kv_heads": 2, "window": 3, "positions": "alibi"})))
    (site,) = gpt.sites
    assert (site.name, site.rows, site.causal) == ("decoder self-attention", "reads", True)
    assert (site.layers, site.heads, site.kv_heads, site.window, site.bias) == (2, 4, 2, 3, True)
    assert (gpt.writes, gpt.translates, gpt.sides) == (True, False, ("target",))
    bert = anatomy_of(model_of(**BERT))
    (site,) = bert.sites
    assert (site.name, site.rows, site.causal) == ("encoder self-attention", "reads", False)
    assert (bert.writes, bert.predicts, bert.sides) == (False, "source", ("source",))
    both = anatomy_of(model_of(source_vocab_size=20, target_vocab_size=20, **SIZES))
    assert both.names == ("encoder self-attention", "decoder self-attention", "cross-attention")
    assert [site.rows for site in both.sites] == ["reads", "writes", "writes"]
    assert [site.causal for site in both.sites] == [False, True, False]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"n_encoder_layers": 0, "n_decoder_layers": 0}, "0 of both"),
        ({"n_encoder_layers": 0}, "source_vocab_size must be positive if"),
        ({"n_kv_heads": 3}, "multiple of n_kv_heads"),
        ({"positions": "rotary", "d_k": 5}, "share of d_k must be even"),
        ({"rotary_share": 0.0}, "rotary_share must be above 0"),
    ],
)
def test_a_config_that_cannot_be_is_refused(values: dict[str, Any], message: str) -> None:
    sizes = {"source_vocab_size": 20, "target_vocab_size": 20, **SIZES}
    with pytest.raises(ValueError, match=message):
        TransformerConfig(**(sizes | values))


def test_a_text_that_no_part_reads_is_refused() -> None:
    with pytest.raises(ValueError, match="no part of this model reads a source"):
        model_of(**GPT)(IDS, IDS)
    with pytest.raises(ValueError, match="no tensor is called"):
        model_of(**GPT)(None, IDS, edits=Edits({"encoder.layers.0.self_attn.heads": ablate}))
    with pytest.raises(ValueError, match="this model reads a source, got none"):
        model_of(**BERT)(None, None)
    with pytest.raises(ValueError, match="cannot write: it has no decoder"):
        greedy(model_of(**BERT), IDS)
