import os
import shutil
import signal
import time

import pytest

from model.checkpoints.checkpoint import load_checkpoint
from tests.processes import is_running, python, server, until
from viz.subjects.training import plan as plans
from viz.subjects.training import trainings as module
from viz.subjects.training.folder import lock_file
from viz.subjects.training.plan import Plan
from viz.subjects.training.train import train
from viz.subjects.training.trainings import TrainingRefusedError, Trainings
from viz.work.worker_pool import Crew

WAITS = """
from viz.work.worker import serve
serve(lambda request, tell, asked: asked.wait(), grace=30)
"""
QUICK = Plan(longest=4, steps=4, warmup=2, snapshot_every=2)


@pytest.fixture
def here() -> set[str]:
    """The sessions that are there."""
    return {"a", "b", "c"}


@pytest.fixture
def trainings(here, tmp_path):
    made = Trainings(Crew(2, here.__contains__, 0.5), lambda: tmp_path / "them", python(WAITS))
    yield made
    for job in made.crew.jobs():
        job.kill()


def stop(training) -> None:
    training.stop()
    until(lambda: not training.alive)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The folder of a training that was stopped after 2 of 4 steps. Nobody writes to it."""
    folder = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plans, "PAIRS", 300)
        QUICK.write(folder)
        asked = iter([False, False, True])
        train(folder, lambda: next(asked), lambda _: None)
    return folder


def put(trained, trainings, name: str, age: float = 0.0):
    """Leave a copy of the training as if it had been written so many seconds ago."""
    folder = shutil.copytree(trained, trainings._folder() / name)
    written = time.time() - age
    os.utime(folder / f"{QUICK.name}.json", (written, written))
    return folder


def name_of(number: int) -> str:
    return f"{number:032x}"


def test_a_session_trains_one_model_at_a_time(trainings):
    first = trainings.start(Plan(), "a")
    assert trainings.of("a") is first
    assert trainings.of("b") is None
    with pytest.raises(TrainingRefusedError, match="already training a model: stop it"):
        trainings.start(Plan(), "a")
    stop(first)
    second = trainings.start(Plan(seed=1), "a")
    assert first.folder.exists()
    assert trainings.of("a") is second


def test_a_server_has_so_many_places(trainings):
    first, _ = trainings.start(Plan(), "a"), trainings.start(Plan(), "b")
    with pytest.raises(TrainingRefusedError, match="at most 2 models at a time, and no place"):
        trainings.start(Plan(), "c")
    assert trainings.of("c") is None
    assert len(list(trainings._folder().iterdir())) == 2
    stop(first)
    trainings.start(Plan(), "c")
    with pytest.raises(TrainingRefusedError, match="2 models at a time"):
        trainings.go_on(first, "a")


def test_going_on_takes_more_steps_and_does_nothing_while_it_runs(trainings):
    training = trainings.start(Plan(), "a")
    trainings.go_on(training, "a", 100)
    assert training.plan.steps == 2500
    stop(training)
    trainings.go_on(training, "a", 100)
    assert training.plan.steps == 2600


def test_another_browser_with_the_link_sees_it_and_keeps_it_alive(trainings, here):
    training = trainings.start(Plan(), "a")
    assert trainings.find(training.id) is training
    training.owners.add("b")
    here.discard("a")
    time.sleep(1)
    assert training.alive
    here.discard("b")
    until(lambda: not training.alive)


def test_nobody_guesses_an_id_and_a_link_reaches_no_other_folder(trainings, trained):
    ids = {trainings.start(Plan(), session).id for session in ("a", "b")}
    assert all(len(id) == 32 for id in ids)
    assert len(ids) == 2
    put(trained, trainings, "elsewhere")
    for hostile in ("", "elsewhere", "../them/elsewhere", "0" * 32, "0" * 10**6, "٠" * 32, "\0"):
        assert trainings.find(hostile) is None


def test_what_was_left_is_found_again_by_another_server(trainings, trained):
    put(trained, trainings, name_of(1), age=90)
    put(trained, trainings, name_of(2))
    left = trainings.left()
    assert [found.id for found in left] == [name_of(2), name_of(1)]
    assert (left[1].step, left[1].steps) == (2, 4)
    assert left[1].age == pytest.approx(90, abs=30)
    training = trainings.find(name_of(1))
    assert training.report().status == "stopped"
    assert training.report().step == 2
    assert [s.step for s in training.report().lapse.snapshots] == [0, 2]


def test_what_a_session_shows_or_another_server_trains_is_not_offered(trainings, trained, here):
    for number in (1, 2, 3):
        put(trained, trainings, name_of(number))
    trainings.find(name_of(1)).owners.add("a")
    lock_file(trainings._folder() / name_of(2)).write_text(str(os.getppid()))
    assert [left.id for left in trainings.left()] == [name_of(3)]
    with pytest.raises(TrainingRefusedError, match="Another Loupe"):
        trainings.go_on(trainings.find(name_of(2)), "b")
    here.discard("a")
    lock_file(trainings._folder() / name_of(2)).unlink()
    assert len(trainings.left()) == 3


def test_old_ones_make_room_and_are_named(trainings, trained, monkeypatch):
    monkeypatch.setattr(module, "MOST_LEFT", 2)
    for number in range(4):
        put(trained, trainings, name_of(number), age=100 * number)
    put(trained, trainings, name_of(9), age=31 * 86_400)
    trainings.find(name_of(3)).owners.add("a")
    assert [left.id for left in trainings.sweep(trainings.left())] == [name_of(2), name_of(9)]
    assert [left.id for left in trainings.left()] == [name_of(0), name_of(1)]
    assert (trainings._folder() / name_of(3)).exists()
    assert trainings.sweep(trainings.left()) == []


def test_broken_folders_are_passed_over(trainings, trained):
    (trainings._folder() / name_of(1)).mkdir(parents=True)
    put(trained, trainings, name_of(2)).joinpath("plan.json").write_text('{"steps": "many"}')
    put(trained, trainings, name_of(3)).joinpath(f"{QUICK.name}.json").write_text("{}")
    assert trainings.left() == []
    assert trainings.find(name_of(1)) is None
    assert trainings.find(name_of(2)) is None


def test_a_folder_that_was_cleaned_away_is_not_gone_on_in(trainings):
    training = trainings.start(Plan(), "a")
    stop(training)
    shutil.rmtree(training.folder)
    with pytest.raises(TrainingRefusedError, match="folder was cleaned away"):
        trainings.go_on(training, "a")


def test_a_place_that_cannot_be_written_is_said(here, tmp_path):
    (tmp_path / "them").write_text("a file")
    made = Trainings(Crew(2, here.__contains__, 30.0), lambda: tmp_path / "them")
    with pytest.raises(TrainingRefusedError, match="folder cannot be written"):
        made.start(Plan(), "a")


SERVER = """
import sys
import time
from pathlib import Path
from viz.subjects.training.plan import Plan
from viz.subjects.training.trainings import Trainings
from viz.work.worker_pool import Crew

trainings = Trainings(Crew(1, lambda session: True, 30.0), lambda: Path({folder!r}))
training = trainings.start(Plan(longest=4, steps=2500, snapshot_every=1000), "a")
while training.report().step < 20:
    time.sleep(0.1)
print(trainings.crew.jobs()[0].process.pid, training.id, flush=True)
sys.stdin.read()
"""


@pytest.mark.slow
def test_a_training_survives_its_server(tmp_path, here):
    folder = tmp_path / "them"
    with server(SERVER.format(folder=str(folder))) as parent:
        pid, id = parent.stdout.readline().split()
        parent.send_signal(signal.SIGKILL)
    until(lambda: not is_running(int(pid)))
    assert not lock_file(folder / id).exists()
    trainings = Trainings(Crew(1, here.__contains__, 30.0), lambda: folder)
    (left,) = trainings.left()
    assert left.id == id
    assert 20 <= left.step < 2500
    training = trainings.find(id)
    assert training.report().seconds > 0
    trainings.go_on(training, "a")
    until(lambda: training.report().step > left.step)
    assert trainings.left() == []
    stop(training)
    report = training.report()
    assert (report.status, report.problem) == ("stopped", "")
    assert load_checkpoint(training.checkpoint).info.training["step"] == report.step
    trainings.remove(training)
    assert not list(folder.iterdir())
