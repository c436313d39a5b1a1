"""Runs of Loupe's own models, and the errors about what cannot be run."""

from collections.abc import Callable

import pytest
import torch
from transformers import ViTConfig, ViTModel

import loupe
from loupe.native import as_checkpoint
from loupe.run import UnknownNameError
from model.checkpoints.checkpoint import Checkpoint
from model.traces import named_tensors
from viz.run.making import make_run

TEXT = "the animal did not cross the street because it was too tired ."


@pytest.fixture(scope="module")
def checkpoint() -> Checkpoint:
    return loupe.load("everyday-paper-0")


def test_a_run_is_the_apps(checkpoint: Checkpoint) -> None:
    before = torch.random.get_rng_state()
    run, apps = loupe.trace(checkpoint, TEXT), make_run(checkpoint, TEXT)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert (run.text, run.given) == (apps.text, False)
    assert run.tokens == (apps.source.tokens, apps.target_tokens)
    assert run.anatomy == apps.anatomy
    tensors = dict(named_tensors(apps.trace))
    assert run.names() == tuple(tensors)
    assert all(torch.equal(run[name], tensor) for name, tensor in tensors.items())


def test_a_target_may_be_given(checkpoint: Checkpoint) -> None:
    run, apps = (
        loupe.trace(checkpoint, TEXT, target="le chat dort ."),
        make_run(checkpoint, TEXT, target="le chat dort ."),
    )
    assert run.given
    assert run.tokens.target == apps.target_tokens
    assert torch.equal(run["logits"], apps.trace.logits)


def test_an_edit_acts_while_the_target_is_written(checkpoint: Checkpoint) -> None:
    off = {"decoder.layers.1.cross_attn.heads[2]": torch.zeros_like}
    run = loupe.trace(checkpoint, TEXT, edits=off)
    assert not run["decoder.layers.1.cross_attn.heads"][:, 2].any()
    assert run.text != loupe.trace(checkpoint, TEXT).text


def test_a_run_is_a_mapping_of_names(checkpoint: Checkpoint) -> None:
    run = loupe.trace(checkpoint, TEXT)
    assert len(run) == len(dict(run)) == 80
    assert "logits" in run
    assert run.names("*.layers.1.*.weights") == (
        "encoder.layers.1.self_attn.weights",
        "decoder.layers.1.self_attn.weights",
        "decoder.layers.1.cross_attn.weights",
    )
    assert not any(tensor.requires_grad or tensor.is_inference() for tensor in run.values())


@pytest.mark.parametrize("name", ["logit", "encoder.layers.9.output", ""])
def test_a_name_that_nothing_has_is_told_the_nearest(checkpoint: Checkpoint, name: str) -> None:
    with pytest.raises(UnknownNameError) as error:
        loupe.trace(checkpoint, TEXT)[name]
    assert str(error.value).startswith(f"no tensor is called {name!r}; nearest: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((object(), "a"), "or the name or path of one, got object"),
        ((torch.nn.Linear(1, 1),), "a text is missing"),
        ((torch.nn.Linear(1, 1), 5, "a"), "a tokenizer must be one of transformers"),
        ((torch.nn.Linear(1, 1), str.split, "a b"), "a tokenizer must return whole numbers"),
    ],
)
def test_what_cannot_be_run_is_said(arguments: tuple, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        loupe.trace(*arguments)


@pytest.mark.parametrize("run", [loupe.trace, loupe.explore])
def test_no_text_is_dropped_and_none_joined(checkpoint: Checkpoint, run: Callable) -> None:
    french = "l'animal dort ."
    with pytest.raises(TypeError, match="give the second of two texts by name: target="):
        run(checkpoint, TEXT, french)
    for texts in ([TEXT, TEXT], (TEXT,), {"a": TEXT}):
        if run is loupe.explore or isinstance(texts, dict):
            with pytest.raises(TypeError, match=f"text must be .* got {type(texts).__name__}"):
                run(checkpoint, None, texts)
        with pytest.raises(TypeError, match=f"target must be .* got {type(texts).__name__}"):
            run(checkpoint, TEXT, target=texts)


def test_a_tokenizer_that_gives_two_rows_is_refused() -> None:
    module = torch.nn.Embedding(9, 4)
    with pytest.raises(TypeError, match="the ids of one text, got 2 rows of them"):
        loupe.trace(module, lambda _: [[1, 2], [3, 4]], "a b")
    with pytest.raises(ValueError, match="the tokenizer returns no tokens for ''"):
        loupe.trace(module, lambda _: [], "")


def test_a_model_of_ours_reads_by_our_tokenizers(checkpoint: Checkpoint) -> None:
    with pytest.raises(TypeError, match="a text is missing"):
        loupe.trace(checkpoint)
    with pytest.raises(TypeError, match="Loupe's Tokenizers"):
        loupe.trace(checkpoint.model, str.split, TEXT)
    run = loupe.trace(checkpoint.model, checkpoint.info.tokenizers, TEXT)
    assert run.text == loupe.trace(checkpoint, TEXT).text
    assert isinstance(as_checkpoint(checkpoint.model, checkpoint.info.tokenizers), Checkpoint)


def test_of_a_long_text_the_first_tokens_are_drawn_as_they_are(
    checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    from loupe import picture

    run = loupe.trace(checkpoint, TEXT)
    kinds = [one.kind for one in picture.heads_of(run)]
    assert kinds == ["encoder self-attention", "decoder self-attention", "cross-attention"]
    whole = picture.heads_of(run)[0].weights
    monkeypatch.setattr(picture, "MOST_CELLS", 2000)
    cut = picture.heads_of(run)
    assert sum(one.weights.size for one in cut) <= 2000
    side = cut[0].weights.shape[-1]
    assert side < 14
    assert (cut[0].weights == whole[:, :, :side, :side]).all()
    assert f"The picture shows the first {side} of 14 tokens." in run.html()


def test_of_a_large_image_whole_rows_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    from loupe import picture

    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 1}
    model = ViTModel(ViTConfig(**sizes, intermediate_size=48, image_size=(16, 12), patch_size=4))
    run = loupe.trace(model, inputs={"pixel_values": torch.randn(1, 3, 16, 12)})
    monkeypatch.setattr(picture, "MOST_CELLS", 1)
    assert picture.heads_of(run)[0].weights.shape[-2:] == (13, 13)  # one and 4 x 3 patches
    monkeypatch.setattr(picture, "MOST_OF_AN_IMAGE", 9 * 9)
    assert picture.heads_of(run)[0].weights.shape[-2:] == (7, 7)
    assert "The picture shows the first 2 of 4 rows of patches." in run.html()
    monkeypatch.setattr(picture, "MOST_OF_AN_IMAGE", 3 * 3)
    assert "The picture shows the first 3 of 13 tokens." in run.html()
