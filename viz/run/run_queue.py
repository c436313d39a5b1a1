"""A queue in which runs of the script wait for their turn: first come, first served.

All threads of a process share one interpreter, so forty runs at once would all end when the last
one does. One after the other, half of them end in half the time, and the last one no later.
"""

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps

import streamlit as st
from streamlit.runtime.scriptrunner import RerunException

from viz.work.visit import is_gone, until_gone

PLACES = 2
"""Runs at a time. With one place, a session that loads a model would block all the others."""
PATIENCE = 10.0
"""Seconds after which a run loses its place, so that no run can block the queue for good."""

_LOOK_EVERY = 0.25
"""Seconds between two checks whether a waiting session is still there."""


class Line:
    """A queue, first come, first served. A thread that has its turn may take it again."""

    def __init__(self, places: int = PLACES, patience: float = PATIENCE) -> None:
        self._places = places
        self._patience = patience
        self._numbers = itertools.count()
        self._moved = threading.Condition()
        self._waiting: set[int] = set()
        self._begun: dict[int, float] = {}
        self._mine = threading.local()

    @contextmanager
    def turn(self, is_gone: Callable[[], bool] = lambda: False) -> Iterator[bool]:
        """Wait for a turn and yield True, or yield False without one if the session leaves.

        A run that restarts before its end keeps its place, as it still answers the same request.
        """
        if getattr(self._mine, "has_turn", False):
            yield True
            return
        number = getattr(self._mine, "number", None)
        number = next(self._numbers) if number is None else number
        self._mine.number = None
        if not self._wait(number, is_gone):
            yield False
            return
        self._mine.has_turn = True
        try:
            yield True
        except RerunException:
            self._mine.number = number
            raise
        finally:
            self._mine.has_turn = False
            with self._moved:
                del self._begun[number]
                self._moved.notify_all()

    def _wait(self, number: int, is_gone: Callable[[], bool]) -> bool:
        with self._moved:
            self._waiting.add(number)
            try:
                while not self._is_next(number):
                    if is_gone():
                        return False
                    self._moved.wait(_LOOK_EVERY)
                self._begun[number] = time.monotonic()
                return True
            finally:
                self._waiting.remove(number)
                self._moved.notify_all()

    def _is_next(self, number: int) -> bool:
        latest = time.monotonic() - self._patience
        busy = sum(begun > latest for begun in self._begun.values())
        return number == min(self._waiting) and busy < self._places


_line = Line()


def in_turn(run: Callable[[], None]) -> Callable[[], None]:
    """Let a function run when its session has its turn, and not at all if the session has left.

    It is meant for whole pages. Fragments do not wait: they take a quarter of the time, and the
    reader is looking at them.
    """
    run = until_gone(run)

    @wraps(run)
    def wait_and_run() -> None:
        with _line.turn(is_gone) as mine:
            if not mine:
                st.stop()
            run()

    return wait_and_run
