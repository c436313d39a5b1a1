import sys
import time
from collections.abc import Callable

import pytest

from model.checkpoint import load_checkpoint
from viz.subjects.training.live import LiveTraining
from viz.subjects.training.plan import Plan

STEPS = """
import json, sys, threading, time
stop = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), stop.set()), daemon=True).start()
step = 0
while not stop.is_set():
    step += 10
    print(json.dumps({"step": step, "loss": 1.0 / step}), flush=True)
    time.sleep(0.01)
print(json.dumps({"ended": step}), flush=True)
"""
"""Stands for the training process: it takes steps until its input ends."""
FAILS = "import sys; sys.stderr.write('first line\\nthere is no disk left\\n'); sys.exit(3)"


def until(true: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def make(script: str, present: bool = True, **more) -> LiveTraining:
    command = (sys.executable, "-c", script)
    return LiveTraining(Plan(), lambda: present, command=command, **more)


def test_a_real_training_starts_tells_and_ends_with_a_checkpoint():
    training = LiveTraining(Plan(longest=4, steps=3, warmup=2, snapshot_every=1), lambda: True)
    training.start()
    assert training.report().status == "starting"
    until(lambda: not training.alive and training.report().status != "training")
    report = training.report()
    assert (report.status, report.problem) == ("finished", "")
    assert report.step == 3
    assert [snapshot.step for snapshot in report.lapse.snapshots] == [0, 1, 2, 3]
    assert report.lapse.steps == 3
    checkpoint = load_checkpoint(training.checkpoint)
    assert checkpoint.info.training["step"] == 3
    training.end()


def test_it_stops_when_asked_and_goes_on():
    training = make(STEPS)
    training.start()
    until(lambda: training.report().step >= 20)
    assert training.report().status == "training"
    with pytest.raises(ValueError, match="that runs cannot be started, stop it first"):
        training.start()
    training.stop()
    assert training.report().status == "stopping"
    until(lambda: training.report().status == "stopped")
    assert not training.alive
    training.start()
    until(lambda: training.report().status == "training")
    training.end()
    assert not training.alive
    assert not training.folder.exists()


def test_more_steps_are_written_into_the_plan():
    training = make("import json; print(json.dumps({'ended': 2500}))")
    training.start()
    until(lambda: training.report().status == "finished")
    training.start(more=500)
    assert Plan.read(training.folder).steps == 3000
    until(lambda: training.report().status == "stopped")  # 2500 of 3000
    training.end()


def test_a_failure_says_why():
    training = make(FAILS)
    training.start()
    until(lambda: training.report().status == "failed")
    assert training.report().problem == "there is no disk left"
    training.end()


def test_a_training_whose_session_is_gone_ends_by_itself():
    training = make(STEPS, present=False, gone_after=0.1)
    training.start()
    until(lambda: not training.alive)
    training.end()


def test_a_training_whose_session_is_there_goes_on():
    training = make(STEPS, gone_after=0.1)
    training.start()
    until(lambda: training.report().step >= 500)
    assert training.alive
    training.end()


def test_a_report_does_not_change():
    training = make(STEPS)
    training.start()
    until(lambda: training.report().step >= 10)
    before = training.report()
    step = before.step
    until(lambda: training.report().step > step)
    assert before.step == step
    training.end()
