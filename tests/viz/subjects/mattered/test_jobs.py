"""What a process measures is what is measured here; it can be stopped, and is asked once."""

import threading

import pytest

from model.attribution.cuts import edges
from model.checkpoints.checkpoint import load_checkpoint
from sample_data.atlas_record import Atlas
from sample_data.records import from_plain, weights_digest
from tests.checkpoints import DEFAULT
from tests.processes import until
from viz.run.record import make_run
from viz.subjects.mattered.damage import edge_losses
from viz.subjects.mattered.jobs import Measurer
from viz.subjects.mattered.messages import ask_atlas, ask_edges
from viz.subjects.mattered.worker import work
from viz.work.job import Mark
from viz.work.messages import from_line, to_line
from viz.work.worker_pool import Crew


def mark() -> Mark:
    return Mark(lambda job: job.status, "mattered", {})


def make(command: tuple[str, ...] | None = None) -> Measurer:
    return Measurer(Crew(1, lambda _: True, 30.0), command)


@pytest.mark.slow
def test_a_process_cuts_the_edges_that_are_asked_for(checkpoints_folder):
    path = checkpoints_folder / "english-french-paper"
    checkpoint = load_checkpoint(path)
    run = make_run(checkpoint, DEFAULT)
    texts = run.source.ids, run.target_ids
    cut = edges(checkpoint.info.config, "decoder.layers.1.cross_attn", 2, 4, 5)
    job = make().start(ask_edges(str(path), 1, texts, cut), "one", mark)
    until(lambda: job.ended)
    assert (job.status, job.problem) == ("done", "")
    assert job.result == pytest.approx(edge_losses(checkpoint.model, *texts, cut), abs=1e-5)
    assert job.progress[0] == job.progress[1] > 0


def test_the_worker_measures_an_atlas(checkpoints_folder, monkeypatch):
    monkeypatch.setattr("sample_data.atlas.SENTENCES", 5)
    monkeypatch.setattr("sample_data.atlas.PAIR_SENTENCES", 1)
    path, told = checkpoints_folder / "digits-paper", []
    plain = work(ask_atlas(str(path), 1), told.append, threading.Event())
    atlas = from_plain(Atlas, from_line(to_line({"atlas": plain}))["atlas"])
    assert (atlas.weights, atlas.sentences) == (weights_digest(path), 5)
    assert told[-1]["progress"][0] == told[-1]["progress"][1]
