import tempfile
import time

import pytest

from model.checkpoints.checkpoint import load_checkpoint
from tests.processes import python, until
from viz.subjects.training import live_training
from viz.subjects.training.live_training import TrainingRefusedError, Trainings
from viz.subjects.training.plan import Plan
from viz.subjects.training.words import progress_words
from viz.work.worker_pool import WorkerPool

STEPS = """
import time
from viz.work.worker import serve

def work(request, tell, asked):
    step = 0
    tell({"setup": {"source_tokens": [], "target_tokens": [], "masks": {}}})
    while not asked.is_set():
        step += 10
        tell({"step": step, "loss": 1.0 / step, "seconds": step / 100})
        time.sleep(0.01)
    return step

serve(work, grace=30)
"""
"""A stand-in for the training process that takes steps until its input ends."""
QUICK = Plan(longest=4, steps=3, warmup=2, snapshot_every=1)


@pytest.fixture
def here() -> set[str]:
    """Return the names of the sessions that are open."""
    return {"a", "b", "c"}


@pytest.fixture
def trainings(here, request):
    pool = WorkerPool(2, here.__contains__, 0.5)
    script = getattr(request, "param", STEPS)
    yield Trainings(pool, progress_words, script and python(script))
    for job in pool.jobs():
        job.kill()


def stop(training) -> None:
    training.job.stop()
    until(lambda: training.job.ended)


@pytest.mark.slow
@pytest.mark.parametrize("trainings", [None], indirect=True)
def test_a_real_training_starts_tells_and_ends_with_a_checkpoint(trainings):
    training = trainings.start(QUICK, "a")
    assert training.report().status == "starting"
    assert [job.mark.query["training"] for job in trainings.pool.jobs()] == [training.id]
    until(lambda: training.job.ended)
    report = training.report()
    assert (report.status, report.problem) == ("finished", "")
    assert report.step == 3
    assert [snapshot.step for snapshot in report.lapse.snapshots] == [0, 1, 2, 3]
    assert report.lapse.steps == 3
    assert load_checkpoint(training.checkpoint).info.training["step"] == 3


def test_it_stops_when_asked_and_a_report_does_not_change(trainings):
    training = trainings.start(Plan(), "a")
    until(lambda: training.report().step >= 20)
    before = training.report()
    step = before.step
    assert before.status == "training"
    until(lambda: training.report().step > step)
    assert before.step == step
    training.job.stop()
    assert training.report().status in ("stopping", "stopped")
    until(lambda: training.job.ended)
    assert training.report().status == "stopped"


def test_a_session_trains_one_model_at_a_time(trainings):
    first = trainings.start(Plan(), "a")
    assert trainings.of("a") is first
    assert trainings.of("b") is None
    with pytest.raises(TrainingRefusedError, match="already training a model: stop it"):
        trainings.start(Plan(), "a")
    stop(first)
    second = trainings.start(Plan(seed=1), "a")
    assert trainings.of("a") is second


def test_a_server_has_so_many_places(trainings):
    first, _ = trainings.start(Plan(), "a"), trainings.start(Plan(), "b")
    with pytest.raises(TrainingRefusedError, match="at most 2 models at a time: try again"):
        trainings.start(Plan(), "c")
    assert trainings.of("c") is None
    stop(first)
    trainings.start(Plan(), "c")


def test_another_browser_with_the_link_sees_it_and_keeps_it_alive(trainings, here):
    training = trainings.start(Plan(), "a")
    assert trainings.find(training.id) is training
    assert trainings.find("0" * 32) is None
    training.job.join("b")
    here.discard("a")
    time.sleep(1)
    assert not training.job.ended
    here.discard("b")
    until(lambda: training.job.ended)


def test_the_oldest_make_room_and_their_files_go(trainings, here, monkeypatch):
    monkeypatch.setattr(live_training, "_MOST_KEPT", 1)
    made = []
    for session in "abc":
        made.append(trainings.start(Plan(), session))
        stop(made[-1])
        here.discard(session)
    last = trainings.start(Plan(), "d")
    ids, folder = [training.id for training in (*made, last)], made[0].checkpoint.parent
    assert [trainings.find(id) is not None for id in ids] == [False, False, True, True]
    assert not folder.exists()


def test_a_place_that_cannot_be_written_is_said(trainings, tmp_path, monkeypatch):
    (tmp_path / "them").write_text("a file")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "them"))
    with pytest.raises(TrainingRefusedError, match="cannot write to its folder"):
        trainings.start(Plan(), "a")
