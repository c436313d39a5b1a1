"""Wrong arguments raise errors whose messages say which ones would work."""

import re
from typing import Any

import pytest
import torch

import loupe
from model.checkpoints.checkpoint import Checkpoint, load_checkpoint
from tests.checkpoints import SHIPPED, load_shipped
from tests.loupe.test_foreign import TEXT, Speller, ids_of, sharp
from tests.model.foreign.huggingface.families import DECODERS

TEXT_OF_DIGITS = "3 1 4"
NAME = "decoder.layers.0.self_attn.heads"


@pytest.fixture(scope="module")
def model() -> Checkpoint:
    return load_shipped("digits-paper")


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"edits": {NAME: 0}}, TypeError, "a function from a tensor to .* got int for 'decoder"),
        (
            {"edits": {3: torch.zeros_like}},
            TypeError,
            "must be under the name of a tensor, got 3",
        ),
        ({"edits": [NAME]}, TypeError, "edits must be functions by name, such as .* got list"),
        ({"edits": {"*.head": abs}}, ValueError, r"no tensor name matches '\*.head'; nearest: "),
        ({"device": "cuda:99"}, ValueError, "device must be one that this machine has .'cpu'"),
        ({"device": "gpu"}, ValueError, "device must be one that this machine has .'cpu'"),
        ({"record": [""]}, ValueError, "record must hold patterns of names, such as"),
        ({"names": [""]}, ValueError, "names must hold patterns of names, such as"),
        ({"check": "no"}, ValueError, "check must be True, False or None, got 'no'"),
        ({"names": [3]}, TypeError, "names must be a list of patterns of names"),
        ({"names": "*.nothing"}, ValueError, r"no tensor name matches '\*.nothing'; a pass has "),
    ],
)
def test_a_trace_says_what_would_work(model: Checkpoint, given, error, said) -> None:
    with pytest.raises(error, match=said):
        loupe.trace(model, TEXT_OF_DIGITS, **given)
    with pytest.raises(error, match=said):
        loupe.trace(sharp(DECODERS["GPT-2"]), Speller(), TEXT, **given)


def test_what_is_no_text_is_said(model: Checkpoint) -> None:
    wrong: Any = 5.5
    with pytest.raises(TypeError, match=r"a text is missing: .*got int alone"):
        loupe.trace(sharp(DECODERS["GPT-2"]), 5)
    with pytest.raises(TypeError, match=r"a text is missing: .*got int alone"):
        loupe.trace(model, 5)
    with pytest.raises(TypeError, match=r"text must be one string, or the ids .* got float"):
        loupe.trace(model, None, wrong)


@pytest.mark.parametrize(
    ("metric", "error", "said"),
    [
        ((), ValueError, "a pair of tokens, whose logits .* got 0 tokens"),
        (("1", "2", "3"), ValueError, "a pair of tokens, .* a function .* got 3 tokens"),
        (["1", "2"], ValueError, "a pair of tokens, .* or a list of 1 of them, .* a list of 2"),
        ([["1", "2"]], TypeError, "a metric must be a token, a pair of tokens"),
        (None, TypeError, "a metric must be a token, a pair of tokens"),
        (1.5, TypeError, "a metric must be a token, a pair of tokens"),
        ((True, "2"), TypeError, "a metric must be a token, a pair of tokens"),
        (lambda logits: logits, ValueError, r"must return one number, got \("),
        (lambda _: "a", ValueError, "must return one number, got str"),
        (99999, ValueError, "a token must be 0 to"),
    ],
)
def test_a_metric_says_what_would_work(model: Checkpoint, metric: Any, error, said) -> None:
    for ask in (
        lambda: loupe.ablate(model, TEXT_OF_DIGITS, metric),
        lambda: loupe.patch(model, TEXT_OF_DIGITS, "3 2 4", metric),
    ):
        with pytest.raises(error, match=said):
            ask()


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        (
            {"how": "mean", "dataset": "3 1"},
            TypeError,
            r"must be a list of texts, such as \[text\]",
        ),
        ({"how": "mean", "dataset": [3, 1]}, TypeError, "dataset must be a list of texts"),
        ({"how": "mean", "dataset": [None]}, TypeError, "dataset must hold texts, .* NoneType"),
        ({"dataset": [TEXT_OF_DIGITS]}, ValueError, 'dataset needs how="mean"'),
        ({"how": "even", "dataset": []}, ValueError, 'dataset needs how="mean"'),
        ({"how": "average"}, ValueError, "how must be 'zero', 'mean' or 'even', got 'average'"),
        ({"target": ["3", "1"]}, ValueError, "target must be one for all texts, or a list of 1"),
        ({"tokenizer": Speller()}, TypeError, "a model from loupe.load has its own tokenizer"),
    ],
)
def test_an_ablation_says_what_would_work(model: Checkpoint, given, error, said) -> None:
    with pytest.raises(error, match=said):
        loupe.ablate(model, TEXT_OF_DIGITS, "1", **given)


def test_the_old_names_still_work_and_warn(model: Checkpoint) -> None:
    expected = loupe.ablate(model, TEXT_OF_DIGITS, "1", how="mean", dataset=["3 2"])
    with pytest.warns(DeprecationWarning, match="over= is now dataset=") as warned:
        found = loupe.ablate(model, TEXT_OF_DIGITS, "1", how="mean", over=["3 2"])
    assert torch.equal(found.values.nan_to_num(), expected.values.nan_to_num())
    assert warned[0].filename == __file__
    with pytest.raises(TypeError, match="over is the old name of dataset: give dataset alone"):
        loupe.ablate(model, TEXT_OF_DIGITS, "1", how="mean", over=["3"], dataset=["3"])
    written = loupe.generate(model, TEXT_OF_DIGITS, max_new_tokens=2)
    with pytest.warns(DeprecationWarning, match=r"loupe.write is now loupe.generate") as warned:
        assert loupe.write(model, TEXT_OF_DIGITS, most=2) == written
    assert warned[0].filename == __file__
    wrong: Any
    for wrong in (-1, 2.5, "2", True):
        with pytest.raises(ValueError, match="max_new_tokens must be 0 or more, got"):
            loupe.generate(model, TEXT_OF_DIGITS, max_new_tokens=wrong)


def test_a_lens_says_what_would_work(model: Checkpoint) -> None:
    run = loupe.trace(model, TEXT_OF_DIGITS)
    size = run["decoder.output"].size(1)
    rows: Any
    for rows, error, said in (
        (-1, TypeError, r"rows must be a slice or a list of positions, such as \[-1\], got -1"),
        ("all", TypeError, "rows must be a slice or a list of positions"),
        ([size], ValueError, f"rows must be from {-size} to {size - 1}, got {size}"),
        ([0, "a"], ValueError, "rows must be from"),
    ):
        with pytest.raises(error, match=said):
            loupe.lens(model, run, rows=rows)
    lens: Any = loupe.lens
    for ask in (lens, lambda m, r: loupe.logit_attribution(m, r, "1")):
        with pytest.raises(TypeError, match=r"run must come from loupe.trace, .* got str"):
            ask(model, TEXT_OF_DIGITS)
    with pytest.raises(ValueError, match=r"row must be from .* got 99"):
        loupe.logit_attribution(model, run, "1", row=99)


def test_what_else_is_asked_wrongly_is_said(model: Checkpoint) -> None:
    wrong: Any
    for wrong in ("cuda:99", "gpu"):
        with pytest.raises(ValueError, match=r"device must be one that this machine has .'cpu'"):
            loupe.load("digits-paper", device=wrong)
    run = loupe.trace(model, TEXT_OF_DIGITS, grad=True)
    for wrong in (5, [5]):
        with pytest.raises(TypeError, match="names must be a list of patterns of names"):
            run.gradient(lambda run: run["logits"][0, 0, 0], wrong)
    for wrong in (None, 5):
        with pytest.raises(TypeError, match="a model must be a torch module, a checkpoint"):
            loupe.lens(wrong, run)
    for wrong in (-1, "a", 1.5):
        with pytest.raises(ValueError, match="count must be 0 or more, got"):
            loupe.ablate(model, TEXT_OF_DIGITS, "1").strongest(wrong)


def test_receivers_and_tokens_say_what_would_work(model: Checkpoint) -> None:
    query = "decoder.layers.0.self_attn.query[0]"
    pair: Any = (TEXT_OF_DIGITS, "3 2 4", "1")
    for given, error, said in (
        ({"to": 5}, TypeError, "to must be 'logits' or name receivers, as a string or a list"),
        ({"to": [query, 5]}, TypeError, "to must be 'logits' or name receivers"),
        ({"to": query, "at": -1}, TypeError, r"at must be a list of positions, such as \[-1\]"),
        ({"to": query, "at": [99]}, ValueError, "at must hold positions from .* got 99"),
        ({"to": query, "at": ["a"]}, ValueError, "at must hold positions from .* got 'a'"),
        ({"at": [99]}, ValueError, "at needs a query, .* as the receiver, got to='logits'"),
    ):
        options: Any = given
        with pytest.raises(error, match=said):
            loupe.path_patch(model, *pair, **options)
    run = loupe.trace(model, TEXT_OF_DIGITS)
    wrong: Any
    for wrong in (1.5, ("1", "2"), True):
        with pytest.raises(TypeError, match="a token must be its text or its id, got"):
            loupe.logit_attribution(model, run, wrong)
    for wrong in (0, -1, 10**6, "3"):
        with pytest.raises(ValueError, match="count must be a number from 1 to"):
            loupe.lens(model, run).top(wrong)
    with pytest.raises(ValueError, match="dataset must hold at least one text, got an empty list"):
        loupe.ablate(model, TEXT_OF_DIGITS, "1", how="mean", dataset=[])
    with pytest.raises(ValueError, match="a text must have at least one token, got none"):
        loupe.trace(sharp(DECODERS["GPT-2"]), torch.zeros(0, dtype=torch.long))


def test_a_run_of_another_model_is_refused(model: Checkpoint) -> None:
    run = loupe.trace(model, TEXT_OF_DIGITS)
    again: Any = load_checkpoint(SHIPPED / "digits-paper")  # changed below
    assert torch.equal(loupe.lens(again, run).logits, loupe.lens(model, run).logits)
    with torch.no_grad():
        again.model.decoder.layers[0].self_attn.output.weight[0, 0] += 1
    one: Any
    other: Any
    one, other = (sharp(DECODERS["GPT-2"]) for _ in range(2))
    with torch.no_grad():
        other.lm_head.weight.mul_(2)
    theirs = loupe.trace(one, ids_of(TEXT))
    for whose, given in ((again, run), (load_shipped("agreement"), run), (other, theirs)):
        said = re.escape(f"the run must be of this model, got one of {given.model}")
        with pytest.raises(ValueError, match=said):
            loupe.lens(whose, given)
    with pytest.raises(ValueError, match="the run must be of this model"):
        loupe.logit_attribution(other, theirs, 5)
