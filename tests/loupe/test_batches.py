"""A batch of several texts gives the same runs as each text alone."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn
from transformers import GPT2Config, GPT2ForSequenceClassification, PreTrainedTokenizerFast

import loupe
from loupe.kept import batches
from tests.loupe.test_foreign import Attending, ids_of, rules, sharp, t5
from tests.model.foreign.huggingface.families import FAMILIES

TEXTS = ["the cat sat on the mat because it was tired", "a dog", "the dog was on the cat", "it"]
NAMES = ["GPT-2", "Llama", "Mistral", "Gemma 2", "NeoX", "BERT", "RoBERTa", "DistilBERT", "BART"]
MODELS: dict[str, Callable[[], nn.Module]] = {
    **{name: lambda name=name: sharp(FAMILIES[name]) for name in NAMES},
    "T5": t5,
}


def passes(model: nn.Module, run: Callable[[], object]) -> list[int]:
    """Return the number of texts in each pass of a model."""
    found = []
    handle = model.register_forward_pre_hook(
        lambda _, __, kwargs: found.append(len(kwargs["input_ids"])), with_kwargs=True
    )
    run()
    handle.remove()
    return found


def assert_same(run: loupe.Run, alone: loupe.Run) -> None:
    assert run.names() == alone.names()
    assert run.tokens == alone.tokens
    assert (run.text, run.given, run.model, run.origin) == (
        alone.text, alone.given, alone.model, alone.origin,
    )  # fmt: skip
    assert run.anatomy == alone.anatomy
    for name, expected in alone.items():
        found = run[name]
        if name.endswith(".mask"):
            assert (found == expected).all()
            continue
        assert found.shape == expected.shape, name
        most = 1e-5 * expected.abs().max()
        assert (found - expected).abs().max() <= most, name


@pytest.mark.parametrize("name", MODELS)
def test_each_run_is_that_of_the_text_alone(name: str) -> None:
    model = MODELS[name]()
    fast = PreTrainedTokenizerFast(tokenizer_object=rules(), unk_token="[UNK]", pad_token="[UNK]")
    two = model.config.is_encoder_decoder
    targets = ["a dog", "the cat", "it was a mat", "dog"] if two else None
    for tokenizer in (ids_of, fast):
        runs = loupe.trace(model, tokenizer, TEXTS, target=targets)
        assert batches[model]
        assert len(runs) == 4
        for i, text in enumerate(TEXTS):
            alone = loupe.trace(model, tokenizer, text, target=targets[i] if targets else None)
            assert_same(runs[i], alone)
    together = passes(model, lambda: loupe.trace(model, ids_of, TEXTS, target=targets))
    assert together == [4]


@pytest.mark.parametrize(
    "checkpoint", ["everyday-paper-0", "everyday-learned", "agreement", "induction-two-heads"]
)
def test_each_run_of_a_checkpoint_is_that_of_the_text_alone(checkpoint: str) -> None:
    own = loupe.load(checkpoint)
    texts = ["the animal did not cross the street .", "the cat sleeps ."]
    if not own.info.config.has_encoder:
        words = own.info.tokenizers.target.tokens(range(5, 15))
        texts = [" ".join(words), " ".join(words[:4])]
    runs = loupe.trace(own, texts)
    assert batches[own.model]
    for run, text in zip(runs, texts, strict=True):
        assert_same(run, loupe.trace(own, text))


class Counting(nn.Module):
    """Adds the length of the longest text to each text, which no text's own run could know."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.inner = model

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x) + 0.1 * x.size(1)


def test_a_model_that_cannot_be_given_several_runs_each_alone() -> None:
    model = MODELS["GPT-2"]()
    model.transformer.wte = Counting(model.transformer.wte)
    for _ in range(2):
        for run, text in zip(loupe.trace(model, ids_of, TEXTS), TEXTS, strict=True):
            assert_same(run, loupe.trace(model, ids_of, text))
        assert batches[model] is False
    other = sharp(Attending)
    for run, text in zip(loupe.trace(other, ids_of, TEXTS), TEXTS, strict=True):
        assert_same(run, loupe.trace(other, ids_of, text))


def test_a_model_that_refuses_several_runs_each_alone() -> None:
    config = GPT2Config(
        n_embd=32, n_layer=2, n_head=4, vocab_size=100, bos_token_id=1, eos_token_id=2
    )
    model = sharp(lambda: GPT2ForSequenceClassification(config))
    for run, text in zip(loupe.trace(model, ids_of, TEXTS), TEXTS, strict=True):
        assert_same(run, loupe.trace(model, ids_of, text))
    with pytest.raises(ValueError, match="no tensor name matches 'nothing'"):
        loupe.trace(model, ids_of, TEXTS, names="nothing")


def test_edits_are_made_to_each_text_alone() -> None:
    model = MODELS["GPT-2"]()
    last = {"decoder.layers.0.output": lambda x: torch.cat([x[:, :-1], 0 * x[:, -1:]], dim=1)}
    runs = loupe.trace(model, ids_of, TEXTS, edits=last)
    assert not any(run["decoder.layers.0.output"][:, -1].any() for run in runs)


def test_outputs_of_modules_are_those_of_each_text_alone() -> None:
    model, texts = sharp(FAMILIES["GPT-2"]), ["the cat sat on the mat", "a dog"]
    runs = loupe.trace(model, ids_of, texts, record=["h.*"])
    for run, text in zip(runs, texts, strict=True):
        alone = loupe.trace(model, ids_of, text, record=["h.*"])
        assert list(run.outputs) == list(alone.outputs) != []
        assert all(torch.equal(run[each], alone[each]) for each in alone)


def test_runs_are_a_sequence_that_says_what_it_is() -> None:
    model = MODELS["GPT-2"]()
    runs = loupe.trace(model, ids_of, TEXTS * 2, names="logits")
    assert len(runs) == len(list(runs)) == 8
    assert runs[-1]["logits"].shape[1] == 1
    assert [len(run.tokens.target) for run in runs[1:3]] == [2, 5 + 1]
    assert repr(runs).startswith("8 runs, the first of GPT2LMHeadModel: 1 tensors of one pass of")
    assert repr(runs).endswith("\n…")
    assert "differs" not in repr(loupe.trace(model, ids_of, TEXTS))
    assert loupe.trace(model, ids_of, TEXTS, check=True)[1].compared


@pytest.mark.parametrize(
    ("texts", "target"), [([], None), (["a", "it"], ["a"]), (["a", "it"], "a")]
)
def test_there_are_as_many_targets_as_texts(texts: list[str], target: object) -> None:
    with pytest.raises(ValueError, match="either no targets or one for each text; got "):
        loupe.trace(t5(), ids_of, texts, target=target)
    with pytest.raises(ValueError, match="inputs are for one run"):
        loupe.trace(t5(), ids_of, ["a"], inputs={})
