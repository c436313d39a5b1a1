"""The line in which runs of the script wait for their turn: who comes first is served first.

All threads of a process share one interpreter: forty runs at once would each end when the last of
them does. One after the other, half of them end in half the time, and the last no later.
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
"""Runs at a time. One alone would let whoever loads a model hold up all the others."""
PATIENCE = 10.0
"""Seconds after which a run no longer holds its place: no run can stop the line for good."""

_LOOK_EVERY = 0.25
"""Seconds between two looks at whether somebody is still there who waits."""


class Line:
    """First come, first served. A thread that has its turn may take it again."""

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
        """Wait for a turn and have it; False instead, without one, if it is gone meanwhile.

        A run that begins anew before its end keeps its place, as it is still the same question.
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
    """Let a function run when its session's turn has come, and not at all if that has left.

    For what draws a whole page. To draw a part of one again takes a quarter of the time, and
    somebody is looking at it: fragments do not wait.
    """
    run = until_gone(run)

    @wraps(run)
    def wait_and_run() -> None:
        with _line.turn(is_gone) as mine:
            if not mine:
                st.stop()
            run()

    return wait_and_run
