import pytest

from viz.subjects.training.live import LiveTraining
from viz.subjects.training.plan import Plan
from viz.subjects.training.trainings import TrainingRefusedError, Trainings


class Fake(LiveTraining):
    """Stands for a training, without a process."""

    alive = False

    def __init__(self, plan, present):
        self.plan, self.present = plan, present
        self.ended, self.started = False, []

    def start(self, more=0):
        self.alive = True
        self.started.append(more)

    def end(self):
        self.alive, self.ended = False, True


@pytest.fixture
def trainings() -> Trainings:
    return Trainings(2, make=Fake)


def here() -> bool:
    return True


def test_a_session_trains_one_model_at_a_time(trainings):
    first = trainings.start("a", Plan(), here)
    assert trainings.of("a") is first
    assert trainings.of("b") is None
    with pytest.raises(TrainingRefusedError, match="trains a model already: stop that one"):
        trainings.start("a", Plan(), here)
    first.alive = False
    second = trainings.start("a", Plan(seed=1), here)
    assert first.ended
    assert trainings.of("a") is second


def test_a_server_has_so_many_places(trainings):
    first, _ = trainings.start("a", Plan(), here), trainings.start("b", Plan(), here)
    with pytest.raises(TrainingRefusedError, match="trains 2 models at a time, and others"):
        trainings.start("c", Plan(), here)
    assert trainings.of("c") is None
    first.alive = False
    trainings.start("c", Plan(), here)
    with pytest.raises(TrainingRefusedError, match="2 models at a time"):
        trainings.go_on("a")
    assert first.started == [0]


def test_going_on_takes_more_steps_and_does_nothing_while_it_runs(trainings):
    training = trainings.start("a", Plan(), here)
    trainings.go_on("a", 100)
    assert training.started == [0]
    training.alive = False
    trainings.go_on("a", 100)
    assert training.started == [0, 100]


def test_what_gone_sessions_left_is_forgotten(trainings):
    left = trainings.start("a", Plan(), lambda: False)
    left.alive = False
    trainings.start("b", Plan(), here)
    assert left.ended
    assert trainings.of("a") is None


def test_a_training_ends_when_asked(trainings):
    training = trainings.start("a", Plan(), here)
    trainings.end("a")
    assert training.ended
    assert trainings.of("a") is None
    trainings.end("a")
