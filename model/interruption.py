"""Lets a caller stop a long computation, which asks now and then whether to continue.

    with interrupted_by(stop_if_nobody_waits):
        trace = model(source, target)  # calls it before each layer

A server should not compute for people who have left. All long work consists of passes through a
model, so each stack asks before each of its layers, and a recorded model before each pass. If no
caller wants to be asked, nothing happens.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ask: ContextVar[Callable[[], None] | None] = ContextVar("ask", default=None)


@contextmanager
def interrupted_by(ask: Callable[[], None]) -> Iterator[None]:
    """Call `ask` between the steps of the computation inside, in this thread.

    To end the computation, `ask` raises an exception, which passes through to the caller.
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
