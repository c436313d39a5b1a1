"""Decoding with a decoder-only model: its prompt is forced and does not count."""

import pytest
import torch

from model.checkpoints.checkpoint import load_checkpoint
from tests.checkpoints import ONE_TEXT
from tests.pages import open_page, sent, texts
from viz.run.making import make_run
from viz.run.record import MAX_CONTINUED
from viz.subjects.decoding.packing import pack_path, pack_tree
from viz.subjects.decoding.page import NEEDS
from viz.subjects.decoding.paths import decode_path
from viz.subjects.decoding.reading import read_path
from viz.subjects.decoding.strategy import Fork, Strategy


@pytest.fixture(scope="module")
def checkpoint(one_text_checkpoints):
    return load_checkpoint(one_text_checkpoints / "tiny-gpt")


@pytest.fixture(scope="module")
def run(checkpoint):
    return make_run(checkpoint, ONE_TEXT)


def logs_of(model, ids):
    """Return the log-probability of each id after the first, from one pass, as float64."""
    with torch.inference_mode():
        logits = model(None, torch.tensor([ids[:-1]])).logits[0]
    return logits.double().log_softmax(-1).gather(1, torch.tensor(ids[1:])[:, None])[:, 0]


@pytest.mark.parametrize("mode", ["Greedy", "Sampling", "Beam"])
def test_a_text_goes_on_from_its_prompt(run, checkpoint, mode):
    path = decode_path(run, checkpoint.model, Strategy(mode, seed=3))
    prompt = run.source.ids
    assert (run.target_ids[0], *path.ids)[: len(prompt)] == prompt
    assert path.n_prompt == len(prompt) - 1
    assert all(step.forced for step in path.steps[: path.n_prompt])
    assert not any(step.forced for step in path.steps[path.n_prompt :])
    logs = logs_of(checkpoint.model, (run.target_ids[0], *path.ids))
    assert path.total == pytest.approx(logs[path.n_prompt :].sum().item(), abs=1e-4)


def test_a_branch_may_leave_the_prompt(run, checkpoint):
    other = 6 if run.target_ids[4] != 6 else 7
    path = decode_path(run, checkpoint.model, Strategy(), (Fork(3, other),))
    assert path.n_prompt == 3
    assert path.ids[:4] == (*run.target_ids[1:4], other)
    assert len(path.ids) <= run.n_prompt + MAX_CONTINUED


def test_each_step_is_read_without_a_source(run, checkpoint):
    path = decode_path(run, checkpoint.model, Strategy(), (Fork(run.n_prompt, 5),))
    reading = read_path(run, checkpoint.model, path, len(path.steps))
    with torch.inference_mode():
        whole = checkpoint.model(None, torch.tensor([(run.target_ids[0], *path.ids[:-1])]))
    weights = whole.decoder.layers[1].self_attn.weights[0]
    assert torch.allclose(torch.from_numpy(reading.self_weights[1]), weights, atol=1e-6)
    assert reading.cross_weights.shape[-1] == 0
    meta = pack_path(run, path, reading, Strategy(), "key")["meta"]
    assert meta["source"] == ()
    assert meta["begin"] == run.target_tokens[0]
    assert meta["prompt"] == path.n_prompt
    assert sum(meta["logs"][path.n_prompt :]) == pytest.approx(path.total)


def test_the_tree_begins_after_the_prompt(run, checkpoint):
    path = decode_path(run, checkpoint.model, Strategy("Beam", width=2))
    tree = pack_tree(run, path)
    assert min(tree["index"]) == run.n_prompt
    assert tree["parent"][0] is None


@pytest.mark.usefixtures("one_text_app")
def test_the_page_plays_a_prompt():
    page = open_page("decoding", "tiny-gpt", source=ONE_TEXT, decoding="Beam")
    assert "How does the text continue?" in texts(page)
    assert "source" not in texts(page)
    [path] = sent(page, "decoding_path")
    assert path["meta"]["prompt"] == len(ONE_TEXT.split())


def test_a_model_that_only_reads_is_refused(one_text_checkpoints, checkpoint):
    assert NEEDS(checkpoint.anatomy) is None
    reads = load_checkpoint(one_text_checkpoints / "tiny-bert")
    assert "a model that writes" in NEEDS(reads.anatomy)
