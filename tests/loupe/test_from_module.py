"""A user's module around nn.Transformer gives the same numbers on the pages as by itself."""

import re
from collections.abc import Sequence

import pytest
import torch
from torch import Tensor, nn

import loupe
from loupe.from_module import GivenWords, poured, words_around
from model.foreign.imports.words import TokenizerError
from model.text.words import Specials, Words
from tests.loupe.test_foreign import TEXT, WORDS, Attending, Translator, ids_of, rules
from viz.run.making import make_run

TARGET = "a dog sat"
NAMES = ("<s>", "</s>", *WORDS)


class Marked:
    """A typical user's tokenizer, which adds a start and an end token."""

    def encode(self, text: str) -> list[int]:
        return [0, *ids_of(text), 1]

    def decode(self, ids: Sequence[int]) -> str:
        return " ".join(NAMES[id] for id in ids)


class Reader(nn.Module):
    """An encoder alone, which returns its last hidden states."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(13, 32)
        layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
        self.core = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)

    def forward(self, ids: Tensor) -> Tensor:
        return self.core(self.embed(ids))


@pytest.fixture(autouse=True)
def _seeded() -> None:
    torch.manual_seed(0)


def test_the_pages_run_what_the_module_computes() -> None:
    module = Translator().train()
    opened = poured(module, Marked(), TEXT, TARGET)
    assert module.training
    run = make_run(opened, TEXT, target=TARGET)
    assert run.source.tokens == ("<s>", *TEXT.split(), "</s>")
    assert run.target_tokens == ("<s>", *TARGET.split(), "</s>")
    module.eval()
    theirs = module(torch.tensor([[0, *ids_of(TEXT), 1]]), torch.tensor([[0, *ids_of(TARGET)]]))
    assert torch.allclose(run.trace.logits, theirs, atol=1e-5)


def test_it_writes_what_the_module_would() -> None:
    module = Translator().eval()
    run = make_run(poured(module, Marked(), TEXT, TARGET), TEXT)
    source, ids = torch.tensor([[0, *ids_of(TEXT), 1]]), [0]
    for token in run.target_ids[1:9]:
        ids.append(int(module(source, torch.tensor([ids]))[0, -1].argmax()))
        assert ids[-1] == token


def test_each_token_has_its_place_in_the_text() -> None:
    read = poured(Translator(), Marked(), TEXT, TARGET).info.tokenizers.encode_source(TEXT)
    assert read.spans[0] is read.spans[-1] is None
    places = [span for span in read.spans if span]
    assert [TEXT[start:end] for start, end in places] == TEXT.split()
    assert read.units[1:-1] == tuple(range(len(TEXT.split())))


def test_an_encoder_alone_is_shown_too() -> None:
    module = Reader()
    run = make_run(poured(module, rules(), TEXT, None), TEXT)
    assert run.source.tokens[:2] == ("[CLS]", "the")
    assert not run.steps
    theirs = module.eval()(torch.tensor([[1, *ids_of(TEXT)]]))
    assert torch.allclose(run.trace.encoder.output, theirs, atol=1e-5)


@pytest.mark.parametrize(
    ("module", "given", "error", "says"),
    [
        (Attending, (ids_of, TEXT), ValueError, "cannot show Attending: this module has no nn."),
        (Attending, (ids_of,), TypeError, "Loupe runs a module once on a text"),
        (Translator, (Marked(), TEXT), ValueError, "a module with a decoder needs a target"),
    ],
)
def test_what_the_pages_cannot_show_is_said(module, given, error, says: str) -> None:
    with pytest.raises(error, match=re.escape(says)):
        loupe.explore(module(), *given)
    with pytest.raises(ValueError, match="must put one before every text, such as <s>"):
        poured(Translator(), ids_of, TEXT, TARGET)


def words(tokenizer: object, vocab_size: int = len(NAMES)) -> GivenWords:
    known = Specials(bos=0, eos=1, around=((0,), (1,)))
    return GivenWords(tokenizer=tokenizer, vocab_size=vocab_size, specials=known)


def test_any_tokenizer_can_be_read_by() -> None:
    found = words(Marked())
    assert isinstance(found, Words)
    assert found.all_tokens == NAMES
    assert "<s>" not in found.vocabulary
    assert found.vocabulary["cat"] == ids_of("cat")[0]
    assert found.decode([0, *ids_of("a cat"), 1]) == "a cat"
    assert found.naming({3: "here"}).token(3) == "here"
    assert words(lambda text: [0, *ids_of(text), 1]).tokens(ids_of("cat")) == (
        str(ids_of("cat")[0]),
    )


def test_what_it_cannot_read_is_refused_in_a_sentence() -> None:
    with pytest.raises(TokenizerError, match="the tokenizer failed on this text"):
        words(Marked()).encode("an unknown word")
    with pytest.raises(TokenizerError, match=r"\(id 12\) in this text, .* for the ids 0 to 11"):
        words(Marked(), 12).encode("the a")
    assert words(Marked(), 20).token(19) == "⟨19⟩"


def test_what_stands_around_every_text_is_found() -> None:
    assert words_around(Marked(), TEXT) == ((0,), (1,))
    assert words_around(rules(), TEXT) == ((1,), ())
    assert words_around(ids_of, TEXT) == ((), ())
    assert words_around(Marked(), "cat") == ((), ())
