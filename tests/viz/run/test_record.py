from dataclasses import replace

import numpy as np
import pytest
import torch

from model.edits import Edits
from model.transformer import Transformer
from tests.checkpoints import DEFAULT
from viz.heads.head_checks import check_head
from viz.run.axes import KINDS, all_heads, attention_trace, axis_tokens
from viz.run.making import make_run
from viz.run.record import MAX_TOKENS, max_tokens, probability


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
def test_rows_and_columns_are_named_by_role(run, kind):
    source, written = run.source.tokens, run.target_tokens[1:]
    expected = {
        "encoder self-attention": (source, source),
        "decoder self-attention": (written, run.target_tokens[:-1]),
        "cross-attention": (written, source),
    }[kind]
    assert axis_tokens(run, kind) == expected
    assert all_heads(run, kind).shape == (2, 4, *map(len, expected))
    trace = attention_trace(run, kind, 1)
    np.testing.assert_array_equal(all_heads(run, kind)[1, 2], trace.weights[0, 2].numpy())


def test_a_given_target_is_forced_token_by_token(checkpoint):
    forced = make_run(checkpoint, DEFAULT, target="le chat dort .")
    assert forced.given
    assert forced.target_tokens == ("<s>", "le", "chat", "dort", ".", "</s>")
    assert all(step.forced for step in forced.steps)
    free = make_run(checkpoint, DEFAULT)
    assert sum(s.log_probability for s in forced.steps) < sum(s.log_probability for s in free.steps)
    again = make_run(checkpoint, DEFAULT, target=free.text)
    assert again.target_tokens == free.target_tokens
    torch.testing.assert_close(again.trace.logits, free.trace.logits)


@pytest.mark.parametrize("kind", KINDS)
def test_checks_of_a_sound_model_pass(run, unmasked_run, kind):
    for sound in (run, unmasked_run):
        checks = check_head(sound, kind, 1, 3)
        assert checks.row_sum_error < 1e-5
        assert checks.largest_masked_weight == 0
        assert checks.float64_error < 1e-5


def test_checks_see_weights_that_are_wrong(run, checkpoint):
    kind = "decoder self-attention"
    target = torch.tensor([[1, *(step.token for step in run.steps)][:-1]])
    uniform = Edits({"decoder.layers.0.self_attn.weights[1]": lambda w: torch.full_like(w, 0.25)})
    with torch.inference_mode():
        trace = checkpoint.model(torch.tensor([run.source.ids]), target, edits=uniform)
    checks = check_head(replace(run, trace=trace), kind, 0, 1)
    assert checks.row_sum_error == pytest.approx(len(run.steps) / 4 - 1)
    assert checks.largest_masked_weight == 0.25
    assert checks.float64_error > 0.1
    untouched = check_head(replace(run, trace=trace), kind, 0, 0)
    assert untouched.float64_error < 1e-5


def test_a_sequence_has_a_longest_length(checkpoint):
    limit = max_tokens(checkpoint.info.config)
    assert limit == MAX_TOKENS
    with pytest.raises(ValueError, match=f"a source has at most {limit} tokens, got {limit + 1}"):
        make_run(checkpoint, "cat " * limit)
    with pytest.raises(ValueError, match=f"a target has at most {limit} tokens, got {limit + 2}"):
        make_run(checkpoint, "cat", target="chat " * (limit + 1))
    learned = replace(checkpoint.info.config, positions="learned", max_length=20)
    assert max_tokens(learned) == 20


def test_the_source_is_encoded_once_for_decoding_and_trace(checkpoint, monkeypatch):
    encoded: list[int] = []
    encode = Transformer.encode

    def count(model, source, **named):
        encoded.append(source.size(1))
        return encode(model, source, **named)

    monkeypatch.setattr(Transformer, "encode", count)
    run = make_run(checkpoint, DEFAULT)
    assert encoded == [len(run.source.ids)]
