"""Makes the shards of an atlas: one after the other, or in processes that each load the model."""

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import torch

from model.linear import keep_few_plans
from viz.corpus.inputs import Portion
from viz.corpus.measure import Measurer
from viz.corpus.shards import Outcome, find_done, outcome_of, write_shard
from viz.corpus.store import Store
from viz.corpus.tables import Origin

_TRIES = 2
"""Attempts for a shard whose process was killed."""


@dataclass(frozen=True)
class Order:
    """The work of one command: the model, the folder and the provenance of the atlas."""

    checkpoint: Path
    folder: Store
    """The folder of this atlas alone."""
    origin: Origin
    device: str = "cpu"
    facts: bool = True
    """Whether the measurements of each sentence are kept, too."""


Engine = Callable[[Order, Iterable[Portion]], Iterator[Outcome]]
"""Makes shards and yields the outcome of each when it is finished, in any order."""


class Maker:
    """Makes the shards of an order, with the model loaded once and one thread of torch."""

    def __init__(self, order: Order) -> None:
        torch.set_num_threads(1)
        keep_few_plans()
        self.order = order
        from model.foreign.opening import open_model

        opened = open_model(order.checkpoint, order.device)
        self._measure = Measurer(opened, order.origin.decimals, cuts=order.origin.cuts)

    def __call__(self, portion: Portion) -> Outcome:
        """Make a shard, unless it exists; an error becomes its outcome and stops no other shard."""
        folder, origin = self.order.folder, self.order.origin
        try:
            if done := find_done(folder, portion, origin):
                return done
            pairs = portion.read()
            if not pairs:
                return outcome_of(portion)
            tables = self._measure(pairs, portion.first)
            write_shard(folder, portion, tables, origin, facts=self.order.facts)
            made = outcome_of(portion, len(tables["sentences"]))
            return made._replace(left_out=len(pairs) - made.sentences)
        except Exception as error:  # any failure is reported with its shard
            return outcome_of(portion, failed=f"{type(error).__name__}: {error}")


def in_a_loop(order: Order, portions: Iterable[Portion]) -> Iterator[Outcome]:
    """Make one shard after the other in this process."""
    maker: Maker | None = None
    for portion in portions:
        maker = maker or Maker(order)
        yield maker(portion)


def in_processes(workers: int) -> Engine:
    """Make shards in several processes, each of which loads the checkpoint.

    If a process is killed, its shard is tried once more by new processes.
    """

    def engine(order: Order, portions: Iterable[Portion]) -> Iterator[Outcome]:
        waiting, tries = iter(portions), dict[int, int]()
        again: list[Portion] = []
        while True:
            left = yield from _with_a_pool(order, workers, _after(again, waiting))
            again = []
            for portion in left:
                tries[portion.number] = tries.get(portion.number, 0) + 1
                if tries[portion.number] < _TRIES:
                    again.append(portion)
                else:
                    yield outcome_of(portion, failed="its process was killed twice")
            if not left:
                return

    return engine


def _after(first: Sequence[Portion], others: Iterator[Portion]) -> Iterator[Portion]:
    yield from first
    yield from others


def _with_a_pool(  # type: ignore[misc]
    order: Order, workers: int, portions: Iterator[Portion]
) -> Iterator[Outcome]:
    """Make shards until none is left or a process dies; return the portions that it lost."""
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, spawn, initializer=_begin, initargs=(order,))
    running: dict[Future[Outcome], Portion] = {}
    lost: list[Portion] = []
    try:
        while True:
            while len(running) < 2 * workers and not lost:
                portion = next(portions, None)
                if portion is None:
                    break
                with _deaf_to_interrupts():
                    running[pool.submit(_make, portion)] = portion
            if not running:
                return lost
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                portion = running.pop(future)
                try:
                    yield future.result()
                except BrokenProcessPool:
                    lost.append(portion)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Start processes that ignore interrupts: a terminal sends one to all, this process ends them.

    A blocked signal stays blocked in a process started meanwhile, from its first instruction on.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_maker: Maker | None = None


def _begin(order: Order) -> None:
    """Prepare a process, which ends when its parent is gone, for whatever reason."""
    global _maker
    parent = multiprocessing.parent_process()
    if parent:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _maker = Maker(order)


def _end_with(parent: object) -> None:
    parent.join()  # type: ignore[attr-defined]
    os._exit(1)


def _make(portion: Portion) -> Outcome:
    assert _maker is not None
    return _maker(portion)
