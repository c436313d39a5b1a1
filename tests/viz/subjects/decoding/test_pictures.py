import json

import numpy as np
import pytest

from viz.run.codes import CODE_MASKED, CODE_ONE
from viz.subjects.decoding import packing
from viz.subjects.decoding.lens import read_lens
from viz.subjects.decoding.packing import (
    drawn_steps,
    pack_branches,
    pack_lens,
    pack_path,
    pack_tree,
)
from viz.subjects.decoding.paths import decode_path
from viz.subjects.decoding.reading import read_path
from viz.subjects.decoding.strategy import Fork, Strategy


@pytest.fixture(scope="module")
def packed(run, checkpoint):
    path = decode_path(run, checkpoint.model, Strategy(), (Fork(2, 9),))
    count = len(path.steps)
    reading = read_path(run, checkpoint.model, path, count)
    data = pack_path(run, path, reading, Strategy(), "k")
    return path, reading, data


def test_a_path_carries_the_best_logits_and_every_weight(packed, run):
    path, _, data = packed
    count, sent = len(path.steps), data["meta"]["sent"]
    assert sent == min(200, run.info.config.target_vocab_size)
    ids, logits = (data["ranked"][name].to_numpy().reshape(count, -1) for name in ("id", "logit"))
    assert logits.dtype == np.float32
    row = path.steps[3].logits.numpy()
    assert ids[3].tolist() == np.argsort(-row, kind="stable")[:sent].tolist()
    assert np.array_equal(logits[3], row[ids[3]])
    names = run.info.tokenizers.target
    assert data["meta"]["vocabulary"][str(ids[3, 0])] == names.token(int(ids[3, 0]))
    assert all(str(id) in data["meta"]["vocabulary"] for id in path.ids)


def test_a_path_carries_every_weight(packed):
    path, reading, data = packed
    codes = data["codes"]["code"].to_numpy()
    split = reading.self_weights.size
    own = codes[:split].reshape(reading.self_weights.shape)
    later = ~np.tri(len(path.steps), dtype=bool)
    assert (own[:, :, later] == CODE_MASKED).all()
    error = own[:, :, ~later] / CODE_ONE - reading.self_weights[:, :, ~later]
    assert np.abs(error).max() <= 0.51 / CODE_ONE
    cross = codes[split:].reshape(reading.cross_weights.shape)
    assert np.abs(cross / CODE_ONE - reading.cross_weights).max() <= 0.51 / CODE_ONE


def test_a_path_says_how_probable_all_of_it_is(packed):
    path, _, data = packed
    meta = data["meta"]
    assert sum(meta["logs"]) == pytest.approx(path.total, abs=1e-12)
    assert not meta["isRun"]
    json.dumps(meta)


def test_branches_carry_their_scores(packed, run, checkpoint):
    path, _, _ = packed
    base = decode_path(run, checkpoint.model, Strategy())
    target = run.info.tokenizers.target
    data = pack_branches(target, "Greedy", [base, path])
    for one, its in zip(data["branches"], (base, path), strict=True):
        assert (one["text"], one["tokens"]) == (target.decode(its.ids), target.tokens(its.ids))
    assert [sum(one["logs"]) for one in data["branches"]] == [base.total, path.total]
    assert [one["forks"] for one in data["branches"]] == [[], [2]]


def test_a_tree_carries_every_hypothesis_that_can_be_drawn(run, checkpoint, monkeypatch):
    path = decode_path(run, checkpoint.model, Strategy("Beam", width=3))
    tree = pack_tree(run, path)
    nodes = [h for step in path.search for h in step.hypotheses]
    assert tree["score"] == [h.score for h in nodes]
    best = nodes[tree["id"].index(tree["best"])]
    assert best.score == max(h.score for h in nodes if h.finished)
    for most, steps in ((20, 3), (1, 1)):
        monkeypatch.setattr(packing, "MOST_NODES", most)
        assert drawn_steps(path.search) == steps
        assert max(pack_tree(run, path)["index"]) == steps - 1


def test_a_lens_names_its_tokens(packed, run, checkpoint):
    path, reading, _ = packed
    lens = read_lens(checkpoint.model, reading.states, path.ids)
    data = pack_lens(run, lens, path.ids, "k")
    tokens = run.info.tokenizers.target.tokens(lens.top_tokens[1, 2].tolist())
    assert data["tops"][1][2] == tokens
    assert data["written"] == run.info.tokenizers.target.tokens(path.ids)
    json.dumps(data)
