"""Gives an area its inputs, one after the other, and keeps what became of them."""

import multiprocessing
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import torch
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis.errors import HypothesisException

from qa.fuzz.area import Area, Verdict, inputs_of, open_area
from qa.fuzz.clock import StuckError, bounded, end_process_after

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
"""Times the bound, after which the kernel ends a process that heeds no signal."""
_NOW, _DONE = "now.txt", "done.pickle"


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
    slowest_input: str = ""
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
    text = ascii(str(error))[1:-1]
    return f"{type(error).__name__}{place}: {text[:400]}"


def check_one(area: Area, value: object) -> tuple[Verdict, float]:
    """Return an area's verdict on one input, and its CPU seconds. Raises what does not hold."""
    began = time.process_time()
    with bounded(area.seconds, area.patience):
        verdict = area.check(value)
    return verdict, time.process_time() - began


def examine(
    area: Area, inputs: int, seed: int, note: Callable[[object], None] = lambda _value: None
) -> Tally:
    """Examine an area by inputs, the same ones for the same seed; stop at what does not hold.

    Args:
        area: What is examined.
        inputs: How many.
        seed: Decides which.
        note: Called with each input before it is given.
    """
    tally = Tally(area.name)

    def one(value: Any) -> None:
        note(value)
        try:
            verdict, took = check_one(area, value)
        except (Exception, StuckError) as error:
            raise _FailedError(value, error) from error
        if verdict == "refused":
            tally.refused += 1
        else:
            tally.accepted += 1
        if took > tally.slowest:
            tally.slowest, tally.slowest_input = took, ascii(value)

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
    elif isinstance(error, _FailedError):
        yield error.failure
    else:
        yield Failure("", told(error))


def examine_apart(name: str, total: int, seed: int, place: Path) -> Tally:
    """Examine an area in a process of its own: whatever it does to that one is a failure, too."""
    place.mkdir(parents=True)
    start = multiprocessing.get_context("spawn")
    process = start.Process(target=_work, args=(name, total, seed, place))
    process.start()
    stuck = _wait(process, place / _NOW)
    if (place / _DONE).exists() and not stuck:
        return pickle.loads((place / _DONE).read_bytes())
    ended = f"the process was ended by {_signal(process.exitcode)}"
    what = "it waits for ever, and heeds no signal" if stuck else ended
    now = place / _NOW
    value = now.read_text() if now.exists() else ""
    return Tally(name, failures=[Failure(value, what)])


def _work(name: str, total: int, seed: int, place: Path) -> None:
    torch.set_num_threads(1)
    sys.stderr = (place / "stderr.txt").open("w")
    area = open_area(name, place)

    def note(value: object) -> None:
        (place / _NOW).write_text(ascii(value))
        end_process_after(_LONGER * area.seconds)

    tally = examine(area, inputs_of(area, total), seed, note)
    (place / _DONE).write_bytes(pickle.dumps(tally))
    sys.stderr.flush()
    os._exit(0)  # threads that wait for nothing more need not be waited for


def _wait(process: BaseProcess, now: Path, patience: float = 300.0) -> bool:
    """Wait for a process; end it where its input is the same for too long, and say so."""
    while process.is_alive():
        process.join(1.0)
        if now.exists() and time.time() - now.stat().st_mtime > patience:
            process.kill()
            process.join()
            return True
    return False


def _signal(code: int | None) -> str:
    if code is None or code >= 0:
        return f"its own exit with {code}"
    return signal.Signals(-code).name
