import pytest
import torch
import transformers
from torch import Tensor, nn
from torch.testing import assert_close
from transformers.models.llama import modeling_llama

from model.foreign.recording import record
from model.foreign.recording.sums import Sum
from model.traces import present
from tests.model.foreign.huggingface.families import family, inputs_of

IDS = torch.arange(1, 9)[None]
TINY = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "vocab_size": 60,
}


BY_HAND = {
    "BLOOM": ("BloomForCausalLM", "BloomConfig", {"n_layer": 2, "n_head": 4}),
    "GPT-J": ("GPTJForCausalLM", "GPTJConfig", {"n_layer": 2, "n_head": 4, "rotary_dim": 4}),
    "Falcon": ("FalconForCausalLM", "FalconConfig", {}),
    "DeBERTa": ("DebertaV2ForMaskedLM", "DebertaV2Config", {}),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", BY_HAND)
def test_a_model_that_writes_its_attention_out_is_recorded(name):
    kind, config, settings = BY_HAND[name]
    sizes = {**TINY, "n_embd": 32, "bos_token_id": 1, "eos_token_id": 2, **settings}
    sizes["attn_implementation"] = "eager"
    model = getattr(transformers, kind)(getattr(transformers, config)(**sizes)).eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.25)
    told = model(input_ids=IDS, output_attentions=True, output_hidden_states=True)

    trace = record(model, input_ids=IDS)

    stack = present(trace.decoder or trace.encoder)
    for layer, weights, state in zip(
        stack.layers, told.attentions, told.hidden_states, strict=False
    ):
        assert_close(layer.self_attn.weights, weights)
        assert torch.equal(layer.input, state)
        assert layer.feed_forward is not None
    assert torch.equal(present(trace.logits), told.logits)


def test_weights_that_are_no_softmax_are_refused(monkeypatch):
    own = modeling_llama.eager_attention_forward

    def squared(*args, **kwargs):
        heads, weights = own(*args, **kwargs)
        return heads, weights**2

    monkeypatch.setattr(modeling_llama, "eager_attention_forward", squared)
    with pytest.raises(ValueError, match="are not the softmax"):
        record(family("Llama"), **inputs_of("Llama"))


def test_an_attention_without_a_projection_is_refused():
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**TINY)).eval()

    class Doubled(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return 2 * x

    model.model.layers[1].self_attn.o_proj = Doubled()
    with pytest.raises(ValueError, match="found no linear layer that reads the merged heads"):
        record(model, input_ids=IDS)


def test_three_stacks_are_refused():
    settings = transformers.CLIPConfig(
        text_config={**TINY, "max_position_embeddings": 16, "eos_token_id": 2},
        vision_config={**TINY, "image_size": 8, "patch_size": 4},
    )
    model = transformers.CLIPModel(settings).eval()

    with pytest.raises(ValueError, match="found 2 stacks"):
        record(model, input_ids=IDS, pixel_values=torch.randn(1, 3, 8, 8))


def test_modules_may_have_any_names(monkeypatch):
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**TINY)).eval()
    expected = present(record(model, input_ids=IDS).decoder).layers
    for part in ("self_attn", "mlp"):
        for layer in model.model.layers:
            layer.add_module(f"other_{part}", getattr(layer, part))
            delattr(layer, part)
        found = property(lambda layer, name=f"other_{part}": layer._modules[name])
        monkeypatch.setattr(modeling_llama.LlamaDecoderLayer, part, found, raising=False)

    layers = present(record(model, input_ids=IDS).decoder).layers

    for ours, theirs in zip(layers, expected, strict=True):
        assert_close(present(ours.feed_forward).hidden, present(theirs.feed_forward).hidden)
        assert_close(ours.after_self_attn, theirs.after_self_attn)


def test_norms_inside_the_residual_connection_alone():
    settings = transformers.Olmo2Config(**TINY, pad_token_id=0)
    trace = record(transformers.Olmo2ForCausalLM(settings).eval(), input_ids=IDS)

    for layer in present(trace.decoder).layers:
        assert layer.after_self_attn is not None
        assert layer.feed_forward is not None
        added = nn.functional.rms_norm(layer.self_attn.output, (32,), eps=settings.rms_norm_eps)
        assert_close(layer.input + added, layer.after_self_attn, atol=1e-5, rtol=1e-5)


def test_shared_layers_are_counted_by_their_calls():
    trace = record(family("ALBERT"), **inputs_of("ALBERT"))

    layers = present(trace.encoder).layers
    assert len(layers) == 3
    assert not torch.equal(layers[0].output, layers[1].output)
    assert torch.equal(layers[1].input, layers[0].output)


def test_one_token_is_enough():
    trace = record(family("GPT-2"), input_ids=torch.tensor([[5]]))

    assert trace.decoder is not None
    assert record(family("BERT"), input_ids=torch.tensor([[5]])).encoder is not None


def test_a_sum_is_told_from_one_that_lacks_a_term():
    x, y, z = torch.randn(3, 50)
    total = Sum.of(x).plus(y).plus(z)

    assert total.is_(z + (x + y))
    assert not total.is_(x + y)
    assert not total.is_(x + y + z * (1 + 1e-4))
    assert not total.is_(None)
    assert not total.is_(torch.zeros(50, dtype=torch.long))
    assert total.would_miss(z)
    assert not total.would_miss(z * 1e-8)
