"""A training that the page starts: what it tells, and what is kept of it."""

import threading
from dataclasses import asdict

import pytest

from tests.pages import open_page, texts
from tests.processes import python, until
from viz.subjects.induction import worker
from viz.subjects.induction.live_training import KEPT, Plan, Trainings, read_moment
from viz.work.job import Mark
from viz.work.messages import from_line, to_line
from viz.work.worker_pool import WorkerPool

TOLD = {"step": 20, "right": 0.25, "heads": [[0, 0, 0.1, 0.5], [1, 0, 0.75, 0.0]]}
TELLS = python(
    "import sys; sys.stdin.buffer.readline();"
    f"sys.stdout.buffer.write({to_line(TOLD)!r} + {to_line({'done': 20})!r});"
    "sys.stdout.buffer.flush()"
)
MARK = Mark(lambda job: job.status, "induction", {})


def make(command: tuple[str, ...]) -> Trainings:
    return Trainings(WorkerPool(1, lambda _: True, 30.0), command)


def test_what_is_told_becomes_a_moment():
    moment = read_moment(from_line(to_line(TOLD)), 4)
    assert (moment.place, moment.step, moment.right) == (4, 20, 0.25)
    assert moment.looks == {(0, 0): 0.1, (1, 0): 0.75}
    assert moment.previous == {(0, 0): 0.5, (1, 0): 0.0}
    with pytest.raises(ValueError, match="no moment of it"):
        read_moment({"loss": 3.0}, 0)


def test_the_worker_looks_every_so_many_steps(monkeypatch: pytest.MonkeyPatch):
    for name, value in {"STEPS": 4, "LOOK_EVERY": 2, "_TEXTS": 64, "_HELD_OUT": 2}.items():
        monkeypatch.setattr(worker, name, value)
    told = []
    assert worker.work(asdict(Plan(1, 1)), told.append, threading.Event()) == 4
    moments = [read_moment(message, 0) for message in told if "step" in message]
    assert [moment.step for moment in moments] == [0, 2, 4]
    assert moments[0].looks.keys() == {(0, 0)}
    assert moments[0].right < 0.2
    asked = threading.Event()
    asked.set()
    assert worker.work(asdict(Plan(1, 1)), told.append, asked) == 0


def test_what_a_training_told_is_kept():
    trainings, plan = make(TELLS), Plan(seed=3)
    assert trainings.moments(plan) == ()
    job = trainings.start(plan, "one", MARK)
    until(lambda: job.ended)
    assert (job.status, job.problem) == ("done", "")
    assert [moment.step for moment in trainings.moments(plan)] == [20]
    assert trainings.start(plan, "two", MARK) is job


def test_the_oldest_trainings_are_forgotten():
    trainings = make(TELLS)
    plans = [Plan(seed=seed) for seed in range(KEPT + 2)]
    for plan in plans:
        job = trainings.start(plan, "one", MARK)
        until(lambda job=job: job.ended)
    assert [len(trainings.moments(plan)) for plan in plans] == [0, 0, *[1] * KEPT]


def test_the_page_offers_a_training():
    page = open_page(
        "induction", "induction-one-head", "moon ship moon", more_induction_live="true"
    )
    assert "half a minute" in texts(page)
    assert "Train" in [button.label for button in page.button]
