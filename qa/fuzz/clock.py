"""The bound on what one input may take: CPU time, and the clock for what only waits."""

import resource
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn


class StuckError(BaseException):
    """An input took more than its bound. No `except Exception` of a reader takes it."""


@contextmanager
def bounded(seconds: float, patience: float) -> Iterator[None]:
    """Raise StuckError in what runs inside, after so much CPU time or so long on the clock.

    In the main thread alone, as signals are Python's there. Code that looks at no signal, such as a
    loop in C, goes on: `end_process_after` is for that.
    """

    def stop(number: int, _frame: FrameType | None) -> NoReturn:
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


def end_process_after(seconds: float) -> None:
    """Have the kernel end this process (SIGXCPU) once it has used so much more CPU time."""
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    limit = int(time.process_time() + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, most))
