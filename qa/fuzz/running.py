"""Gives an area its inputs, one after the other, and keeps what became of them."""

import multiprocessing
import os
import pickle
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis.errors import HypothesisException

from qa.fuzz.area import Area, Verdict, inputs_of, open_area

_SETTINGS = settings(
    deadline=None,  # the clock is ours, and of CPU time
    database=None,  # the seed alone decides
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.large_base_example,
    ],
    print_blob=False,
)
_LONGER = 3
"""Times the bound, after which a process that heeds no signal is ended by the kernel (SIGXCPU)."""
_LONGEST = 300.0
"""Seconds of the clock, after which a process that stays with one input is ended."""
_NOW, _DONE = "now.txt", "done.pickle"


class StuckError(BaseException):
    """An input took more than its bound. No `except Exception` of a reader takes it."""


@dataclass(frozen=True)
class Failure:
    """An input of which something does not hold, as small as it could be made."""

    input: str
    """As Python has it, in ASCII."""
    what: str


@dataclass
class Tally:
    """What became of the inputs of an area."""

    name: str
    refused: int = 0
    accepted: int = 0
    slowest: float = 0.0
    """Seconds of CPU."""
    failures: list[Failure] = field(default_factory=list)

    @property
    def inputs(self) -> int:
        """How many were given; of those of failures, the ones that were smaller too."""
        return self.refused + self.accepted + len(self.failures)


class _FailedError(Exception):
    """Carries an input to where hypothesis has made it as small as it can."""

    def __init__(self, value: object, error: BaseException) -> None:
        super().__init__(str(error))
        self.failure = Failure(ascii(value), told(error))


def told(error: BaseException) -> str:
    """Describe what was raised, and where in the project's code."""
    place, trace = "", error.__traceback__
    while trace:
        code = trace.tb_frame.f_code
        if "site-packages" not in code.co_filename and "fuzz" not in Path(code.co_filename).parts:
            place = f" ({Path(code.co_filename).name}:{trace.tb_lineno})"
        trace = trace.tb_next
    return f"{type(error).__name__}{place}: {ascii(str(error))[1:-1][:400]}"


@contextmanager
def bounded(seconds: float, patience: float) -> Iterator[None]:
    """Raise StuckError in what runs inside, after so much CPU time or so long on the clock.

    Code that looks at no signal, such as a loop in C, goes on: the kernel ends its process.
    """

    def stop(number: int, _frame: object) -> None:
        of = f"{seconds:g} s of CPU" if number == signal.SIGPROF else f"{patience:g} s of the clock"
        raise StuckError(f"it took more than {of}")

    before = {number: signal.signal(number, stop) for number in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, patience)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def check_one(area: Area, value: object) -> tuple[Verdict, float]:
    """Return an area's verdict on one input, and its CPU seconds. Raises what does not hold."""
    began = time.process_time()
    with bounded(area.seconds, area.patience):
        verdict = area.check(value)
    return verdict, time.process_time() - began


def examine(
    area: Area, inputs: int, seed: int, note: Callable[[object], None] = lambda _value: None
) -> Tally:
    """Examine an area by so many inputs, the same ones for the same seed; stop at a failure.

    `note` is called with each input before it is given.
    """
    tally = Tally(area.name)

    def one(value: Any) -> None:
        note(value)
        try:
            verdict, took = check_one(area, value)
        except (Exception, StuckError) as error:
            raise _FailedError(value, error) from error
        tally.refused += verdict == "refused"
        tally.accepted += verdict == "accepted"
        tally.slowest = max(tally.slowest, took)

    test = seeded(seed)(settings(_SETTINGS, max_examples=inputs)(given(area.inputs)(one)))
    try:
        test()
    except (ExceptionGroup, _FailedError, HypothesisException) as error:
        tally.failures += list(_failures(error))
    return tally


def _failures(error: BaseException) -> Iterator[Failure]:
    if isinstance(error, BaseExceptionGroup):
        for one in error.exceptions:
            yield from _failures(one)
    else:
        yield error.failure if isinstance(error, _FailedError) else Failure("", told(error))


def examine_apart(name: str, total: int, seed: int, place: Path) -> Tally:
    """Examine an area in a process of its own: whatever it does to that one is a failure, too."""
    place.mkdir(parents=True)
    now, done = place / _NOW, place / _DONE
    start = multiprocessing.get_context("spawn")
    process = start.Process(target=_work, args=(name, total, seed, place))
    process.start()
    while process.is_alive():
        process.join(1.0)
        if now.exists() and time.time() - now.stat().st_mtime > _LONGEST:
            process.kill()
    process.join()
    if done.exists():
        return pickle.loads(done.read_bytes())
    code = process.exitcode or 0
    ended = signal.Signals(-code).name if code < 0 else f"its own exit with {code}"
    value = now.read_text("utf-8") if now.exists() else ""
    return Tally(name, failures=[Failure(value, f"the process was ended by {ended}")])


def _work(name: str, total: int, seed: int, place: Path) -> None:
    torch.set_num_threads(1)
    sys.stderr = (place / "stderr.txt").open("w", encoding="utf-8")
    area = open_area(name, place)

    def note(value: object) -> None:
        (place / _NOW).write_text(ascii(value), "utf-8")
        most = int(time.process_time() + _LONGER * area.seconds) + 1
        resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))

    tally = examine(area, inputs_of(area, total), seed, note)
    (place / _DONE).write_bytes(pickle.dumps(tally))
    os._exit(0)  # threads that wait for nothing more need not be waited for
