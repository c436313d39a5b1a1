import json

import pytest

from viz.subjects.training.depth import RECORD, first_to_last, read_depth


def test_the_record_holds_what_the_page_says_of_it():
    record = read_depth()
    for run in record.runs:
        assert len(run.losses) == record.steps // record.loss_every
        assert {1, record.steps} <= set(run.gradients)
        for stacks in run.gradients.values():
            assert [len(stacks[name]) for name in ("encoder", "decoder")] == [run.layers] * 2
    assert len({run.name for run in record.runs}) == len(record.runs)


def test_the_deep_post_norm_did_not_train_and_the_pre_norm_did():
    record = read_depth()
    deepest = max(run.layers for run in record.runs)
    for run in record.runs:
        if run.layers < deepest:
            continue
        small = first_to_last(run, "decoder", 1)
        if run.norm_placement == "post":
            assert min(run.losses) > 0.8 * record.unigram_loss
            assert small < 0.02
        else:
            assert run.losses[-1] < 0.7 * record.unigram_loss
            assert small > 0.5


def test_the_peak_is_that_of_the_recorded_schedule():
    values = json.loads(RECORD.read_text())
    for run, recorded in zip(read_depth().runs, values["runs"], strict=True):
        wanted = recorded["factor"] / (values["d_model"] * recorded["warmup"]) ** 0.5
        assert run.peak == pytest.approx(wanted)
