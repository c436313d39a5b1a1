"""Long computations ask, now and then, whether to continue.

    with interrupted_by(stop_if_nobody_waits):
        trace = model(source, target)  # calls it before each layer

A server computes for people, and people leave. A pass through a model is the unit of all long work
here, so each stack asks before each of its layers, and a recorded model before each pass. Without a
caller that wants to be asked, nothing happens.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ask: ContextVar[Callable[[], None] | None] = ContextVar("ask", default=None)


@contextmanager
def interrupted_by(ask: Callable[[], None]) -> Iterator[None]:
    """Let `ask` be called between the steps of what runs inside, in this thread.

    It ends the computation by raising an exception, which passes through to the caller.
    """
    token = _ask.set(ask)
    try:
        yield
    finally:
        _ask.reset(token)


def may_be_interrupted() -> None:
    """Ask whether to continue. Raises whatever the caller raises to end the computation."""
    if ask := _ask.get():
        ask()
