import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from model.checkpoints.checkpoint import load_checkpoint, save_checkpoint
from model.decoding.greedy import greedy
from model.text.corpus import make_example
from model.training.evaluation import evaluate
from sample_data.gold import find_gold
from sample_data.tasks import TASKS, load_held_out
from viz.subjects.training import time_lapse
from viz.subjects.training.time_lapse import (
    Scores,
    TimeLapse,
    examples_of,
    find_series,
    read_time_lapse,
    take_snapshot,
)

PAIR = find_gold("digits", "reverse 3 1 4 1 5 9")


@pytest.fixture(scope="module")
def lapse(series) -> TimeLapse:
    return read_time_lapse(series, PAIR)


@pytest.mark.slow
def test_weights_are_those_of_the_snapshots_own_forward_pass(series, lapse: TimeLapse):
    for path, snapshot in zip(series, lapse.snapshots, strict=True):
        checkpoint = load_checkpoint(path)
        tokenizers = checkpoint.info.tokenizers
        source = tokenizers.encode_source("reverse 3 1 4 1 5 9").ids
        target = tokenizers.encode_target("9 5 1 4 1 3").ids
        trace = checkpoint.model(torch.tensor([source]), torch.tensor([target[:-1]]))
        own = {
            "encoder self-attention": trace.encoder.layers[0].self_attn.weights,
            "decoder self-attention": trace.decoder.layers[0].self_attn.weights,
            "cross-attention": trace.decoder.layers[0].cross_attn.weights,
        }
        for kind, weights in own.items():
            np.testing.assert_allclose(snapshot.weights[kind], weights.numpy(), atol=1e-6)


@pytest.mark.slow
def test_a_snapshot_writes_what_the_model_decodes(series, lapse: TimeLapse):
    for path, snapshot in zip(series, lapse.snapshots, strict=True):
        checkpoint = load_checkpoint(path)
        tokenizers = checkpoint.info.tokenizers
        source = torch.tensor([tokenizers.encode_source(PAIR.source).ids])
        steps = greedy(checkpoint.model, source, max_length=len(snapshot.written.split()) or 1)
        written = tokenizers.target.decode([step.token for step in steps])
        assert written == snapshot.written
        assert snapshot.right == (snapshot.written == PAIR.target)


def test_curves_are_the_record_and_the_schedule(series, lapse: TimeLapse):
    record = json.loads(series[-1].with_suffix(".json").read_text())["training"]
    assert lapse.losses == tuple(record["losses"])
    assert lapse.loss_steps == (10, 12)  # one point per ten steps; the last one covers two
    wanted = [0.5 * 32**-0.5 * min(s**-0.5, s * 5**-1.5) for s in (10, 12)]
    np.testing.assert_allclose(lapse.rates, wanted, rtol=1e-12)
    assert lapse.steps == 12


def test_a_recorded_cooldown_bends_the_rates(series, tmp_path: Path):
    path, found = tmp_path / series[-1].name, load_checkpoint(series[-1])
    cooled = replace(found.info, training={**found.info.training, "cooldown": 4})
    save_checkpoint(path, found.model, cooled)
    rates = read_time_lapse([path], PAIR).rates
    noam = [0.5 * 32**-0.5 * s**-0.5 for s in (10, 12)]
    np.testing.assert_allclose(rates, [noam[0] * 3 / 4, noam[1] / 4], rtol=1e-12)


def test_scores_are_the_recorded_ones(series, lapse: TimeLapse):
    for path, snapshot in zip(series, lapse.snapshots, strict=True):
        scores = json.loads(path.with_suffix(".json").read_text())["scores"]
        assert snapshot.scores.exact_match == scores["exact_match"]
        assert snapshot.scores.loss == scores["loss"]
        heads = {(h["layer"], h["head"]): h["all_tokens"] for h in scores["heads"]}
        assert snapshot.scores.heads == heads
        assert len(heads) == 4


def test_scores_that_were_not_recorded_are_computed(series, tmp_path: Path, monkeypatch):
    path, found = tmp_path / series[-1].name, load_checkpoint(series[-1])
    save_checkpoint(path, found.model, replace(found.info, scores={}, training={}))
    monkeypatch.setattr(time_lapse, "EVALUATED", 3)
    found = read_time_lapse([path], PAIR)
    checkpoint = load_checkpoint(path)
    tokenizers = checkpoint.info.tokenizers
    examples = [
        make_example(tokenizers, pair.source, pair.target, pair.alignment)
        for pair in load_held_out("digits")[:3]
    ]
    assert found.snapshots[0].scores.loss == pytest.approx(
        evaluate(checkpoint.model, examples).loss, abs=1e-4
    )
    assert found.losses == ()


def test_a_series_is_what_has_snapshots_of_several_steps(tmp_path: Path):
    for name in ("b-000010", "b-000002", "a-000001", "b", "c-12", "d-000001", "d-000003"):
        for suffix in (".json", ".safetensors"):
            (tmp_path / f"{name}{suffix}").touch()
    found = {name: [p.name for p in paths] for name, paths in find_series(tmp_path).items()}
    assert found == {"b": ["b-000002", "b-000010"], "d": ["d-000001", "d-000003"]}
    assert find_series(tmp_path / "none") == {}


def test_examples_are_those_that_the_model_has_words_for(series):
    info = load_checkpoint(series[0]).info
    found = [pair.source for pair in examples_of("digits", info.tokenizers)]
    assert found == ["reverse 3 1 4 1 5 9", "reverse 1 2 3 4 5 6 7 8 9 0 1 2"]
    assert examples_of("a file of mine", info.tokenizers) == ()


def test_held_out_sentences_make_up_for_examples_that_it_has_no_words_for(series, monkeypatch):
    info = load_checkpoint(series[0]).info
    few = replace(TASKS["digits"], examples=("reverse 3 1 4 1 5 9", "copy 1 2"))
    monkeypatch.setitem(TASKS, "digits", few)
    *others, own = [pair.source for pair in examples_of("digits", info.tokenizers)]
    assert own == "reverse 3 1 4 1 5 9"
    assert len(others) == 6
    held_out = {pair.source for pair in load_held_out("digits")}
    assert all(source in held_out and source.startswith("reverse") for source in others)
    assert others == sorted(others, key=lambda source: abs(len(source.split()) - 8))


def test_looking_changes_neither_the_mode_nor_the_random_numbers(series):
    checkpoint = load_checkpoint(series[0])
    model = checkpoint.model.train()
    example = make_example(checkpoint.info.tokenizers, PAIR.source, PAIR.target)
    before = torch.get_rng_state()
    scores = Scores(0.0, 0.0, {}, None)
    take_snapshot(model, checkpoint.info.tokenizers, example, 0, scores)
    assert model.training
    assert torch.equal(torch.get_rng_state(), before)


def test_tokens_name_the_rows_and_columns(lapse: TimeLapse):
    source = ("reverse", "3", "1", "4", "1", "5", "9", "</s>")
    target = ("9", "5", "1", "4", "1", "3")
    assert lapse.axis_tokens("encoder self-attention") == (source, source)
    assert lapse.axis_tokens("decoder self-attention") == ((*target, "</s>"), ("<s>", *target))
    assert lapse.axis_tokens("cross-attention") == ((*target, "</s>"), source)
    causal = np.tri(7, dtype=bool)
    np.testing.assert_array_equal(lapse.masks["decoder self-attention"], causal)
    assert lapse.masks["cross-attention"].all()
