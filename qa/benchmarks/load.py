"""The cost of a class for one server, and each student's wait: `python -m qa.benchmarks.load`.

Many sessions open one link at once; sessions act every five seconds (another cell, another head,
another sentence) on the Attention page; ten act while one more session trains, projects or cuts
heads. With `--runs`, one session of a server that may keep 120 MB goes through all pages and
checkpoints, each time with a new sentence. CPU seconds are the server's own and are valid on a busy
machine; waits are valid only on an idle one.
"""

import argparse
import asyncio
import itertools
import os
import random
import statistics
import tempfile
import time
from collections import defaultdict
from contextlib import AsyncExitStack
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from qa.audit.browser import STREAMLIT, Served, serve
from qa.benchmarks.rows import Row, show
from qa.benchmarks.visitor import Visitor
from sample_data.tasks import TASKS, load_held_out
from viz.frame.titles import checkpoint_titles
from viz.models import listing, opening, own_checkpoints
from viz.pages import PAGES
from viz.web.files import file_readers

CLASSES = (1, 10, 20, 40)
SESSIONS = 22
"""The number of sessions held open to measure the memory of each."""
EVERY = 5.0
"""The number of seconds between two actions of a session."""
ACTIONS = ("key", "query", "head", "key", "query", "sentence")
PAGE = "attention"
HEAVY = {
    "live training": ("training", {"more_training_live": "true"}, "live_start"),
}
"""The page, the link's query and the button of each heavy job."""
_EMPTY = """import streamlit as st
st.html("<p>one</p>")
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--runs", type=int, help="measure only this many runs of one session")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if args.runs:
            with serve(folder, environment={"LOUPE_MEMORY": "120"}) as app:
                asyncio.run(measure_kept(app, args.runs))
            return
        floor = folder / "empty.py"
        floor.write_text(_EMPTY, "utf-8")
        phase = args.minutes * 60 / (len(CLASSES) + len(HEAVY) + 1)
        with serve(folder) as app:
            asyncio.run(measure_sessions(app))
        with serve(folder) as app, serve(folder, (*STREAMLIT, str(floor))) as empty:
            measure_openings(
                {"empty page": (empty, ""), "first page": (app, ""), PAGE: (app, PAGE)}
            )
            measure_files(app)
            for sessions in CLASSES:
                asyncio.run(measure_actions(app, sessions, phase, f"{sessions} sessions"))
            asyncio.run(measure_heavy(app, phase))


async def measure_sessions(app: Served) -> None:
    """Print the server's memory for each further session of one page."""
    async with AsyncExitStack() as held:
        sizes = []
        for _ in range(SESSIONS):
            visitor = await held.enter_async_context(Visitor(app))
            await visitor.open()
            sizes.append(resident(app))
    each = (sizes[-1] - sizes[1]) / (SESSIONS - 2)
    rows = (
        Row("the server with two sessions", sizes[1], "MB"),
        Row(f"each further session, of {SESSIONS}", each, "MB", aim=5),
    )
    show(rows)


def measure_openings(pages: dict[str, tuple[Served, str]]) -> None:
    """Let classes of each size open each page at once, in turns; the first time is a warm-up."""
    for address, page in pages.values():
        for _ in range(2):
            asyncio.run(open_all(address, page, 1))
    print("opened at once       page  CPU s each   p50, s   p95, s   max, s")
    for sessions in CLASSES:
        for name, (address, page) in pages.items():
            before = processor_seconds(address)
            waits = asyncio.run(open_all(address, page, sessions))
            time.sleep(0.5)
            spent = (processor_seconds(address) - before) / sessions
            print(f"{sessions:14} {name:>10} {spent:11.3f} {quantiles(waits)}", flush=True)


async def open_all(address: Served, page: str, sessions: int) -> list[float]:
    """Open sessions at once, and keep them until the last has its page; return the waits."""
    together = asyncio.Barrier(sessions)

    async def one() -> float:
        async with Visitor(address, page) as visitor:
            await together.wait()
            waited = await visitor.open()
            await together.wait()
            return waited

    return await asyncio.gather(*(one() for _ in range(sessions)))


def measure_files(address: Served, visits: int = 5) -> None:
    """Fetch all small files of the server, as a browser with an empty cache does."""
    paths = [path for path in file_readers() if "/loupe/" in path]
    spent = waited = 0.0
    for _ in range(2):  # the server compresses them the first time
        before, begun = processor_seconds(address), time.perf_counter()
        for _ in range(visits):
            connection = HTTPConnection(urlsplit(address).netloc)
            for path in paths:
                connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
                answer = connection.getresponse()
                answer.read()
                assert answer.status == 200
            connection.close()
        asked = visits * len(paths)
        spent = 1000 * (processor_seconds(address) - before) / asked
        waited = 1000 * (time.perf_counter() - begun) / asked
    print(f"a file: {spent:.2f} ms of the processor, {waited:.1f} ms until it is here")


async def measure_actions(address: Served, sessions: int, seconds: float, what: str) -> None:
    """Let sessions act for a while, and print the time of each kind of action."""
    waits: defaultdict[str, list[float]] = defaultdict(list)
    async with AsyncExitStack() as stack:
        visitors = [
            await stack.enter_async_context(Visitor(address, PAGE)) for _ in range(sessions)
        ]
        for visitor in visitors:
            await visitor.open()
        before, ends = processor_seconds(address), time.monotonic() + seconds
        await asyncio.gather(
            *(act(one, waits, random.Random(f"{what} {i}"), ends) for i, one in enumerate(visitors))
        )
        spent = processor_seconds(address) - before
    actions = sum(map(len, waits.values()))
    each, held = spent / max(1, actions), resident(address)
    print(f"\n{what}: {actions} actions, {each:.3f} CPU s each, then {held:,.0f} MB")
    for name, of in waits.items():
        print(f"{name:>10} {len(of):4} {quantiles(of)}", flush=True)


async def act(
    visitor: Visitor, waits: dict[str, list[float]], drawn: random.Random, ends: float
) -> None:
    """Act as one session at irregular moments, until the time is over."""
    sentences = [pair.source for pair in load_held_out("everyday")]
    turn = drawn.randrange(len(ACTIONS))
    await asyncio.sleep(drawn.uniform(0, EVERY))
    while time.monotonic() < ends:
        action, turn = ACTIONS[turn % len(ACTIONS)], turn + 1
        if action == "sentence":
            waits[action].append(await visitor.write(drawn.choice(sentences)))
        else:
            waits[action].append(await visitor.choose(action))
        await asyncio.sleep(drawn.uniform(0.8, 1.2) * EVERY)


async def measure_heavy(address: Served, phase: float) -> None:
    """Let ten sessions act alone, and then while one more session makes the server work."""
    await measure_actions(address, 10, phase, "10 sessions, once more alone")
    for name, (page, query, button) in HEAVY.items():
        async with Visitor(address, page, **query) as visitor:
            await visitor.open()
            if button:
                await visitor.press(button)
            await measure_actions(address, 10, phase, f"10 sessions beside {name}")


async def measure_kept(address: Served, count: int) -> None:
    """Change page, checkpoint and sentence again and again, and sometimes print the memory."""
    tasks = {name: opening.read_info(name).task for name in own_checkpoints.checkpoint_names()}
    sources = {
        name: (pair.source for pair in load_held_out(task))
        for name, task in tasks.items()
        if task in TASKS
    }
    titles = checkpoint_titles(listing.listed_names())
    pages, names = itertools.cycle(PAGES), itertools.cycle(sources)
    async with Visitor(address) as visitor:
        await visitor.open()
        for number, name, page in zip(range(1, count + 1), names, pages, strict=False):
            title = titles[name]
            await visitor.write(next(sources[name]), checkpoint=title, page=page.URL)
            if number in (1, 10, count) or number % 100 == 0:
                print(f"after {number:5,} runs {resident(address):6,.0f} MB", flush=True)


def processor_seconds(server: Served) -> float:
    told = (Path("/proc") / str(server.process) / "stat").read_text("utf-8")
    stat = told.rpartition(")")[2].split()
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


def resident(server: Served) -> float:
    pages = int((Path("/proc") / str(server.process) / "statm").read_text("utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def quantiles(waits: list[float]) -> str:
    """Write the median, the 95th percentile and the maximum."""
    ordered = sorted(waits)
    p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return f"{statistics.median(ordered):8.2f} {p95:8.2f} {ordered[-1]:8.2f}"


if __name__ == "__main__":
    main()
