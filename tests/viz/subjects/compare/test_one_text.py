"""Two runs of one model of one text, and two models of different anatomy."""

import numpy as np
import pytest

from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import ONE_TEXT
from viz.run.axes import attention_trace
from viz.run.making import make_run
from viz.subjects.compare.comparability import what_is_shared
from viz.subjects.compare.heads import kind_changes
from viz.subjects.compare.pairing import pair_runs
from viz.subjects.compare.stages import stage_changes
from viz.subjects.compare.summary import replaced

OTHER = ONE_TEXT.replace("cat", "dog", 1)


@pytest.fixture(scope="module")
def runs(one_text_checkpoints):
    def both(name):
        checkpoint = load_checkpoint(one_text_checkpoints / name)
        return make_run(checkpoint, ONE_TEXT), make_run(checkpoint, OTHER)

    return {name: both(name) for name in ("tiny-gpt", "tiny-bert")}


@pytest.mark.parametrize("name", ["tiny-gpt", "tiny-bert"])
def test_rows_are_paired_by_the_token_that_reads(runs, name):
    a, b = runs[name]
    pairing = pair_runs(a, b)
    [kind] = a.anatomy.names
    [change] = kind_changes(a, b, pairing, by_likeness=False).values()
    place = change.rows.index((3, 3))
    p, q = (attention_trace(run, kind, 1).weights[0, 2, 3].double().numpy() for run in (a, b))
    assert change.moved[1, 2, place] == pytest.approx(_apart(p, q, change.columns), abs=1e-5)
    assert change.moved[1, 2, place] > 0
    stages = {stage.name: stage for stage in stage_changes(a, b, pairing)}
    assert {stage.side for stage in stages.values()} == {a.anatomy.stacks[0].name}
    own = f"{a.anatomy.sides[0]}_embedding.output"
    assert not stages[own].identical
    assert np.nanmax(stages[own].by_position[:1]) == 0


def _apart(p, q, columns) -> float:
    ours = np.array([0.0 if i is None or i >= len(p) else p[i] for i, _ in columns])
    theirs = np.array([0.0 if j is None or j >= len(q) else q[j] for _, j in columns])
    return float(np.abs(ours - theirs).sum() / 2)


def test_words_of_the_prompt_are_not_told_as_written(runs):
    a, b = runs["tiny-gpt"]
    pairing = pair_runs(a, b)
    differing, _, whole = replaced(a, b, pairing.target)
    assert whole <= len(a.steps) - a.n_prompt
    assert ("cat", "dog") not in differing


def test_models_of_different_anatomy_are_refused(runs):
    shared = what_is_shared(runs["tiny-gpt"][0], runs["tiny-bert"][0], one_model=False)
    assert not shared.heads
    assert "has attention layers that the other lacks" in shared.why_not
