"""What a class costs one server, and how long each waits: `python -m qa.benchmarks.load`.

Sessions act every five seconds (another cell, another head, another sentence) on the page of the
attention; then ten act while one more session trains, projects or cuts heads; then many open one
link at the same moment, and fetch what an empty browser fetches. Processor seconds are the
server's own, and hold on a busy machine; seconds that people waited hold on an idle one.
"""

import argparse
import asyncio
import random
import statistics
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from qa.audit.browser import Served, serve
from qa.benchmarks.browser import processor_seconds, resident
from qa.benchmarks.rows import Row, show
from qa.benchmarks.visitor import Visitor
from sample_data.tasks import load_held_out
from viz.web.files import file_readers

CLASSES = (1, 10, 20, 40)
SESSIONS = 22
"""That are held open to see what each takes of the memory."""
EVERY = 5.0
"""Seconds between two actions of a session."""
ACTIONS = ("key", "query", "head", "key", "query", "sentence")
PAGE = "attention"
_NOT_RECORDED = "english-french-tied"
"""A checkpoint whose heads were not cut before it was shipped."""
HEAVY = {
    "t-SNE": ("embeddings", {"embeddings_method": "t-SNE"}, None),
    "live training": ("training", {"more_training_live": "true"}, "live_start"),
    "all heads cut": (
        "mattered",
        {"checkpoint": _NOT_RECORDED, "more_mattered_many": "true"},
        "mattered_many_start",
    ),
}
"""Page, query of the link and button of each heavy job."""
_EMPTY = """import streamlit as st
st.html("<p>one</p>")
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--minutes", type=float, default=5.0)
    args = parser.parse_args()
    show(rows(SESSIONS))
    phase = args.minutes * 60 / (len(CLASSES) + len(HEAVY) + 1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        floor = folder / "empty.py"
        floor.write_text(_EMPTY)
        with serve(folder) as app, serve(folder, floor) as empty:
            asyncio.run(warm_up(app, empty))
            measure_openings(
                {"empty page": (empty, ""), "first page": (app, ""), PAGE: (app, PAGE)}
            )
            measure_files(app)
            with watched_memory(app) as memory:
                for sessions in CLASSES:
                    asyncio.run(measure_actions(app, sessions, phase, f"{sessions} sessions"))
                asyncio.run(measure_heavy(app, phase))
            print("MB of memory, one a phase:", *memory[:: max(1, round(phase))])


def rows(sessions: int) -> Iterator[Row]:
    """Measure what each further session of one page takes of the server's memory."""
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder)) as address:
        first, last = asyncio.run(_hold(address, sessions))
        yield Row("the server with two sessions", first, "MB")
        each = (last - first) / (sessions - 2)
        yield Row(f"each further session, of {sessions}", each, "MB", aim=5)


async def _hold(address: Served, sessions: int) -> tuple[float, float]:
    async with AsyncExitStack() as held:
        first = 0.0
        for number in range(sessions):
            visitor = await held.enter_async_context(Visitor(address))
            await visitor.open()
            if number == 1:
                first = resident(address.process)
        return first, resident(address.process)


async def warm_up(app: str, empty: str) -> None:
    """Load the model, compute the run of the link and whatever the pages need."""
    for address, page in ((empty, ""), (app, ""), (app, PAGE), (app, PAGE)):
        async with Visitor(address, page) as visitor:
            await visitor.open()


def measure_openings(pages: dict[str, tuple[Served, str]]) -> None:
    """Open each page by each class at once, in turns."""
    print("opened at once       page  CPU s each   p50, s   p95, s   max, s")
    for sessions in CLASSES:
        for name, (address, page) in pages.items():
            before = processor_seconds(address.process)
            waits = asyncio.run(open_all(address, page, sessions))
            time.sleep(0.5)
            spent = (processor_seconds(address.process) - before) / sessions
            print(f"{sessions:14} {name:>10} {spent:11.3f} {quantiles(waits)}", flush=True)


async def open_all(address: Served, page: str, sessions: int) -> list[float]:
    """Open sessions at once, and let them stay until the last has its page; give the waits."""
    together = asyncio.Barrier(sessions)

    async def one() -> float:
        async with Visitor(address, page) as visitor:
            await together.wait()
            waited = await visitor.open()
            assert not visitor.errors, visitor.errors
            await together.wait()
            return waited

    return await asyncio.gather(*(one() for _ in range(sessions)))


def measure_files(address: Served, visits: int = 5) -> None:
    """Fetch all small files that the server has, as an empty browser does by and by."""
    paths = [path for path in file_readers() if "/loupe/" in path]
    host = urlsplit(address).netloc
    spent = waited = 0.0
    for _ in range(2):  # the first time they are packed
        before, begun = processor_seconds(address.process), time.perf_counter()
        for _ in range(visits):
            connection = HTTPConnection(host)
            for path in paths:
                connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
                answer = connection.getresponse()
                answer.read()
                assert answer.status == 200
            connection.close()
        asked = visits * len(paths)
        spent = (processor_seconds(address.process) - before) / asked
        waited = (time.perf_counter() - begun) / asked
    print(
        f"a file: {1000 * spent:.2f} ms of the processor, {1000 * waited:.1f} ms until it is here"
    )


async def measure_actions(address: Served, sessions: int, seconds: float, what: str) -> None:
    """Let sessions act for a while, and print what each kind of action took."""
    waits: defaultdict[str, list[float]] = defaultdict(list)
    errors: list[str] = []
    sentences = [pair.source for pair in load_held_out("everyday")]
    async with AsyncExitStack() as stack:
        visitors = [
            await stack.enter_async_context(Visitor(address, PAGE)) for _ in range(sessions)
        ]
        for visitor in visitors:
            await visitor.open()
        before = processor_seconds(address.process)
        ends = time.monotonic() + seconds
        drawn = random.Random(what)
        await asyncio.gather(
            *(act(one, waits, errors, sentences, drawn.getrandbits(32), ends) for one in visitors)
        )
        spent = processor_seconds(address.process) - before
        errors += (error for visitor in visitors for error in visitor.errors)
    actions = sum(map(len, waits.values()))
    each = spent / max(1, actions)
    print(f"\n{what}: {actions} actions, {len(errors)} errors, {each:.3f} CPU s each")
    for name, of in waits.items():
        print(f"{name:>10} {len(of):4} {quantiles(of)}", flush=True)
    for error in sorted(set(errors)):
        print("   ", error)


async def act(
    visitor: Visitor,
    waits: dict[str, list[float]],
    errors: list[str],
    sentences: list[str],
    seed: int,
    ends: float,
) -> None:
    """Act as one session, at moments of its own, until the clock says so."""
    drawn = random.Random(seed)
    turn = drawn.randrange(len(ACTIONS))
    await asyncio.sleep(drawn.uniform(0, EVERY))
    try:
        while time.monotonic() < ends:
            action, turn = ACTIONS[turn % len(ACTIONS)], turn + 1
            if action == "sentence":
                waits[action].append(await visitor.write(drawn.choice(sentences)))
            else:
                waits[action].append(await visitor.choose(action))
            await asyncio.sleep(drawn.uniform(0.8, 1.2) * EVERY)
    except Exception as error:  # what comes to one session is counted, and the others go on
        errors.append(f"{type(error).__name__}: {error}")


async def measure_heavy(address: Served, phase: float) -> None:
    """Let ten act alone, and then while one more session makes the server work."""
    await measure_actions(address, 10, phase, "10 sessions, once more alone")
    for name in HEAVY:
        async with at_work(address, name) as visitor:
            await measure_actions(address, 10, phase, f"10 sessions beside {name}")
        if visitor.errors:
            print("   ", *visitor.errors)


@asynccontextmanager
async def at_work(address: Served, name: str) -> AsyncIterator[Visitor]:
    """Start a heavy job from the page that has it, and stay there."""
    page, query, button = HEAVY[name]
    async with Visitor(address, page, **query) as visitor:
        await visitor.open()
        if button:
            await visitor.press(button)
        yield visitor


@contextmanager
def watched_memory(address: Served) -> Iterator[list[int]]:
    """Note each second how many MB the server holds."""
    noted: list[int] = []
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(1.0):
            noted.append(round(resident(address.process)))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield noted
    finally:
        ended.set()
        thread.join()


def quantiles(waits: list[float]) -> str:
    """Write the middle, the 95th of a hundred and the longest."""
    ordered = sorted(waits)
    p95 = ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))]
    return f"{statistics.median(ordered):8.2f} {p95:8.2f} {ordered[-1]:8.2f}"


if __name__ == "__main__":
    main()
