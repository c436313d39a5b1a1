"""How contenders are compared: they take turns, so that a machine that slows down slows all."""

import random
import statistics
import time
from collections.abc import Callable, Mapping

Contenders = Mapping[str, Callable[[], object]]


def take_turns(
    contenders: Contenders,
    *,
    seconds: float,
    least: int = 5,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, list[float]]:
    """Return the seconds of each turn, after one turn of each to warm up.

    Processor time by default, which what else the machine does changes least: for one thread. In
    each turn another order, since each finds the processor's caches as the one before left them.
    """
    order, draw = list(contenders.items()), random.Random(0)
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for run in contenders.values():
        run()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(next(iter(times.values()))) < least:
        draw.shuffle(order)
        for name, run in order:
            start = clock()
            run()
            times[name].append(clock() - start)
    return times


def ratio(ours: list[float], theirs: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
