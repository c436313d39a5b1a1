"""What the first page and a click cost in a real browser: `python -m qa.benchmarks.ui`.

Chromium or Chrome on the path drives the app as a person would. A click is compared with a step of
a slider on an empty page of the same Streamlit, the two taking turns in one run.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlencode

import torch
from playwright.sync_api import BrowserContext, Page

from model.checkpoints.checkpoint import CheckpointInfo, save_checkpoint
from model.presets import preset
from model.text.tokenizer import Tokenizers
from model.transformer import Transformer
from qa.audit.browser import STREAMLIT, Served, launched, serve
from qa.benchmarks.load import processor_seconds
from qa.benchmarks.rows import Row, show

WORDS = [f"w{i}" for i in range(40)]
LARGE = "random-12x12"
SETTLED_MS = 1500
"""After which a new window of Chromium has loaded the pages of its own address bar."""
EMPTY_PAGE = """import streamlit as st
st.write("value", st.slider("a number", 0, 100, 50))
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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loads", type=int, default=7)
    parser.add_argument("--clicks", type=int, default=40)
    args = parser.parse_args()
    show(rows(args.loads, args.clicks))


def rows(loads: int, clicks: int) -> Iterator[Row]:
    """Drive a shipped model and a large random one."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        make_random(folder)
        empty = folder / "empty.py"
        empty.write_text(EMPTY_PAGE)
        browser = stack.enter_context(launched()).new_context(
            viewport={"width": 1600, "height": 1000},
            reduced_motion="reduce",
            bypass_csp=True,  # to wait for a function, Playwright makes code of text in the page
        )
        yield from measure_server(browser, folder)
        floor = stack.enter_context(serve(folder, (*STREAMLIT, str(empty))))
        shipped = stack.enter_context(serve(folder))
        random = stack.enter_context(serve(folder, environment={"LOUPE_CHECKPOINTS": str(folder)}))
        yield from measure_first(browser, floor, shipped, loads)
        yield from measure_cell(browser, floor, shipped, clicks)
        yield from measure_long(browser, random, loads)


def make_random(folder: Path) -> None:
    """Write a model of 12 x 12 heads that was not trained."""
    torch.manual_seed(0)
    tokenizers = Tokenizers.train(WORDS, WORDS, source_kind="word", target_kind="word", shared=True)
    size = tokenizers.source.vocab_size
    sizes = {"d_model": 192, "d_ff": 384, "n_heads": 12}
    layers = {"n_encoder_layers": 12, "n_decoder_layers": 12}
    vocabulary = {"source_vocab_size": size, "target_vocab_size": size}
    config = preset("paper", **sizes, **layers, **vocabulary)
    about = {"name": LARGE, "title": LARGE, "variant": "paper", "task": "random"}
    info = CheckpointInfo(**about, config=config, tokenizers=tokenizers)
    save_checkpoint(folder / LARGE, Transformer(config).eval(), info)


@contextmanager
def open_page(browser: BrowserContext, address: str) -> Iterator[tuple[Page, list[int]]]:
    """Open a page and collect the size of each message on its websocket."""
    page = browser.new_page()
    sizes: list[int] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda frame: sizes.append(len(frame))),
    )
    page.wait_for_timeout(SETTLED_MS)
    page.goto(address)
    yield page, sizes
    page.close()


def measure_server(browser: BrowserContext, folder: Path) -> Iterator[Row]:
    """Start a server, and open its first page as soon as it answers."""
    with open_page(browser, "about:blank") as (page, _):
        start = time.perf_counter()
        with serve(folder) as address:
            page.goto(f"{address}/attention")
            wait_for_picture(page, settled=False)
            seconds = time.perf_counter() - start
            spent = processor_seconds(address)
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


def measure_long(browser: BrowserContext, app: Served, loads: int) -> Iterator[Row]:
    """Time and weigh 12 x 12 heads at 512 tokens."""
    links = [long_link(app, first) for first in range(loads + 1)]
    before, spent = processor_seconds(app), 0.0
    cold, cached = list[float](), list[float]()
    whole = head = changed = 0.0
    for link in links:
        with open_page(browser, link) as (page, _):
            cold.append(wait_for_picture(page))
            spent = spent or processor_seconds(app) - before
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
    query = {"checkpoint": LARGE, "source": text, "target": text}
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


if __name__ == "__main__":
    main()
