"""Speed of making and asking an atlas: `python -m qa.benchmarks.corpus`."""

import argparse
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import torch

from qa.benchmarks.rows import Row, show
from sample_data.tasks import held_out_pairs
from viz.corpus.__main__ import main as make_atlas
from viz.corpus.atlas import Atlas
from viz.corpus.examples import examples
from viz.corpus.pairing import same_heads
from viz.corpus.reading import classes, words_read
from viz.corpus.roles import find_roles
from viz.corpus.tables import HeadName

NAME = "english-french-paper-0"
HELD_OUT = 200
"""Sentences that are drawn to see how long one takes."""


@dataclass(frozen=True)
class Making:
    """What an atlas took to make."""

    wall: float
    driver: float
    """Processor seconds of the process that draws the sentences."""
    workers: float
    """Of all others together."""


def making(count: int, workers: int, folder: Path) -> Making:
    """Make an atlas from this process, in shards that are shared out evenly."""
    shutil.rmtree(folder / NAME, ignore_errors=True)
    options = ["--sentences", str(count), "--workers", str(workers), "--out", str(folder)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start, driver = time.perf_counter(), time.process_time()
    with Path(os.devnull).open("w") as quiet, redirect_stderr(quiet):
        if make_atlas([NAME, *options, "--shard", str(-(-count // 10))]):
            raise RuntimeError("a shard failed")
    wall, driver = time.perf_counter() - start, time.process_time() - driver
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    others = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Making(wall, driver, others)


def rows(count: int) -> Iterator[Row]:
    """Make an atlas with one worker and with two."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        one, two = (making(count, workers, Path(folder)) for workers in (1, 2))
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
    drawn = len(list(islice(held_out_pairs("everyday"), HELD_OUT)))
    drawing = 1e3 * (time.process_time() - start) / drawn
    yield Row("drawing a held-out everyday sentence", drawing, "ms")


def asked(said: str, question: Callable[[], object]) -> None:
    """Print how long a question takes, the least of several tries."""
    taken: list[tuple[float, float]] = []
    for _ in range(3):
        wall, cpu = time.perf_counter(), time.process_time()
        question()
        taken.append((time.perf_counter() - wall, time.process_time() - cpu))
    wall, cpu = (min(column) * 1000 for column in zip(*taken, strict=True))
    print(f"  {said:44} {wall:8,.0f} ms, {cpu:8,.0f} ms of processor", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=10_000)
    count = parser.parse_args().sentences
    torch.set_num_threads(1)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    show(rows(count))
    with tempfile.TemporaryDirectory() as named:
        folder = Path(named)
        making(count, 2, folder)
        size = sum(path.stat().st_size for path in folder.rglob("*.parquet"))
        atlas = Atlas(folder / NAME)
        cells = atlas.count("select count(*) from cells")
        print(f"{size / 1e6:.1f} MB, {size / count:,.0f} bytes a sentence, {cells:,} cells")
        head = HeadName("cross-attention", 1, 3)
        asked("roles of all heads", lambda: find_roles(atlas))
        asked("examples of a head by quantile", lambda: examples(atlas, head))
        asked("parts of speech that a head reads", lambda: classes(atlas, head))
        asked("words that a head reads", lambda: words_read(atlas, head))
        asked("heads that read the same as a head", lambda: same_heads(atlas, head))


if __name__ == "__main__":
    main()
