"""Trainings of the toy that a page starts: what they are of, the process, what it told so far."""

from dataclasses import asdict, dataclass

from viz.subjects.induction.lapse import Moment
from viz.work.job import Job, Mark
from viz.work.job_store import KeptJobs
from viz.work.messages import Message
from viz.work.worker_pool import WorkerPool

WORKER = "viz.subjects.induction.worker"
AT_ONCE = 1
GONE_AFTER = 20.0
"""Seconds after which a training whose sessions are gone ends."""
KEPT = 12
STEPS = 500
LOOK_EVERY = 20
"""Steps from one look at the model to the next."""


@dataclass(frozen=True)
class Plan:
    """What to train. All else is as in the checkpoints that come with the app."""

    layers: int = 2
    heads: int = 2
    """Of each layer."""
    seed: int = 0


class Trainings(KeptJobs):
    """Starts a process for each plan that is asked for, and keeps what the latest told."""

    def __init__(self, pool: WorkerPool, command: tuple[str, ...] | None = None) -> None:
        super().__init__(pool, KEPT)
        self._command = command
        self._told: dict[Plan, list[Moment]] = {}

    def start(self, plan: Plan, owner: str, mark: Mark) -> Job:
        """Train, or join the one that is at it; a stopped training begins again."""
        told: list[Moment] = []

        def hear(message: Message) -> None:
            told.append(read_moment(message, len(told)))

        def make() -> Job:
            self._told[plan] = told
            return Job(
                WORKER,
                asdict(plan),
                owners={owner},
                hear=hear,
                mark=mark,
                command=self._command,
            )

        job = self.join(plan, owner, make)
        for gone in [other for other in list(self._told) if self.kept(other) is None]:
            self._told.pop(gone, None)
        return job

    def moments(self, plan: Plan) -> tuple[Moment, ...]:
        """Return what was seen of a training so far."""
        return tuple(self._told.get(plan, ()))


def read_moment(message: Message, place: int) -> Moment:
    """Read what a process told of the model at a step. Raises ValueError on anything else."""
    match message:
        case {"step": int(step), "right": float(right), "heads": list(heads)}:
            found = {(int(layer), int(head)): (looks, prev) for layer, head, looks, prev in heads}
            return Moment(
                place=place,
                step=step,
                right=right,
                looks={at: float(looks) for at, (looks, _) in found.items()},
                previous={at: float(previous) for at, (_, previous) in found.items()},
            )
    raise ValueError(f"a training told what is no moment of it: {str(message)[:80]}")
