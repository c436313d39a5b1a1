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

from model.foreign.opening import open_model
from model.linear import keep_few_plans
from sample_data.pairs import Pair
from viz.corpus.measure import Measurer
from viz.corpus.shards import done_shards, write_shard
from viz.corpus.tables import Origin

_TRIES = 2
"""Of a shard whose process was killed."""

Shard = tuple[int, Sequence[Pair]]


@dataclass(frozen=True)
class Order:
    """What is to be made, and where."""

    checkpoint: Path
    folder: Path
    """Of this atlas alone."""
    origin: Origin
    device: str = "cpu"


@dataclass(frozen=True)
class Outcome:
    """What became of a shard."""

    shard: int
    sentences: int
    failed: str = ""
    """Why it could not be made."""


Engine = Callable[[Order, Iterable[Shard]], Iterator[Outcome]]
"""Makes shards and tells of each as it is done, in any order."""


class Maker:
    """Makes shards of one order, with the model loaded once and one thread of torch."""

    def __init__(self, order: Order) -> None:
        torch.set_num_threads(1)
        keep_few_plans()
        self.order = order
        opened = open_model(order.checkpoint, order.device)
        self._measure = Measurer(opened, order.origin.decimals, cuts=order.origin.cuts)

    def __call__(self, shard: Shard) -> Outcome:
        """Make a shard; what goes wrong with it is told, and no other suffers."""
        number, pairs = shard
        try:
            tables = self._measure(pairs, number * self.order.origin.shard)
            write_shard(self.order.folder, number, tables, self.order.origin)
        except Exception as error:  # a shard that fails is named, whatever it was
            return Outcome(number, len(pairs), f"{type(error).__name__}: {error}")
        return Outcome(number, len(pairs))


def missing(order: Order, shards: Iterable[Shard]) -> Iterator[Shard]:
    """Leave out the shards that are done."""
    done = done_shards(order.folder)
    for number, pairs in shards:
        if done.get(number) != len(pairs):
            yield number, pairs


def in_a_loop(order: Order, shards: Iterable[Shard]) -> Iterator[Outcome]:
    """Make one shard after the other, in this process."""
    maker: Maker | None = None
    for shard in shards:
        maker = maker or Maker(order)
        yield maker(shard)


def in_processes(workers: int) -> Engine:
    """Make shards in so many processes, each of which loads the checkpoint.

    A process that is killed takes its shard along: that is tried once more, by new processes.
    """

    def engine(order: Order, shards: Iterable[Shard]) -> Iterator[Outcome]:
        waiting, tries = iter(shards), dict[int, int]()
        again: list[Shard] = []
        while True:
            left = yield from _with_a_pool(order, workers, _after(again, waiting))
            again = []
            for number, pairs in left:
                tries[number] = tries.get(number, 0) + 1
                if tries[number] < _TRIES:
                    again.append((number, pairs))
                else:
                    yield Outcome(number, len(pairs), failed="its process was killed, twice")
            if not left:
                return

    return engine


def _after(first: Sequence[Shard], others: Iterator[Shard]) -> Iterator[Shard]:
    yield from first
    yield from others


def _with_a_pool(order: Order, workers: int, shards: Iterator[Shard]) -> Iterator[Outcome]:  # type: ignore[misc]
    """Make shards until none is left or a process died; give back those that it took along."""
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, spawn, initializer=_begin, initargs=(order,))
    running: dict[Future[Outcome], Shard] = {}
    lost: list[Shard] = []
    try:
        while True:
            while len(running) < 2 * workers and not lost:
                shard = next(shards, None)
                if shard is None:
                    break
                with _deaf_to_interrupts():
                    running[pool.submit(_make, shard)] = shard
            if not running:
                return lost
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                shard = running.pop(future)
                try:
                    yield future.result()
                except BrokenProcessPool:
                    lost.append(shard)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Start processes that no interrupt reaches: a terminal sends it to all, one is to end them.

    A blocked signal stays blocked in what is started meanwhile, from its first instruction on.
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
    """Set a process up; it ends when the one that started it is gone, however that went."""
    global _maker
    parent = multiprocessing.parent_process()
    if parent:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _maker = Maker(order)


def _end_with(parent: object) -> None:
    parent.join()  # type: ignore[attr-defined]
    os._exit(1)


def _make(shard: Shard) -> Outcome:
    assert _maker is not None
    return _maker(shard)
