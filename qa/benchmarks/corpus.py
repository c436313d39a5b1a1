"""Speed of making an atlas: `python -m qa.benchmarks.corpus`."""

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Iterator
from contextlib import redirect_stderr
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import torch

from qa.benchmarks.rows import Row, show
from sample_data.tasks import held_out_pairs
from viz.corpus.__main__ import main as make_atlas

NAME = "everyday-paper-0"
DRAWN = 200
"""Sentences that are drawn to see how long one takes."""


class Making(NamedTuple):
    """Seconds that an atlas took to make."""

    wall: float
    driver: float
    """Of the processor, in the process that draws the sentences."""
    workers: float
    """Of the processor, in all others together."""


def making(count: int, workers: int) -> Making:
    """Make an atlas from this process, in shards that are shared out evenly."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start, driver = time.perf_counter(), time.process_time()
    with (
        tempfile.TemporaryDirectory() as folder,
        Path(os.devnull).open("w") as quiet,
        redirect_stderr(quiet),
    ):
        options = ["--sentences", str(count), "--workers", str(workers), "--out", folder]
        assert not make_atlas([NAME, *options, "--shard", str(-(-count // 10))]), "a shard failed"
    wall, driver = time.perf_counter() - start, time.process_time() - driver
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    others = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Making(wall, driver, others)


def rows(count: int) -> Iterator[Row]:
    """Make an atlas with one worker and with two."""
    one, two = making(count, 1), making(count, 2)
    each = [1e3 * (made.driver + made.workers) / count for made in (one, two)]
    what = f"an atlas of {count:,} sentences"
    yield Row(f"{what}, processor time a sentence, 2 workers", each[1], "ms", each[0], "1 worker")
    yield Row(
        f"{what}, 2 workers: speed where each has a processor to itself",
        count / max(two.driver, two.workers / 2),
        "sentences/s",
        count / one.driver,
        "1 worker, by the processor time of the busiest process",
        aim=1.8,
        at_least=True,
    )
    what = f"{what}, 2 workers: speed on this machine as it was"
    yield Row(what, count / two.wall, "sentences/s", count / one.wall, "1 worker, wall time")
    start = time.process_time()
    drawn = len(list(islice(held_out_pairs("everyday"), DRAWN)))
    drawing = 1e3 * (time.process_time() - start) / drawn
    yield Row("drawing a held-out everyday sentence", drawing, "ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=10_000)
    count = parser.parse_args().sentences
    torch.set_num_threads(1)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    show(rows(count))


if __name__ == "__main__":
    main()
