"""What a process holds after many different runs: `python -m qa.benchmarks.memory`.

Of a large model, 12 x 12 heads and 512 tokens on both sides, so that a run takes some 460 MB: what
is printed stays level once LOUPE_MEMORY is reached. With `--served`, of one session of a server
that may keep 120 MB: all pages and checkpoints in turn, each time with a new sentence.
"""

import argparse
import asyncio
import itertools
import os
import resource
import tempfile
import time
from pathlib import Path

from qa.audit.browser import Served, serve
from qa.benchmarks.browser import WORDS, make_random, resident
from qa.benchmarks.visitor import Visitor
from sample_data.tasks import TASKS, load_held_out
from viz.frame import heads
from viz.frame.titles import checkpoint_titles
from viz.pages import PAGES
from viz.run import session
from viz.run.result_cache import kept_bytes, most_bytes
from viz.run.view import Inputs

LAYERS, HEADS, D_MODEL, TOKENS = 12, 12, 192, 512
SERVED = 120
"""Megabytes that the server may keep."""
MB = 1_000_000


def text_of(number: int) -> str:
    """Write a text of its own for each number, as long as can be."""
    order = [(number * 7 + i * (number % 5 + 1)) % len(WORDS) for i in range(TOKENS - 1)]
    return " ".join(WORDS[i] for i in order)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="different runs")
    parser.add_argument("--served", action="store_true", help="one session of a server")
    options = parser.parse_args()
    if not options.served:
        measure_large(options.count)
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        serve(Path(folder), environment={"LOUPE_MEMORY": str(SERVED)}) as address,
    ):
        asyncio.run(measure_served(address, options.count))


async def measure_served(address: Served, count: int) -> None:
    """Go on to the next page, checkpoint and sentence, and print the memory from time to time."""
    tasks = {name: session.read_info(name).task for name in session.checkpoint_names()}
    sources = {
        name: (pair.source for pair in load_held_out(task))
        for name, task in tasks.items()
        if task in TASKS
    }
    titles = checkpoint_titles(session.listed_names())
    pages, names = itertools.cycle(PAGES), itertools.cycle(sources)
    async with Visitor(address) as visitor:
        await visitor.open()
        print(f"the first page {resident(address.process):6,.0f} MB", flush=True)
        for number, name, page in zip(range(1, count + 1), names, pages, strict=False):
            title = titles[name]
            await visitor.write(next(sources[name]), checkpoint=title, page=page.URL)
            if number == 10 or number % 100 == 0 or number == count:
                held = resident(address.process)
                print(f"after {number:5,} runs {held:6,.0f} MB", *visitor.errors, flush=True)


def measure_large(count: int) -> None:
    """Run, look at how every head does, and print the memory from time to time."""
    with tempfile.TemporaryDirectory() as folder:
        make_random(Path(folder), "large", layers=LAYERS, heads=HEADS, d_model=D_MODEL)
        os.environ["LOUPE_CHECKPOINTS"] = folder
        budget, own = most_bytes() / MB, os.getpid()
        print(f"budget {budget:,.0f} MB; before the first run {resident(own):,.0f} MB")
        start = time.monotonic()
        for number in range(1, count + 1):
            inputs = Inputs("large", text_of(number), text_of(number + 1), "cpu")
            heads.measures(session.open_view(inputs))
            if number in (1, 2, 3, 5) or number % 10 == 0 or number == count:
                kept, each = kept_bytes() / MB, (time.monotonic() - start) / number
                print(f"after {number:4} runs {resident(own):6,.0f} MB, kept of it {kept:6,.0f} MB")
                print(f"  {each:.1f} s each", flush=True)
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB
    print(f"at most {largest:,.0f} MB at any time")


if __name__ == "__main__":
    main()
