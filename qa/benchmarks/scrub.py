"""What a step of the decoding player costs in a real browser; `qa.benchmarks.ui` prints it.

The time is that of the page's own script from the move of the scrubber until all is redrawn, and
then until the next frame; a target is given, so that a random model has so many steps.
"""

import statistics
from collections.abc import Iterator
from urllib.parse import urlencode

from playwright.sync_api import BrowserContext

from qa.benchmarks.browser import WORDS, open_page
from qa.benchmarks.rows import Row

SIZES = ((2, 4, 64, 32), (12, 12, 192, 64))
"""Layers of each stack, heads, d_model, steps of the decoding."""
SCRUB = """async (steps) => {
  const range = document.querySelector(".studio-scrubber");
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const scripts = [], frames = [];
  for (let turn = 0; turn < 3 * steps; turn++) {
    await frame();
    range.value = (turn * 7) % steps;
    const start = performance.now();
    range.dispatchEvent(new Event("input"));
    scripts.push(performance.now() - start);
    await frame();
    frames.push(performance.now() - start);
  }
  return [scripts, frames];
}"""


def measure_scrub(browser: BrowserContext, app: str) -> Iterator[Row]:
    """Time a step of the scrubber in a small and in a large model."""
    for layers, heads, _, steps in SIZES:
        text = " ".join((WORDS * 2)[: steps - 1])
        name = f"random-{layers}x{heads}"
        link = {"checkpoint": name, "source": text, "target": text, "more_decoding_lens": "true"}
        with open_page(browser, f"{app}/decoding?{urlencode(link)}") as (page, _):
            page.wait_for_selector(".studio-strip li.studio-now", timeout=120_000)
            page.wait_for_selector(".studio-lens td", timeout=120_000)
            page.wait_for_selector("[data-test-script-state=notRunning]")
            page.wait_for_timeout(1500)
            scripts, frames = page.evaluate(SCRUB, steps)
        what = f"a step of the scrubber, {layers} x {heads} heads, {steps} steps"
        yield Row(f"{what}: script", statistics.median(scripts), "ms", aim=16)
        yield Row(f"{what}: script, at most", max(scripts), "ms")
        yield Row(f"{what}: until the next frame", statistics.median(frames), "ms")
