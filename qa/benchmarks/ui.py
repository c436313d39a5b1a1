"""What the pages cost in a real browser, with BertViz beside: `python -m qa.benchmarks.ui`.

Chromium or Chrome on the path drives the app as a person would. A click is compared with a step of
a slider on an empty page of the same Streamlit, the two taking turns in one run.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlencode

import torch
from bertviz import head_view
from playwright.sync_api import BrowserContext, Page

from model.checkpoint import load_checkpoint
from qa.benchmarks.browser import (
    ROOT,
    WORDS,
    Served,
    chromium,
    make_random,
    open_page,
    processor_seconds,
    serve,
)
from qa.benchmarks.hand import measure_touch
from qa.benchmarks.rows import Row, show
from qa.benchmarks.scrub import SIZES, measure_scrub
from viz.run.record import KINDS, all_heads, axis_tokens, make_run

EMPTY_PAGE = """import streamlit as st
st.write("value", st.slider("a number", 0, 100, 50))
"""
TIME_FRAMES = """
const request = window.requestAnimationFrame.bind(window);
window.frames = [];
window.requestAnimationFrame = (draw) => request((now) => {
  const start = performance.now();
  draw(now);
  window.frames.push(performance.now() - start);
});
"""
WATCH = """(watched) => {
  const before = document.querySelector(watched).textContent;
  let start;
  addEventListener("keydown", () => (start = performance.now()), {once: true, capture: true});
  window.painted = new Promise((done) => {
    const observer = new MutationObserver(() => {
      if (document.querySelector(watched).textContent === before) return;
      observer.disconnect();
      requestAnimationFrame(() => done(performance.now() - start));
    });
    const all = {subtree: true, childList: true, characterData: true};
    observer.observe(document.querySelector(".stApp"), all);
  });
}"""
"""Promise the milliseconds from the next key until the text that follows from it is painted."""


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--loads", type=int, default=7)
    parser.add_argument("--clicks", type=int, default=40)
    args = parser.parse_args()
    show(rows(args.loads, args.clicks))
    with (
        tempfile.TemporaryDirectory() as folder,
        chromium() as browser,
        serve(Path(folder), ROOT / "app.py") as shipped,
    ):
        measure_start(browser, shipped)
        measure_touch(browser, shipped, args.clicks)


def rows(loads: int, clicks: int) -> Iterator[Row]:
    """Drive the shipped models and large random ones."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        make_random(folder, "random-6x8", layers=6, heads=8, d_model=128)
        for layers, heads, d_model, _ in SIZES:
            name = f"random-{layers}x{heads}"
            make_random(folder, name, layers=layers, heads=heads, d_model=d_model)
        empty = folder / "empty.py"
        empty.write_text(EMPTY_PAGE)
        browser = stack.enter_context(chromium())
        yield from measure_server(browser, folder)
        floor = stack.enter_context(serve(folder, empty))
        shipped = stack.enter_context(serve(folder, ROOT / "app.py"))
        random = stack.enter_context(serve(folder, ROOT / "app.py", LOUPE_CHECKPOINTS=folder))
        yield from measure_first(browser, floor, shipped, loads)
        yield from measure_cell(browser, floor, shipped, clicks)
        yield from measure_hover(browser, shipped)
        yield from measure_medium(browser, random, folder)
        yield from measure_long(browser, random, loads)
        yield from measure_scrub(browser, random)


def measure_server(browser: BrowserContext, folder: Path) -> Iterator[Row]:
    """Start a server, and open its first page as soon as it answers."""
    with open_page(browser, "about:blank") as (page, _):
        start = time.perf_counter()
        with serve(folder, ROOT / "app.py") as address:
            page.goto(f"{address}/attention")
            wait_for_picture(page, settled=False)
            seconds = time.perf_counter() - start
            spent = processor_seconds(address.process)
    yield Row("start of the server to the first picture", seconds, "s")
    yield Row("processor time of the server for that", spent, "s")


def measure_first(browser: BrowserContext, floor: str, app: str, loads: int) -> Iterator[Row]:
    """Compare the first picture of the default example with the first sight of an empty page."""
    times: dict[str, list[float]] = {"empty": [], "app": []}
    for _ in range(loads + 1):
        with open_page(browser, floor) as (page, _):
            page.wait_for_selector("[data-testid=stSlider]")
            times["empty"].append(page.evaluate("performance.now()") / 1000)
        with open_page(browser, f"{app}/attention") as (page, _):
            times["app"].append(wait_for_picture(page))
    empty, ours = (statistics.median(some[1:]) for some in times.values())
    yield Row("first picture, run in the cache", ours, "s", empty, "an empty page of Streamlit")


def measure_start(browser: BrowserContext, app: str) -> None:
    """Time the first sight of Start, and the script of each frame in which its stages move."""
    with open_page(browser, app) as (page, _):
        page.wait_for_selector(".loupe-start-word")
        seconds = page.evaluate("performance.now()") / 1000
        print(f"the question of Start, s            {seconds:8.2f}")
    text = "the big dog and the small cat saw that the old man with the red hat did not "
    text += "see the black bird because it was too small and he was very tired today ."
    frames: list[float] = []
    for scene in ("query", "scores", "softmax", "mix", "answer"):
        page = browser.new_page()
        page.add_init_script(TIME_FRAMES)
        page.goto(f"{app}/?{urlencode({'scene': scene, 'source': text})}")
        page.wait_for_selector(".loupe-start-word")
        page.wait_for_timeout(6000)
        frames += page.evaluate("frames")
        page.close()
    print(f"script of a frame there, ms         {statistics.median(frames):8.2f}")
    print(f"  at most                           {max(frames):8.2f}")


def measure_cell(browser: BrowserContext, floor: str, app: str, clicks: int) -> Iterator[Row]:
    """Compare committing a cell with a step of a slider on an empty page."""
    attention = f"{app}/attention"
    with open_page(browser, floor) as (empty, _), open_page(browser, attention) as (page, received):
        empty.wait_for_selector("[data-testid=stSlider] input", state="attached")
        wait_for_picture(page)
        page.evaluate("document.activeElement.blur()")
        times: dict[str, list[float]] = {"slider": [], "cell": []}
        for turn in range(clicks):
            key = "ArrowRight" if turn % 2 == 0 else "ArrowLeft"
            empty.focus("[data-testid=stSlider] input")
            times["slider"].append(answer(empty, key, "[data-testid=stMarkdown]"))
            received.clear()
            times["cell"].append(answer(page, key, ".st-key-card_cell"))
        ratio = statistics.median(
            c / s for c, s in zip(times["cell"][2:], times["slider"][2:], strict=True)
        )
        ours, theirs = (statistics.median(times[name]) for name in ("cell", "slider"))
        slider = "a step of a slider on an empty page"
        yield Row("committing a cell", ours, "ms", theirs, slider, ratio, 1.0)
        yield Row("bytes received for it", sum(received), "B")


def answer(page: Page, key: str, watched: str) -> float:
    """Press a key; give the milliseconds until the text that follows from it is painted."""
    page.bring_to_front()
    page.evaluate(WATCH, watched)
    page.keyboard.press(key)
    milliseconds = page.evaluate("painted")
    page.wait_for_timeout(250)
    return milliseconds


def measure_hover(browser: BrowserContext, app: str) -> Iterator[Row]:
    """Count what moving the pointer over the large map sends and receives."""
    with open_page(browser, f"{app}/attention") as (page, received):
        wait_for_picture(page)
        box = page.locator(".loupe-head .loupe-over").first.bounding_box()
        assert box
        page.wait_for_timeout(500)
        received.clear()
        for step in range(40):
            page.mouse.move(box["x"] + 100 + 4 * step, box["y"] + 120 + 3 * step)
        page.wait_for_timeout(500)
        yield Row("messages for 40 moves of the pointer", len(received), "", aim=0)


def measure_medium(browser: BrowserContext, app: str, folder: Path) -> Iterator[Row]:
    """Weigh 6 x 8 heads at 64 tokens, all three kinds, beside BertViz' own page."""
    text = " ".join((WORDS * 2)[:63])
    link = {"checkpoint": "random-6x8", "source": text, "target": text}
    with open_page(browser, f"{app}/attention?{urlencode(link)}") as (page, received):
        wait_for_picture(page)
        run, whole = max(received), sum(received)
        received.clear()
        change_head(page)
        head = sum(received)
    values = 64 * 64
    theirs, of = bertviz_bytes(folder, text) / 1e6, "BertViz' head view"
    yield Row("6 x 8 heads x 64 tokens", run / 1e6, "MB", theirs, of, aim=0.1)
    yield Row("the same with the page", whole / 1e6, "MB", theirs, of, aim=0.1)
    yield Row("a change of head, bytes a weight", head / values, "B")


def measure_long(browser: BrowserContext, app: Served, loads: int) -> Iterator[Row]:
    """Time and weigh 12 x 12 heads at 512 tokens."""
    links = [long_link(app, first) for first in range(loads + 1)]
    before, spent = processor_seconds(app.process), 0.0
    cold, cached = list[float](), list[float]()
    whole = head = changed = 0.0
    for link in links:
        with open_page(browser, link) as (page, _):
            cold.append(wait_for_picture(page))
            spent = spent or processor_seconds(app.process) - before
    for link in links:
        with open_page(browser, link) as (page, received):
            cached.append(wait_for_picture(page))
            whole = sum(received)
            received.clear()
            changed = change_head(page)
            head = sum(received)
    first, *others = cold
    what = "12 x 12 heads x 512 tokens"
    yield Row(f"{what}, first visit: loaded, run and first drawn", first, "s", aim=2)
    yield Row(f"{what}, processor time of the server for that and all measures", spent, "s")
    yield Row(f"{what}, another text: run and first drawn", statistics.median(others), "s", aim=2)
    yield Row(f"{what}, run in the cache", statistics.median(cached), "s")
    yield Row(f"{what}, the whole page", whole / 1e6, "MB")
    yield Row("a change of head there", changed, "s")
    yield Row("a change of head there, bytes a weight", head / 512**2, "B")


def long_link(app: str, first: int) -> str:
    """Link to a text of 512 tokens that begins with one of the words, given as its own target."""
    text = " ".join((WORDS * 14)[first : first + 510])
    query = {"checkpoint": "random-12x12", "source": text, "target": text}
    return f"{app}/attention?{urlencode(query)}"


def change_head(page: Page) -> float:
    """Open the next head by the keyboard; give the seconds until its arithmetic is there."""
    page.evaluate("document.activeElement.blur()")
    before = page.locator(".st-key-card_cell").inner_text()
    start = time.perf_counter()
    page.keyboard.press(".")
    page.wait_for_function(
        "before => document.querySelector('.st-key-card_cell').innerText !== before", arg=before
    )
    seconds = time.perf_counter() - start
    page.wait_for_timeout(1000)  # its whole map and its stages are on the way
    return seconds


def wait_for_picture(page: Page, *, settled: bool = True) -> float:
    """Wait for the head, its neighbours and the cell; give the seconds since navigation."""
    page.wait_for_function(
        "document.querySelector('.loupe-thumb canvas')"
        " && document.querySelector('.loupe-head .loupe-canvas')?.clientHeight > 50",
        timeout=120_000,
    )
    seconds = page.evaluate("performance.now()") / 1000
    if not settled:
        return seconds
    page.wait_for_selector(".st-key-card_cell h2, .st-key-card_cell h3", timeout=120_000)
    page.wait_for_selector("[data-test-script-state=notRunning]")
    page.wait_for_timeout(1500)
    return seconds


def bertviz_bytes(folder: Path, text: str) -> int:
    """Weigh BertViz' head view of the same run, as its own function writes it."""
    run = make_run(load_checkpoint(folder / "random-6x8"), text, target=text)
    encoder, decoder, cross = (list(torch.from_numpy(all_heads(run, k))[:, None]) for k in KINDS)
    page = head_view(
        encoder_attention=encoder,
        decoder_attention=decoder,
        cross_attention=cross,
        encoder_tokens=list(axis_tokens(run, KINDS[0])[0]),
        decoder_tokens=list(axis_tokens(run, KINDS[1])[1]),
        html_action="return",
    )
    return len(page.data.encode())


if __name__ == "__main__":
    main()
