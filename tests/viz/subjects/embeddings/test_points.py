import dataclasses

import numpy as np
import pytest
import torch

from viz.subjects.embeddings.points import (
    states,
    text_ids,
    vocabulary,
    vocabulary_sides,
)
from viz.subjects.embeddings.words import tying_words


def test_a_vocabulary_is_the_rows_as_they_enter_the_model(run, checkpoint):
    for side in ("source", "target"):
        found = vocabulary(run, checkpoint.model, side)
        embedding = getattr(checkpoint.model, f"{side}_embedding")
        tokenizer = getattr(checkpoint.info.tokenizers, side)
        assert found.tokens == tokenizer.tokens(range(tokenizer.vocab_size))
        assert found.left_out == 0
        assert found.name == f"{side}_embedding.weight × √48"
        traced = embedding(torch.tensor([found.ids.tolist()])).tokens[0].numpy()
        np.testing.assert_allclose(found.vectors, traced, rtol=1e-6)


def test_a_large_vocabulary_keeps_frequent_tokens_and_those_of_the_text(run, checkpoint):
    found = vocabulary(run, checkpoint.model, "source", most=5)
    assert found.ids.tolist() == sorted({0, 1, 2, 3, 4, *run.source.ids})
    assert found.left_out == checkpoint.info.config.source_vocab_size - len(found.ids)
    assert found.tokens == checkpoint.info.tokenizers.source.tokens(found.ids.tolist())
    weight = checkpoint.model.source_embedding.weight.numpy()
    np.testing.assert_allclose(found.vectors, weight[found.ids] * np.sqrt(48), rtol=1e-6)


def test_a_variant_that_does_not_scale_has_its_rows_alone(unmasked_run, checkpoints_folder):
    from model.checkpoints.checkpoint import load_checkpoint

    model = load_checkpoint(checkpoints_folder / "everyday-headlist").model
    found = vocabulary(unmasked_run, model, "source")
    assert found.name == "source_embedding.weight"
    np.testing.assert_array_equal(found.vectors, model.source_embedding.weight.numpy())


def test_says_which_rows_are_shared(run):
    config = run.info.config
    tied = dataclasses.replace(config, tying="all", target_vocab_size=config.source_vocab_size)
    assert vocabulary_sides(config) == ("source", "target")
    assert vocabulary_sides(tied) == ("source",)
    assert tying_words(config, "target") == "Only the target embedding uses these rows."
    assert "target embedding and the final linear layer" in tying_words(tied, "source")
    half = dataclasses.replace(config, tying="decoder")
    assert tying_words(half, "source") == "Only the source embedding uses these rows."
    assert tying_words(half, "target").startswith("Tied: the target embedding and the final")


def test_states_follow_the_source_through_the_encoder(run):
    found, trace = states(run, "source"), run.trace
    assert found.steps == ("embedding", "+ positions", "layer 0", "layer 1")
    assert found.names == (
        "source_embedding.tokens",
        "source_embedding.output",
        "encoder.layers.0.output",
        "encoder.layers.1.output",
    )
    assert (found.tokens, found.ids) == (run.source.tokens, run.source.ids)
    expected = [
        trace.source_embedding.tokens,
        trace.source_embedding.tokens + trace.source_embedding.positions,
        trace.encoder.layers[0].output,
        trace.encoder.output,
    ]
    np.testing.assert_array_equal(found.vectors, torch.cat(expected).numpy())
    count = len(found.tokens)
    np.testing.assert_array_equal(found.flat[2 * count + 1], found.vectors[2, 1])


def test_states_follow_the_target_through_the_decoder(run):
    found = states(run, "target")
    assert found.tokens == run.target_tokens[:-1]
    assert found.ids == text_ids(run, "target")
    assert run.info.tokenizers.target.tokens(found.ids) == found.tokens
    np.testing.assert_array_equal(found.vectors[-1], run.trace.decoder.output[0].numpy())
    assert found.names[0] == "target_embedding.tokens"


@pytest.mark.parametrize(("most", "kept"), [(4 * 3, 3), (4 * 3 + 3, 3), (1, 1)])
def test_a_long_text_is_cut(run, most, kept):
    found = states(run, "source", most=most)
    assert found.tokens == run.source.tokens[:kept]
    assert found.vectors.shape[:2] == (4, kept)
    assert found.left_out == len(run.source.tokens) - kept
