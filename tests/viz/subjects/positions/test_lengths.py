import math

import numpy as np
import pytest

from viz.subjects.positions.lengths import embedding_sum, mean_length


@pytest.mark.parametrize("text", ["source", "target"])
def test_scaling_a_row_of_the_matrix_and_adding_its_position_gives_what_the_stack_reads(
    run, checkpoint, text
):
    parts = embedding_sum(run, text)
    model, d_model = checkpoint.model, run.info.config.d_model
    embedding = getattr(model, f"{text}_embedding")
    ids = run.source.ids if text == "source" else (1, *(s.token for s in run.steps[:-1]))
    rows = embedding.weight.detach().double().numpy()[list(ids)]
    np.testing.assert_allclose(parts.embedding, rows, atol=1e-6)
    np.testing.assert_allclose(parts.scaled, rows * math.sqrt(d_model), atol=1e-6)
    np.testing.assert_allclose(parts.scaled + parts.encoding, parts.output, atol=1e-6)
    assert parts.scales
    assert parts.error < 1e-6
    assert len(parts.tokens) == len(rows)


def test_a_variant_that_does_not_scale_adds_the_row_itself(unmasked_run):
    parts = embedding_sum(unmasked_run, "source")
    assert not parts.scales
    np.testing.assert_allclose(parts.embedding + parts.encoding, parts.output, atol=1e-6)
    np.testing.assert_allclose(parts.scaled, parts.embedding * math.sqrt(48))
    assert parts.error < 1e-6


def test_a_mean_length_is_that_of_the_rows():
    assert mean_length(np.array([[3.0, 4.0], [0.0, 1.0]])) == 3
