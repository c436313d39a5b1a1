"""Loupe leaves a caller's arguments unchanged, and reads them as the model itself would."""

import copy

import pytest
import torch
from torch import Tensor, nn
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    T5Config,
    T5ForConditionalGeneration,
    WhisperConfig,
    WhisperForConditionalGeneration,
)

import loupe
from loupe.picture import heads_of
from model.foreign.recording.passes import copied, lengthened

SIZES = {"d_model": 32, "decoder_start_token_id": 0, "pad_token_id": 0, "vocab_size": 60}
LAYERS = {
    "encoder_layers": 2,
    "decoder_layers": 3,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
}
IDS = torch.arange(3, 17)[None]
D = 8
GIVEN = torch.tensor([[0, 9, 10]])
WORDS = [f"w{i}" for i in range(60)]


def t5(**more: int) -> nn.Module:
    settings = {"d_kv": 8, "num_heads": 4, "num_layers": 2, "d_ff": 48, "eos_token_id": 1}
    return made(T5ForConditionalGeneration(T5Config(**SIZES, **settings, **more)))


def bart() -> nn.Module:
    return made(BartForConditionalGeneration(BartConfig(**SIZES, **LAYERS, eos_token_id=1)))


def whisper() -> nn.Module:
    ends = {"eos_token_id": 1, "bos_token_id": 1, "suppress_tokens": None}
    sizes = {"max_source_positions": 8, "num_mel_bins": 4}
    config = WhisperConfig(**SIZES, **LAYERS, **ends, **sizes, begin_suppress_tokens=None)
    return made(WhisperForConditionalGeneration(config))


def made(model: nn.Module) -> nn.Module:
    torch.manual_seed(0)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.2)
    return model.eval()


class Names:
    """A tokenizer that decodes each id to a name."""

    def encode(self, text: str) -> list[int]:
        return [int(word[1:]) for word in text.split()]

    def decode(self, ids: list[int]) -> str:
        return " ".join(WORDS[i] for i in ids)


def causal(kind: str) -> nn.Module:
    if kind == "GPT-2":
        config = GPT2Config(n_embd=32, n_layer=2, n_head=4, vocab_size=60, n_positions=32)
        return made(GPT2LMHeadModel(config))
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    return made(LlamaForCausalLM(LlamaConfig(**sizes, intermediate_size=48, vocab_size=60)))


@pytest.mark.parametrize("kind", ["GPT-2", "Llama"])
@pytest.mark.parametrize("new", [1, 5])
def test_a_cached_prefix_is_read_and_stays_as_long(kind: str, new: int) -> None:
    model = causal(kind)
    whole = model(input_ids=IDS, use_cache=False).logits[:, -new:]
    cache = model(input_ids=IDS[:, :-new], use_cache=True).past_key_values
    length = IDS.size(1) - new
    inputs = {"input_ids": IDS[:, -new:], "past_key_values": cache}
    for _ in range(2):
        run = loupe.trace(model, Names(), inputs=inputs)
        assert cache.get_seq_length() == length
        assert torch.allclose(run["logits"], whole, atol=1e-4)
        heads = heads_of(run)[0]
        rows, columns = heads.names(run.tokens)
        assert columns[:length] == tuple(f"past {i + 1}" for i in range(length))
        assert columns[length:] == rows == run.tokens.target
        assert heads.kind == "decoder self-attention"


@pytest.mark.parametrize("build", [t5, bart])
def test_labels_are_shifted_as_the_model_does_it(build) -> None:
    model, labels = build(), torch.tensor([[9, 10, 11, 1]])
    inputs = {"input_ids": IDS, "labels": labels}
    expected = model(**inputs)
    run = loupe.trace(model, Names(), inputs=inputs)
    assert torch.allclose(run["logits"], expected.logits, atol=1e-4)
    assert torch.allclose(run["loss"], expected.loss, atol=1e-4)
    assert torch.equal(labels, torch.tensor([[9, 10, 11, 1]]))
    assert set(inputs) == {"input_ids", "labels"}
    rows, columns = heads_of(run)[1].names(run.tokens)
    assert rows == ("w9", "w10", "w11", "w1")
    assert columns == ("w0", "w9", "w10", "w11")


@pytest.mark.parametrize(
    ("build", "source"),
    [
        (t5, {"input_ids": IDS}),
        (bart, {"input_ids": IDS}),
        (whisper, {"input_features": torch.randn(1, 4, 16)}),
    ],
)
def test_a_given_target_says_only_what_is_known(build, source: dict[str, Tensor]) -> None:
    model, given = build(), GIVEN.clone()
    run = loupe.trace(model, Names(), inputs={**source, "decoder_input_ids": given})
    expected = model(**source, decoder_input_ids=given).logits
    assert torch.allclose(run["logits"], expected, atol=1e-4)
    assert torch.equal(given, GIVEN)
    assert run.tokens.target == ("w0", "w9", "w10")
    assert run.given
    for heads in heads_of(run)[1:]:
        assert heads.names(run.tokens)[0] == ("w9", "w10", "?")
    assert heads_of(run)[1].names(run.tokens)[1] == ("w0", "w9", "w10")


def test_the_run_of_a_translator_has_its_text() -> None:
    model = bart()
    run = loupe.trace(model, Names(), "w5 w6 w7", target="w9 w10")
    assert run.text == "w9 w10"
    written = model.generate(IDS, do_sample=False, num_beams=1, max_new_tokens=64)
    assert loupe.trace(model, Names(), inputs={"input_ids": IDS}).text == Names().decode(
        written[0, 1:].tolist()
    )


def test_a_decoder_longer_than_its_encoder_writes() -> None:
    run = loupe.trace(t5(num_decoder_layers=3), Names(), "w5 w6 w7")
    assert len(run.tokens.target) > 1


class Changing(nn.Module):
    """A module that changes its inputs in place."""

    def __init__(self) -> None:
        super().__init__()
        self.attn = nn.MultiheadAttention(D, 2, batch_first=True)

    def forward(self, x: Tensor, seen: dict[str, list[Tensor]]) -> Tensor:
        x += 1
        seen["x"].append(x)
        return self.attn(x, x, x)[0] * len(seen["x"])


def test_no_object_of_the_caller_is_changed() -> None:
    x, seen = torch.zeros(1, 3, D), {"x": [torch.ones(1)]}
    model = Changing().train()
    run = loupe.trace(model, inputs={"x": x, "seen": seen}, check=True)
    assert torch.equal(x, torch.zeros(1, 3, D))
    assert len(seen["x"]) == 1
    assert model.training
    assert run.differs == pytest.approx(0, abs=1e-5)
    ones = torch.ones(1, 3, D)
    expected = model.eval().attn(ones, ones, ones)[0] * 2
    assert torch.allclose(run["output"], expected, atol=1e-5)


def test_copies_keep_what_is_one_object_and_how_it_was_made() -> None:
    x = torch.randn(2, 3, requires_grad=True) * 2  # not a leaf, so copy.deepcopy refuses it
    with pytest.raises(RuntimeError, match="deepcopy"):
        copy.deepcopy(x)
    module = nn.Linear(2, 2)
    (a, b, same), named = copied(((x, [x], module), {"again": x}))
    assert a is b[0] is named["again"]
    assert a is not x
    assert same is module
    a.sum().backward()


def test_a_text_of_one_token_is_probed_with_a_longer_one() -> None:
    args, named = lengthened((torch.tensor([[7]]),), {"position_ids": torch.tensor([[3]])}) or ()
    assert args[0].tolist() == [[7] * 8]
    assert named["position_ids"].tolist() == [list(range(3, 11))]
    assert lengthened((torch.tensor([[7, 8]]),), {}) is None
