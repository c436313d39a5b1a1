"""Runs of third-party models agree with the models themselves."""

import re
from collections.abc import Callable

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from torch import Tensor, nn
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    BartForQuestionAnswering,
    BertConfig,
    BertForQuestionAnswering,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
    ViTConfig,
    ViTForImageClassification,
    ViTModel,
    Wav2Vec2Config,
    Wav2Vec2Model,
)

import loupe
from loupe.picture import heads_of
from loupe.serving import _opened
from loupe.texts import name_places, read_text
from model.checkpoints.checkpoint import Checkpoint
from model.foreign.recording import trace_module
from model.traces import present
from tests.model.foreign.huggingface.families import DECODERS, ENCODERS
from tests.model.foreign.imports.folders import byte_tokenizer

WORDS = ["the", "cat", "sat", "on", "mat", "because", "it", "was", "tired", "dog", "a"]
TEXT = "the cat sat on the mat because it was tired"


def rules() -> Tokenizer:
    ids = {word: i for i, word in enumerate(["[UNK]", "[CLS]", *WORDS])}
    made = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing("[CLS] $A", special_tokens=[("[CLS]", 1)])
    return made


def ids_of(text: str) -> list[int]:
    return [2 + WORDS.index(word) for word in text.split()]


class Speller:
    def encode(self, text: str) -> list[int]:
        return ids_of(text)

    def decode(self, ids: list[int]) -> str:
        return f" {WORDS[ids[0] - 2]}"


def sharp(build: Callable[[], nn.Module]) -> nn.Module:
    torch.manual_seed(0)
    model = build()
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.25)
    return model


def t5() -> nn.Module:
    sizes = {"d_model": 32, "d_kv": 8, "num_layers": 2, "num_heads": 4, "d_ff": 64}
    config = T5Config(**sizes, vocab_size=20, decoder_start_token_id=0, eos_token_id=1)
    return sharp(lambda: T5ForConditionalGeneration(config))


def test_a_translator_writes_or_is_given_a_target() -> None:
    model = t5()
    run = loupe.trace(model, ids_of, TEXT)
    ids = torch.tensor([ids_of(TEXT)])
    written = model.eval().generate(ids, do_sample=False, num_beams=1, max_new_tokens=64)[0]
    assert run.tokens.target == tuple(map(str, written.tolist()))
    assert not run.given
    given = loupe.trace(model, ids_of, TEXT, target="a dog")
    assert given.tokens.target == tuple(map(str, [0, *ids_of("a dog")]))
    assert given["decoder.layers.1.cross_attn.weights"].shape == (1, 4, 2, 10)
    assert given.given
    shown = given.html()
    assert "query: Target token being written" in shown


def test_a_target_is_for_those_that_have_one() -> None:
    with pytest.raises(ValueError, match="an encoder and a decoder"):
        loupe.trace(sharp(DECODERS["GPT-2"]), ids_of, TEXT, target="a dog")


def test_any_tokenizer_will_do() -> None:
    fast = PreTrainedTokenizerFast(tokenizer_object=rules(), unk_token="[UNK]")
    with_cls = torch.tensor([[1, *ids_of(TEXT)]])
    for tokenizer in (fast, rules()):
        read = read_text(tokenizer, TEXT)
        assert torch.equal(read.ids, with_cls)
        assert read.tokens == ("[CLS]", *TEXT.split())
    assert read_text(fast, TEXT).more.keys() == {"attention_mask"}
    assert read_text(Speller(), TEXT).tokens == tuple(f"␣{word}" for word in TEXT.split())
    assert read_text(lambda _: torch.tensor([[3, 4]]), "").tokens == ("3", "4")


def test_a_tokenizer_of_transformers_serves_a_whole_run() -> None:
    fast = PreTrainedTokenizerFast(tokenizer_object=rules(), unk_token="[UNK]")
    run = loupe.trace(sharp(ENCODERS["BERT"]), fast, TEXT)
    assert run.tokens == (("[CLS]", *TEXT.split()), ())
    assert run["encoder.layers.0.self_attn.weights"].shape == (1, 4, 11, 11)


@pytest.mark.parametrize(
    "token", ["</script>", "\u202egnirts", "a\x00b", "x" * 10_000, "Ġthe", "▁the", ""]
)
def test_tokens_of_strangers_can_be_shown(token: str) -> None:
    class Named:
        def encode(self, _: str) -> list[int]:
            return [1, 2]

        def id_to_token(self, _: int) -> str:
            return token

    first, _ = read_text(Named(), "any").tokens
    assert 0 < len(first) <= 41
    assert first.isprintable()


def test_tokens_of_bytes_are_named_by_the_text_that_they_are() -> None:
    made = byte_tokenizer()
    text = "über die Straße, 日本"
    for tokenizer in (made, PreTrainedTokenizerFast(tokenizer_object=made)):
        read = read_text(tokenizer, text)
        letters = "".join(read.tokens).replace("␣", " ")
        written = re.sub(r"(<0x..>)+", lambda found: _text_of(found[0]), letters)
        assert written == text


def _text_of(codes: str) -> str:
    return bytes.fromhex(codes.replace("<0x", "").replace(">", "")).decode()


class Translator(nn.Module):
    """A typical model that users build around nn.Transformer."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(20, 32)
        self.core = nn.Transformer(32, 4, 2, 2, 64, batch_first=True)
        self.out = nn.Linear(32, 20)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(target.size(1))
        return self.out(self.core(self.embed(source), self.embed(target), tgt_mask=mask))


def test_a_module_round_torchs_transformer_is_recorded_by_our_names() -> None:
    torch.manual_seed(0)
    module = Translator().train()
    run = loupe.trace(module, ids_of, TEXT, target="a dog sat")
    assert run.origin == "module"
    assert run.given
    assert run.anatomy is not None
    embedded = module.embed(torch.tensor([ids_of("a dog sat")]))
    assert torch.equal(run["target_embedding.tokens"], embedded)
    assert run.differs is not None
    assert run.differs < 1e-5
    assert module.training
    texts = [torch.tensor([ids_of(text)]) for text in (TEXT, "a dog sat")]
    module.eval()
    assert torch.allclose(run["logits"], module(*texts), atol=1e-5)
    recorded = trace_module(module, *texts)
    for ours, theirs in (
        ("decoder.layers.1.cross_attn", "core.decoder.layers.1.multihead_attn"),
        ("decoder.layers.0.self_attn", "core.decoder.layers.0.self_attn"),
        ("encoder.layers.1.self_attn", "core.encoder.layers.1.self_attn"),
    ):
        assert torch.allclose(run[f"{ours}.weights"], recorded[theirs].weights, atol=1e-6)
    named = [heads.names(run.tokens) for heads in heads_of(run)]
    read, given = tuple(map(str, ids_of(TEXT))), tuple(map(str, ids_of("a dog sat")))
    assert named == [(read, read), (given, given), (given, read)]


class Attending(nn.Module):
    """A typical model with attention that users write themselves."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(20, 32)
        self.blocks = nn.ModuleList(nn.Linear(32, 96) for _ in range(3))

    def forward(self, ids: Tensor) -> Tensor:
        x = self.embed(ids)
        for block in self.blocks:
            parts = block(x).unflatten(-1, (3, 4, 8)).permute(2, 0, 3, 1, 4)
            mixed = nn.functional.scaled_dot_product_attention(*parts, is_causal=True)
            x = x + mixed.transpose(1, 2).flatten(2)
        return x


def test_any_module_is_recorded() -> None:
    torch.manual_seed(0)
    module = Attending()
    run = loupe.trace(module, ids_of, TEXT)
    assert run.origin == "module"
    assert run.differs is not None
    assert run.differs < 1e-5
    assert run.anatomy is None
    (heads,) = heads_of(run)
    assert heads.kind == "decoder self-attention"
    assert heads.weights.shape[1:] == (4, 10, 10)
    first = run.names("*.weights")[0]
    with pytest.raises(KeyError, match=re.escape(first)):
        run[first[:-1]]
    assert heads.names(run.tokens)[0] == tuple(map(str, ids_of(TEXT)))


def test_a_module_that_takes_tensors_is_given_names_for_them() -> None:
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
    module, x = nn.TransformerEncoder(layer, 2), torch.randn(1, 4, 32)
    run = loupe.trace(module, ["a", "b", "c", "d"], inputs=x)
    assert run.tokens == (("a", "b", "c", "d"), ())
    usual = module.eval().layers[0].self_attn(x, x, x, average_attn_weights=False)[1]
    assert torch.allclose(run["layers.0.self_attn.weights"], usual, atol=1e-6)
    assert loupe.trace(module, inputs=(x,)).tokens.source == ("0", "1", "2", "3")
    assert loupe.trace(module, inputs={"src": x}).names() == run.names()


def test_an_encoder_alone_and_one_that_answers_questions_are_recorded() -> None:
    whole = sharp(lambda: BartForConditionalGeneration(BartConfig(**BART)))
    run = loupe.trace(whole.get_encoder(), ids_of, TEXT)
    ids = torch.tensor([ids_of(TEXT)])
    usual = whole.eval().get_encoder()(ids).last_hidden_state
    assert torch.allclose(run["encoder.output"], usual, atol=1e-5)
    asks = sharp(lambda: BertForQuestionAnswering(BertConfig(**BERT)))
    answered = loupe.trace(asks, ids_of, TEXT)
    assert answered.differs is not None
    assert answered.differs < 1e-5
    states = asks.eval().bert(ids).last_hidden_state
    assert torch.allclose(answered["encoder.output"], states, atol=1e-5)


def test_a_decoder_that_does_not_write_reads_the_text() -> None:
    asks = sharp(lambda: BartForQuestionAnswering(BartConfig(**BART, decoder_start_token_id=2)))
    run = loupe.trace(asks, ids_of, TEXT)
    usual = asks.eval()(torch.tensor([ids_of(TEXT)]), output_hidden_states=True)
    assert torch.allclose(run["decoder.layers.1.input"], usual.decoder_hidden_states[1], atol=1e-5)
    assert run.tokens.source == run.tokens.target[1:]


def test_sounds_and_images_are_given_as_one_tensor() -> None:
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    convolutions = {"conv_dim": (8, 8), "conv_stride": (4, 4), "conv_kernel": (4, 4)}
    hears = Wav2Vec2Config(**sizes, **convolutions, intermediate_size=48, num_feat_extract_layers=2)
    sees = ViTConfig(**sizes, intermediate_size=48, image_size=8, patch_size=4)
    for model, given in (
        (sharp(lambda: Wav2Vec2Model(hears)), torch.randn(1, 96)),
        (sharp(lambda: ViTForImageClassification(sees)), torch.randn(1, 3, 8, 8)),
    ):
        run = loupe.trace(model, inputs=given)
        expected = model.eval()(given, output_hidden_states=True).hidden_states[1]
        assert torch.allclose(run["encoder.layers.1.input"], expected, atol=1e-4)
        assert len(run.tokens.source) == expected.size(1)
        assert run.html()


def test_rows_without_a_token_have_names() -> None:
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = ViTConfig(**sizes, intermediate_size=48, image_size=8, patch_size=4)
    run = loupe.trace(
        sharp(lambda: ViTModel(config)), inputs={"pixel_values": torch.randn(1, 3, 8, 8)}
    )
    assert run.tokens.source == ("0", "1,1", "1,2", "2,1", "2,2")
    assert run.html()


@pytest.mark.parametrize(
    ("height", "width", "count", "first", "last"),
    [(32, 32, 16, "1,1", "4,4"), (16, 32, 33, "0", "4,8"), (32, 16, 12, "0", "11")],
)
def test_patches_are_named_by_row_and_column_where_they_are_square(
    height: int, width: int, count: int, first: str, last: str
) -> None:
    names = name_places(count, torch.zeros(1, 3, height, width))
    assert (len(names), names[0], names[-1]) == (count, first, last)


BART = {
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "vocab_size": 20,
}
BERT = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
    "vocab_size": 20,
}


@pytest.mark.parametrize("name", ["GPT-2", "Qwen3"])
def test_a_model_that_the_pages_show_is_left_as_it_was(name: str) -> None:
    model = sharp(DECODERS[name]).train()
    opened = _opened(model, rules(), TEXT, None)
    assert isinstance(opened, Checkpoint) == (name == "GPT-2")
    ids = torch.tensor([ids_of(TEXT)])
    with torch.inference_mode():
        logits = opened.model(None, ids).logits
    assert model.training
    assert next(model.parameters()).requires_grad
    assert not any(each._forward_hooks for each in model.modules())
    assert torch.allclose(present(logits), model.eval()(ids).logits, atol=1e-4)


def test_the_pages_show_no_model_that_gives_something_else() -> None:
    model = sharp(DECODERS["GPT-2"])
    model.lm_head.register_forward_hook(lambda *given: given[-1] * 1.01)
    with pytest.raises(ValueError, match="the numbers of Loupe's own model differ "):
        _opened(model, rules(), TEXT, None)
