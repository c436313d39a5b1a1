"""Runs that wait for their turn: in order, not too many at once, and never forever."""

import threading
from collections.abc import Callable
from contextlib import contextmanager, suppress

import pytest
from streamlit.runtime.scriptrunner import RerunException
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

from viz.run.run_queue import Line

PATIENCE_S = 30


class Visitor:
    """A thread that takes its turn and keeps it until it is told to leave."""

    def __init__(self, line: Line, seen: list[str], name: str) -> None:
        self.may_leave = threading.Event()
        self.has_turn = threading.Event()
        self.left = threading.Event()
        self.is_gone = False
        self.was_served: bool | None = None
        self._line, self._seen, self._name = line, seen, name
        self.thread = threading.Thread(target=self._visit)
        self.thread.start()

    def _visit(self) -> None:
        with self._line.turn(lambda: self.is_gone) as served:
            self.was_served = served
            if served:
                self._seen.append(self._name)
                self.has_turn.set()
                assert self.may_leave.wait(PATIENCE_S)
        self.left.set()


@contextmanager
def visitors(line: Line):
    """Yield the list of turns and a function that sends a visitor; dismiss all at the end."""
    seen, come = [], []

    def come_in(name: str) -> Visitor:
        come.append(Visitor(line, seen, name))
        until(lambda: come[-1].has_turn.is_set() or len(line._waiting) > 0)
        return come[-1]

    try:
        yield seen, come_in
    finally:
        for visitor in come:
            visitor.is_gone = True
            visitor.may_leave.set()
        for visitor in come:
            visitor.thread.join(PATIENCE_S)
            assert not visitor.thread.is_alive()


def until(holds: Callable[[], bool]) -> None:
    ticks = threading.Event()
    for _ in range(PATIENCE_S * 100):
        if holds():
            return
        ticks.wait(0.01)
    pytest.fail("it never came to that")


def waiting(line: Line, count: int) -> None:
    until(lambda: len(line._waiting) == count)


def test_who_comes_first_is_served_first_and_only_so_many_at_once():
    line = Line(places=2)
    with visitors(line) as (seen, come_in):
        people = []
        for number, name in enumerate("abcdef"):
            people.append(come_in(name))
            waiting(line, max(0, number - 1))
        assert sorted(seen) == ["a", "b"]
        for number, name in enumerate("cdef"):
            people[number].may_leave.set()
            assert people[number + 2].has_turn.wait(PATIENCE_S)
            assert seen[-1] == name
            waiting(line, 3 - number)
            assert len(seen) == number + 3


def test_a_run_that_fails_leaves_its_place():
    line = Line(places=1)
    for error in (ValueError, KeyboardInterrupt, RerunException):
        raised = error(RerunData()) if error is RerunException else error()
        with pytest.raises(error), line.turn():
            raise raised
    with visitors(line) as (seen, come_in):
        come_in("next")
        assert seen == ["next"]


def test_a_run_that_begins_anew_keeps_its_place():
    line = Line(places=1)
    begun, may_begin_anew = threading.Event(), threading.Event()
    with visitors(line) as (seen, come_in):

        def run_twice() -> None:
            with suppress(RerunException), line.turn():
                begun.set()
                assert may_begin_anew.wait(PATIENCE_S)
                raise RerunException(RerunData())
            with line.turn():
                seen.append("anew")

        first = threading.Thread(target=run_twice)
        first.start()
        assert begun.wait(PATIENCE_S)
        second = come_in("second")
        waiting(line, 1)
        third = come_in("third")
        waiting(line, 2)
        may_begin_anew.set()
        until(lambda: "anew" in seen or ("second" in seen and len(line._waiting) == 2))
        second.may_leave.set()
        assert third.has_turn.wait(PATIENCE_S)
        assert seen.index("anew") < seen.index("third")
        first.join(PATIENCE_S)


def test_who_has_gone_leaves_the_line_and_holds_nobody_up():
    line = Line(places=1)
    with visitors(line) as (seen, come_in):
        first = come_in("first")
        gone = come_in("gone")
        waiting(line, 1)
        last = come_in("last")
        waiting(line, 2)
        gone.is_gone = True
        assert gone.left.wait(PATIENCE_S)
        assert gone.was_served is False
        waiting(line, 1)
        first.may_leave.set()
        assert last.has_turn.wait(PATIENCE_S)
        assert seen == ["first", "last"]


def test_no_run_stops_the_line_for_good():
    line = Line(places=1, patience=0.0)
    with visitors(line) as (seen, come_in):
        come_in("hangs")
        come_in("next")
        until(lambda: seen == ["hangs", "next"])


def test_a_turn_within_a_turn_is_the_same():
    line = Line(places=1)
    with line.turn() as outer, line.turn() as inner:
        assert outer
        assert inner
        with visitors(line) as (seen, come_in):
            come_in("waits")
            waiting(line, 1)
            assert seen == []
