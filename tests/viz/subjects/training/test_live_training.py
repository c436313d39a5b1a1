import shutil

import pytest

from model.checkpoints.checkpoint import load_checkpoint
from tests.processes import python, until
from viz.subjects.training.live_training import LiveTraining
from viz.subjects.training.plan import Plan
from viz.subjects.training.words import progress_words
from viz.work.worker_pool import Crew

STEPS = """
import time
from pathlib import Path
from viz.work.worker import serve

def work(request, tell, asked):
    step = 0
    tell({"resumed": 0})
    while not asked.is_set():
        step += 10
        tell({"step": step, "loss": 1.0 / step, "seconds": step / 100})
        time.sleep(0.01)
    (Path(request["folder"]) / "reverse-live-seed-0.state.json").write_text("{}")
    return {"step": step}

serve(work, grace=30)
"""
"""Stands for the training process: it takes steps until its input ends."""


@pytest.fixture
def crew():
    made = Crew(2, lambda _: True, 30.0)
    yield made
    for job in made.jobs():
        job.kill()


def make(folder, script: str | None = None, plan: Plan | None = None) -> LiveTraining:
    (plan or Plan()).write(folder)
    training = LiveTraining(folder, python(script) if script else None)
    training.owners.add("one")
    return training


@pytest.mark.slow
def test_a_real_training_starts_tells_and_ends_with_a_checkpoint(tmp_path, crew):
    training = make(tmp_path, plan=Plan(longest=4, steps=3, warmup=2, snapshot_every=1))
    assert training.report().status == "stopped"
    training.start(crew, progress_words)
    assert training.report().status == "starting"
    assert [job.mark.query["training"] for job in crew.jobs()] == [tmp_path.name]
    until(lambda: not training.alive)
    report = training.report()
    assert (report.status, report.problem) == ("finished", "")
    assert report.step == 3
    assert [snapshot.step for snapshot in report.lapse.snapshots] == [0, 1, 2, 3]
    assert report.lapse.steps == 3
    assert load_checkpoint(training.checkpoint).info.training["step"] == 3

    again = LiveTraining(tmp_path).report()
    assert (again.status, again.step, again.seconds) == ("finished", 3, report.seconds)
    assert [s.written for s in again.lapse.snapshots] == [s.written for s in report.lapse.snapshots]


def test_it_stops_when_asked_and_goes_on(tmp_path, crew):
    training = make(tmp_path, STEPS)
    training.start(crew, progress_words)
    until(lambda: training.report().step >= 20)
    assert training.report().status == "training"
    with pytest.raises(ValueError, match="that runs cannot be started, stop it first"):
        training.start(crew, progress_words)
    training.stop()
    assert training.report().status == "stopping"
    until(lambda: not training.alive)
    assert training.report().status == "stopped"
    training.start(crew, progress_words)
    until(lambda: training.report().status == "training")
    training.remove()
    assert not training.alive
    assert not training.folder.exists()


def test_what_the_process_does_not_remember_is_forgotten(tmp_path, crew):
    training = make(tmp_path, STEPS)
    training.start(crew, progress_words)
    until(lambda: training.report().step >= 50)
    training.stop()
    until(lambda: not training.alive)
    training.start(crew, progress_words)
    until(lambda: training.report().status == "training" and training.report().step)
    steps = [step for step, _ in training._losses]
    assert steps == [*range(10, steps[-1] + 1, 10)]


def test_it_knows_that_its_files_were_cleaned_away(tmp_path, crew):
    training = make(tmp_path / "it", STEPS) if (tmp_path / "it").mkdir() is None else None
    assert not training.is_lost
    training.start(crew, progress_words)
    until(lambda: training.report().step >= 10)
    training.stop()
    until(lambda: not training.alive)
    assert not training.is_lost
    (training.folder / "reverse-live-seed-0.state.json").unlink()
    assert training.is_lost
    shutil.rmtree(training.folder)
    assert training.is_lost


def test_a_report_does_not_change(tmp_path, crew):
    training = make(tmp_path, STEPS)
    training.start(crew, progress_words)
    until(lambda: training.report().step >= 10)
    before = training.report()
    step = before.step
    until(lambda: training.report().step > step)
    assert before.step == step
