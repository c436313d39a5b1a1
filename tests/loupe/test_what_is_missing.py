"""A run says which tensors it lacks; models without attention give their other tensors."""

import pytest
import torch
from torch import Tensor, nn

import loupe
from loupe.picture import heads_of
from model.foreign.huggingface.folder import RecordedModel
from model.foreign.unrecorded import NO_ATTENTION, SOFTMAX
from model.traces import named_tensors
from tests.loupe.spread import made
from viz.frame import words

IDS = torch.arange(3, 17)[None]
SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 48,
    "vocab_size": 60,
    "pad_token_id": 0,
}
TWO = {
    "d_model": 32,
    "vocab_size": 60,
    "pad_token_id": 0,
    "decoder_start_token_id": 1,
    "eos_token_id": 2,
}


def lfm2() -> nn.Module:
    kinds = ["conv", "full_attention", "conv", "full_attention"]
    return made("Lfm2ForCausalLM", "Lfm2Config", **SIZES, layer_types=kinds)


def jamba() -> nn.Module:
    settings = {"attn_layer_period": 2, "attn_layer_offset": 1, "num_experts": 2}
    return made("JambaForCausalLM", "JambaConfig", **SIZES, **settings, use_mamba_kernels=False)


def recurrent() -> nn.Module:
    sizes = {**SIZES, "num_hidden_layers": 3}
    return made("RecurrentGemmaForCausalLM", "RecurrentGemmaConfig", **sizes)


MIXED = [(lfm2, (1, 3)), (jamba, (1, 3)), (recurrent, (2,))]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("build", "attending"), MIXED)
def test_layers_have_the_numbers_of_the_model(build, attending: tuple[int, ...]) -> None:
    model = build()
    states = model(input_ids=IDS, output_hidden_states=True).hidden_states
    run = loupe.trace(model, inputs={"input_ids": IDS})
    found = [name.split(".")[2] for name in run.names("*.weights")]
    assert found == [str(number) for number in attending]
    inputs = run.names("decoder.layers.*.input")
    assert len(inputs) == model.config.num_hidden_layers
    for name in inputs:
        torch.testing.assert_close(run[name], states[int(name.split(".")[2])])
    between = set(range(model.config.num_hidden_layers)) - set(attending)
    assert dict(run.missing) == {f"model.layers.{i}": NO_ATTENTION for i in sorted(between)}
    assert "Not recorded: model.layers.0" in repr(run)
    page = run.html()
    assert "Not recorded: model.layers.0" in page
    assert f"counted from 0: {', '.join(map(str, attending))}." in page
    with pytest.raises(KeyError):
        run["decoder.layers.0.self_attn.weights"]


@pytest.mark.filterwarnings("ignore")
def test_an_edit_is_named_by_the_number_of_the_model() -> None:
    model = lfm2()
    name = "decoder.layers.3.self_attn.heads"
    run = loupe.trace(model, inputs={"input_ids": IDS}, edits={name: torch.zeros_like})
    assert not run[name].any()
    assert run["decoder.layers.1.self_attn.heads"].any()
    with pytest.raises(ValueError, match=r"no tensor is called 'decoder.layers.0.self_attn"):
        loupe.trace(
            model,
            inputs={"input_ids": IDS},
            edits={"decoder.layers.0.self_attn.heads": torch.zeros_like},
        )


@pytest.mark.filterwarnings("ignore")
def test_the_app_counts_the_layers_that_it_shows_and_says_which_they_are() -> None:
    recorded = RecordedModel(lfm2())
    shown = dict(named_tensors(recorded(None, IDS)))
    own = dict(named_tensors(recorded(None, IDS, numbered=True)))
    for ours, theirs in ((0, 1), (1, 3)):
        name = "decoder.layers.{}.self_attn.weights"
        assert torch.equal(shown[name.format(ours)], own[name.format(theirs)])
    assert [stack.layers for stack in recorded.anatomy.stacks] == [2]
    said = words.missing_parts(recorded.missing, recorded.layer_numbers)
    assert "model.layers.0 and model.layers.2" in said[0]
    assert "1 and 3" in said[1]


def test_a_model_of_attentions_alone_misses_nothing() -> None:
    run = loupe.trace(made("LlamaForCausalLM", "LlamaConfig", **SIZES), inputs={"input_ids": IDS})
    assert not run.missing
    assert "Not recorded" not in repr(run)


def test_a_softmax_that_routes_to_experts_is_no_attention() -> None:
    model = made("MixtralForCausalLM", "MixtralConfig", **SIZES, num_local_experts=2)
    assert not loupe.trace(model, inputs={"input_ids": IDS}).missing


def test_an_encoder_in_chunks_is_named() -> None:
    layers = {"encoder_layers": 2, "decoder_layers": 3, "attention_window": 4}
    heads = {"encoder_attention_heads": 4, "decoder_attention_heads": 4}
    widths = {"encoder_ffn_dim": 48, "decoder_ffn_dim": 48}
    longest = {"max_encoder_position_embeddings": 64, "max_decoder_position_embeddings": 64}
    settings = {**TWO, **layers, **heads, **widths, **longest}
    model = made("LEDForConditionalGeneration", "LEDConfig", **settings)
    inputs = {"input_ids": IDS, "decoder_input_ids": IDS[:, :5]}
    run = loupe.trace(model, inputs=inputs)
    paths = [f"led.encoder.layers.{i}.self_attn.longformer_self_attn" for i in range(2)]
    assert dict(run.missing) == dict.fromkeys(paths, SOFTMAX)
    assert len(run.names("*.weights")) == 6
    assert paths[0] in repr(run)
    torch.testing.assert_close(run["logits"], model(**inputs).logits)
    text = words.missing_parts(run.missing)
    assert len(text) == 1
    assert paths[1] in text[0]


def test_blocks_of_a_long_text_are_named() -> None:
    settings = {"d_kv": 8, "num_heads": 4, "num_layers": 2, "d_ff": 48, "local_radius": 3}
    model = made("LongT5ForConditionalGeneration", "LongT5Config", **TWO, **settings)
    run = loupe.trace(model, inputs={"input_ids": IDS, "decoder_input_ids": IDS[:, :5]})
    seen = [*run.missing, *run.names("encoder.*.weights")]
    assert any("encoder.block.0" in each for each in seen)
    kinds = {heads.kind for heads in heads_of(run)}
    assert kinds >= {"decoder self-attention", "cross-attention"}


def test_attentions_narrower_than_the_stream_are_those_of_the_model() -> None:
    sizes = {name: x for name, x in SIZES.items() if name != "num_key_value_heads"}
    settings = {**sizes, "embedding_size": 16, "intra_bottleneck_size": 16}
    build = ("MobileBertForMaskedLM", "MobileBertConfig")
    right = made(*build, **settings, attn_implementation="eager")
    expected = right(input_ids=IDS, output_attentions=True).attentions
    run = loupe.trace(made(*build, **settings), inputs={"input_ids": IDS})
    for name, weights in zip(run.names("*.weights"), expected, strict=True):
        torch.testing.assert_close(run[name], weights)


class Convolving(nn.Module):
    """A model that mixes tokens by convolution, without attention."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.mix = nn.Embedding(60, 16), nn.Conv1d(16, 16, 3, padding=1)

    def forward(self, ids: Tensor) -> dict[str, Tensor]:
        mixed = self.mix(self.embed(ids).transpose(1, 2))
        return {"states": mixed, "pooled": mixed.mean(-1)}


def test_a_model_without_attention_gives_what_is_asked_for() -> None:
    model = Convolving()
    with pytest.raises(ValueError, match=r"no softmax; record=\[...\] keeps"):
        loupe.trace(model, inputs=IDS)
    run = loupe.trace(model, [str(i) for i in range(14)], inputs=IDS, record=["mix", "embed"])
    assert run.names() == ("embed.output", "mix.output", "states", "pooled")
    assert torch.equal(run["pooled"], model(IDS)["pooled"])
    assert "no attention was seen in Convolving" in repr(run)
    with pytest.raises(ValueError, match="has no attention to draw"):
        run.html()


@pytest.mark.filterwarnings("ignore")
def test_a_state_space_model_gives_its_layers() -> None:
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "vocab_size": 60}
    model = made("MambaForCausalLM", "MambaConfig", **sizes)
    run = loupe.trace(model, inputs={"input_ids": IDS}, record=["layers.*"])
    first = model.backbone.layers[0](model.get_input_embeddings()(IDS))
    torch.testing.assert_close(run["backbone.layers.0.output"], first)
    torch.testing.assert_close(run["logits"], model(input_ids=IDS).logits)


def test_a_decoder_without_our_names_has_one_text() -> None:
    class Narrow(nn.Module):
        """A model without a residual stream: its layers change the width."""

        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(60, 16)
            self.layers = nn.ModuleList(nn.MultiheadAttention(16, 2) for _ in range(2))

        def forward(self, ids: Tensor) -> Tensor:
            x = self.embed(ids).transpose(0, 1)
            mask = torch.ones(len(x), len(x), dtype=torch.bool).triu(1)
            for layer in self.layers:
                x = layer(x, x, x, attn_mask=mask)[0].square()
            return x

    run = loupe.trace(Narrow(), [f"w{i}" for i in range(14)], inputs=IDS)
    assert run.tokens == ((), tuple(f"w{i}" for i in range(14)))
