"""Gives an area its inputs one by one, and records the results."""

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
    deadline=None,  # the limit is ours, of CPU time
    database=None,  # the seed alone determines the inputs
    phases=(Phase.generate, Phase.shrink),
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.large_base_example,
    ],
    print_blob=False,
)
_LONGER = 3
"""The multiple of the limit at which the kernel ends a process that ignores signals (SIGXCPU)."""
_LONGEST = 300.0
"""The number of wall-clock seconds after which a process stuck with one input is ended."""
_NOW, _DONE = "now.txt", "done.pickle"


class StuckError(BaseException):
    """An input exceeded its limit. No `except Exception` of a reader catches this."""


@dataclass(frozen=True)
class Failure:
    """An input that lacks a property, reduced as far as possible."""

    input: str
    """The input as Python writes it, in ASCII."""
    what: str


@dataclass
class Tally:
    """The results for the inputs of an area."""

    name: str
    refused: int = 0
    accepted: int = 0
    slowest: float = 0.0
    """CPU seconds."""
    failures: list[Failure] = field(default_factory=list)

    @property
    def inputs(self) -> int:
        """The number of inputs given, including those tried in reducing a failure."""
        return self.refused + self.accepted + len(self.failures)


class _FailedError(Exception):
    """Carries an input out of hypothesis after it was reduced."""

    def __init__(self, value: object, error: BaseException) -> None:
        super().__init__(str(error))
        self.failure = Failure(ascii(value), told(error))


def told(error: BaseException) -> str:
    """Describe an exception, and its place in the project's code."""
    place, trace = "", error.__traceback__
    while trace:
        code = trace.tb_frame.f_code
        if "site-packages" not in code.co_filename and "fuzz" not in Path(code.co_filename).parts:
            place = f" ({Path(code.co_filename).name}:{trace.tb_lineno})"
        trace = trace.tb_next
    return f"{type(error).__name__}{place}: {ascii(str(error))[1:-1][:400]}"


@contextmanager
def bounded(seconds: float, patience: float) -> Iterator[None]:
    """Raise StuckError in the block after so many CPU seconds or wall-clock seconds.

    Code that handles no signals, such as a loop in C, continues until the kernel ends its process.
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
    """Return an area's verdict on one input, and its CPU seconds. Raises the failure."""
    began = time.process_time()
    with bounded(area.seconds, area.patience):
        verdict = area.check(value)
    return verdict, time.process_time() - began


def examine(
    area: Area, inputs: int, seed: int, note: Callable[[object], None] = lambda _value: None
) -> Tally:
    """Examine an area by so many inputs, the same ones for the same seed; stop at a failure.

    `note` is called with each input before the reader gets it.
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
    """Examine an area in its own process, because an input that ends the process is a failure,
    too."""
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
    os._exit(0)  # threads that only wait can be left alone
