"""The time from a key to the painted sentence, map and card: `python -m qa.benchmarks.keys`.

It starts the app and Chromium, types into sentences of 10, 20 and 40 tokens on Start, Attention and
the map, and chooses cells; `--slower 4` slows the CPU down by a factor of four.
"""

import argparse
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Page

from qa.audit.browser import STREAMLIT, launched, serve

TEXT = "the old man reads a good book and the young woman writes a long letter to her "
PAGES = ("start", "attention", "map")
BETWEEN_MS = 120
"""The time between two keys of a fast typist."""
TYPED = """async ([length, word]) => {
  const input = document.querySelector(".st-key-source input");
  const { runs } = loupe;
  const painted = () => new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = done;
    port2.postMessage(0);
  });
  const start = performance.now();
  const answered = new Promise((done) => {
    runs.set = (name, run) => {
      Map.prototype.set.call(runs, name, run);
      if (name !== "typed") return runs;
      delete runs.set;
      const answer = performance.now();
      requestAnimationFrame(() => painted().then(() => done([answer, performance.now()])));
      return runs;
    };
  });
  input.setRangeText(word, length, input.value.length, "end");
  input.dispatchEvent(new InputEvent("input", { bubbles: true }));
  return (await answered).map((time) => time - start);
}"""
"""Replaces the last word of a sentence that is being typed, as one key does."""
CHOSEN = """async (key) => {
  const told = () => document.querySelector(".loupe-cell_words h2").textContent;
  const before = told();
  const start = performance.now();
  document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  while (told() === before && performance.now() - start < 5000)
    await new Promise((done) => setTimeout(done));
  await new Promise((done) => requestAnimationFrame(done));
  return performance.now() - start;
}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slower", type=int, default=1)
    parser.add_argument("--times", type=int, default=20)
    options = parser.parse_args()
    command = (*STREAMLIT, "app.py")
    with (
        tempfile.TemporaryDirectory() as folder,
        serve(Path(folder), command, environment={}) as address,
        launched() as browser,
    ):
        page = browser.new_page(viewport={"width": 1366, "height": 900})
        slow = page.context.new_cdp_session(page)
        for path in PAGES:
            for length in (10, 20, 40):
                text = " ".join((TEXT * 3).split()[: length - 2])
                page.goto(f"{address}/{path}?source={text}")
                ready(page)
                slow.send("Emulation.setCPUThrottlingRate", {"rate": options.slower})
                words = [" the", " man", " reads", " a"] * (options.times // 4 + 1)
                times = []
                for word in words:
                    times.append(page.evaluate(TYPED, [len(text), word]))
                    page.wait_for_timeout(BETWEEN_MS)
                slow.send("Emulation.setCPUThrottlingRate", {"rate": 1})
                answered, painted = zip(*times[4:], strict=True)
                print(f"{path} {length}: answered {spread(answered)}, painted {spread(painted)} ms")
        page.goto(f"{address}/attention")
        ready(page)
        slow.send("Emulation.setCPUThrottlingRate", {"rate": options.slower})
        keys = [*["ArrowRight"] * 3, *["ArrowLeft"] * 3] * (options.times // 6 + 1)
        print(f"a cell: painted {spread([page.evaluate(CHOSEN, key) for key in keys])} ms")


def ready(page: Page) -> None:
    """Wait until the browser has its own run of the text that Python ran."""
    while not page.evaluate("window.loupe?.traces.size ?? 0"):
        page.wait_for_timeout(100)
    page.wait_for_timeout(1500)


def spread(times: list[float] | tuple[float, ...]) -> str:
    """Write the median and the 95th percentile."""
    ordered = sorted(times)
    return f"{statistics.median(ordered):.0f} (p95 {ordered[int(0.95 * (len(ordered) - 1))]:.0f})"


if __name__ == "__main__":
    main()
