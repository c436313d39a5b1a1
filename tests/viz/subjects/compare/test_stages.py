import numpy as np
import pytest

from model.checkpoints.checkpoint import load_checkpoint
from model.interventions.kinds import Intervention
from model.traces import find_tensor
from tests.checkpoints import DEFAULT
from viz.run.making import make_run
from viz.subjects.compare.pairing import pair_runs
from viz.subjects.compare.stages import first_to_differ, stage_changes

OFF = Intervention("zero", "encoder.layers.1.self_attn.heads", head=1)


@pytest.fixture(scope="module")
def edited(checkpoints_folder):
    checkpoint = load_checkpoint(checkpoints_folder / "everyday-paper")
    text = make_run(checkpoint, DEFAULT).text
    return tuple(make_run(checkpoint, DEFAULT, target=text, interventions=i) for i in ((), (OFF,)))


def stages_of(a, b):
    return stage_changes(a, b, pair_runs(a, b))


def test_what_comes_before_an_edit_is_the_same_to_the_last_bit(edited):
    stages = stages_of(*edited)
    assert first_to_differ(stages).name == "encoder.layers.1.after_self_attn"
    same = {stage.name for stage in stages if stage.identical}
    assert same == {
        "source_embedding.output",
        "encoder.layers.0.after_self_attn",
        "encoder.layers.0.output",
        "target_embedding.output",
        "decoder.layers.0.after_self_attn",
    }


def test_the_change_is_the_relative_length_of_the_difference(edited):
    for stage in stages_of(*edited):
        x, other = (find_tensor(run.trace, stage.name)[0].double().numpy() for run in edited)
        expected = np.linalg.norm(other - x) / np.linalg.norm(x)
        assert stage.change == pytest.approx(expected)
        rows = np.linalg.norm(other - x, axis=-1) / np.linalg.norm(x, axis=-1)
        np.testing.assert_allclose(stage.by_position, rows)


def test_a_position_without_a_partner_is_left_out(checkpoint):
    a, b = make_run(checkpoint, "the cat sleeps ."), make_run(checkpoint, "the the cat sleeps .")
    first = stages_of(a, b)[0]
    assert [pair for pair in first.rows if None in pair] == [(None, 0)]
    assert list(np.isnan(first.by_position)) == [None in pair for pair in first.rows]
    assert not first.identical
