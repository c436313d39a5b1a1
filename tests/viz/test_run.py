from dataclasses import replace

import numpy as np
import pytest
import torch

from model.edits import Edits
from viz.run import (
    KINDS,
    MAX_SOURCE_TOKENS,
    Selection,
    all_heads,
    check_head,
    head_view,
    make_run,
    max_source_tokens,
    probability,
    strongest_keys,
)


def test_writes_what_the_model_knows(run):
    assert run.text == "l'animal n'a pas traversé la rue parce qu'il était trop fatigué."
    assert run.target_tokens[0] == "<s>"
    assert run.target_tokens[-1] == "</s>"
    assert run.finished


def test_rows_of_the_trace_are_the_steps_of_the_decoding(run):
    steps = torch.stack([step.logits for step in run.steps])
    torch.testing.assert_close(run.trace.logits[0], steps, atol=1e-4, rtol=1e-4)
    for step, row in zip(run.steps, run.trace.logits[0].softmax(-1), strict=True):
        assert probability(step) == pytest.approx(row[step.token].item(), abs=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_view_names_its_tensor_and_labels_its_axes(run, kind):
    view = head_view(run, Selection(kind, 1, 2))
    source, written = run.source.tokens, run.target_tokens[1:]
    name, rows, columns = {
        "encoder self-attention": ("encoder.layers.1.self_attn.weights[2]", source, source),
        "decoder self-attention": (
            "decoder.layers.1.self_attn.weights[2]",
            written,
            run.target_tokens[:-1],
        ),
        "cross-attention": ("decoder.layers.1.cross_attn.weights[2]", written, source),
    }[kind]
    assert (view.name, view.query_tokens, view.key_tokens) == (name, rows, columns)
    assert view.weights.shape == view.mask.shape == (len(rows), len(columns))
    np.testing.assert_array_equal(all_heads(run, kind)[1, 2], view.weights)


def test_only_decoder_self_attention_hides_something(run, unmasked_run):
    hidden = [int((~head_view(run, Selection(kind, 0, 0)).mask).sum()) for kind in KINDS]
    size = len(run.steps)
    assert hidden == [0, size * (size - 1) // 2, 0]
    assert head_view(unmasked_run, Selection("decoder self-attention", 0, 0)).mask.all()


@pytest.mark.parametrize("kind", KINDS)
def test_checks_of_a_sound_model_pass(run, unmasked_run, kind):
    for sound in (run, unmasked_run):
        checks = check_head(sound, Selection(kind, 1, 3))
        assert checks.row_sum_error < 1e-5
        assert checks.largest_masked_weight == 0
        assert checks.float64_error < 1e-5


def test_checks_see_weights_that_are_wrong(run, checkpoint):
    kind = "decoder self-attention"
    target = torch.tensor([[1, *(step.token for step in run.steps)][:-1]])
    uniform = Edits({"decoder.layers.0.self_attn.weights[1]": lambda w: torch.full_like(w, 0.25)})
    with torch.inference_mode():
        trace = checkpoint.model(torch.tensor([run.source.ids]), target, edits=uniform)
    checks = check_head(replace(run, trace=trace), Selection(kind, 0, 1))
    assert checks.row_sum_error == pytest.approx(len(run.steps) / 4 - 1)
    assert checks.largest_masked_weight == 0.25
    assert checks.float64_error > 0.1
    untouched = check_head(replace(run, trace=trace), Selection(kind, 0, 0))
    assert untouched.float64_error < 1e-5


def test_the_strongest_key_of_each_row(run):
    view = head_view(run, Selection("cross-attention", 0, 0))
    rows = strongest_keys(view)
    assert [row[0] for row in rows] == list(view.query_tokens)
    assert [row[2] for row in rows] == view.weights.max(axis=1).tolist()


def test_a_source_has_a_longest_length(checkpoint):
    limit = max_source_tokens(checkpoint.info.config)
    assert limit == MAX_SOURCE_TOKENS
    assert len(make_run(checkpoint, "cat " * (limit - 1)).source.ids) == limit
    with pytest.raises(ValueError, match=f"at most {limit} tokens, got {limit + 1}"):
        make_run(checkpoint, "cat " * limit)
