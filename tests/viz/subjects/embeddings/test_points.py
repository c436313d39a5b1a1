import dataclasses

import numpy as np
import pytest
import torch

from viz.subjects.embeddings.geometry import mean_cosine, without_common
from viz.subjects.embeddings.points import (
    states,
    text_ids,
    vocabulary,
    vocabulary_sides,
)


def test_a_vocabulary_is_the_rows_of_the_words_without_what_all_have_in_common(run, checkpoint):
    for side in ("source", "target"):
        found = vocabulary(run, checkpoint.model, side)
        tokenizer = getattr(checkpoint.info.tokenizers, side)
        assert found.tokens == tokenizer.tokens(found.ids.tolist())
        assert not {"<s>", "</s>", ".", "?"} & {*found.tokens}
        assert {"cat", "sees"} <= {*found.tokens} or side == "target"
        rows = getattr(checkpoint.model, f"{side}_embedding").weight.detach().numpy()[found.ids]
        np.testing.assert_allclose(found.vectors, without_common(rows), rtol=1e-5, atol=1e-6)
        assert found.in_common == pytest.approx(mean_cosine(rows))


def test_a_large_vocabulary_keeps_frequent_words_and_those_of_the_text(run, checkpoint):
    whole = vocabulary(run, checkpoint.model, "source").ids.tolist()
    found = vocabulary(run, checkpoint.model, "source", most=5)
    of_text = {*whole} & {*run.source.ids}
    assert found.ids.tolist() == sorted({*whole[:5], *of_text})


def test_languages_that_share_rows_are_told_apart_where_their_words_are_known(run):
    info = run.info
    words = dataclasses.replace(info.tokenizers, target=info.tokenizers.source, shared=True)
    size = info.config.source_vocab_size
    config = dataclasses.replace(info.config, tying="all", target_vocab_size=size)
    tied = dataclasses.replace(info, config=config, tokenizers=words)
    assert vocabulary_sides(tied) == ("source", "target")
    assert vocabulary_sides(dataclasses.replace(tied, task="mine")) == ("source",)


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
