"""What a hand on a line of attention costs in a real browser; `qa.benchmarks.ui` prints it."""

import statistics

from playwright.sync_api import BrowserContext, Page

from model.checkpoint import read_info
from qa.benchmarks.browser import ROOT, open_page

TIME_TWIN = """async ({config, source, turns}) => {
  const asked = performance.getEntriesByType("resource").map((one) => one.name);
  const load = (end) => import(asked.find((name) => name.endsWith(`twin/${end}.js`)));
  const [{ readModel }, { translate }] = await Promise.all([load("safetensors"), load("decoding")]);
  const file = await fetch(asked.find((name) => name.includes("/weights/")));
  const model = readModel(await file.arrayBuffer(), config);
  const time = async (act) => {
    const times = [];
    for (let turn = 0; turn < turns; turn++) {
      const start = performance.now();
      act();
      times.push(performance.now() - start);
      await new Promise(requestAnimationFrame);
    }
    return times;
  };
  const known = translate(model, source, {longest: 64});
  const half = {longest: 64, after: {known, steps: Math.floor(known.ids.length / 2)}};
  return {
    whole: await time(() => translate(model, source, {longest: 64})),
    half: await time(() => translate(model, source, half)),
  };
}"""
WATCH_RELEASE = """() => {
  let start;
  addEventListener("pointerup", () => (start = performance.now()), {once: true, capture: true});
  const check = document.querySelector(".loupe-touch-check");
  window.checked = new Promise((done) => {
    const observer = new MutationObserver(() => {
      if (start === undefined || !check.textContent) return;
      observer.disconnect();
      requestAnimationFrame(() => done(performance.now() - start));
    });
    observer.observe(check, {subtree: true, childList: true, characterData: true});
  });
}"""
"""Promise the milliseconds from letting go until PyTorch's answer is painted."""


def measure_touch(browser: BrowserContext, app: str, turns: int) -> None:
    """Time the twin of the model, and a pull from letting go to PyTorch's answer."""
    for name in ("english-french-paper-0", "everyday-paper-0"):
        with open_page(browser, f"{app}/touch?checkpoint={name}") as (page, _):
            page.locator(".loupe-touch-check:not(:empty)").wait_for()
            page.wait_for_timeout(2500)
            info = read_info(ROOT / "sample_data" / "checkpoints" / name)
            text = page.locator(".loupe-touch-keys").inner_text().split()
            source = info.tokenizers.encode_source(" ".join(text[:-1])).ids
            asked = {"config": info.config.to_dict(), "source": source, "turns": turns}
            times = page.evaluate(TIME_TWIN, asked)
            print(f"{name}")
            for part, spent in times.items():
                print(f"  the twin, {part} sentence, ms      {statistics.median(spent[3:]):8.1f}")
                print(f"    at best                         {min(spent):8.1f}")
            released = [pull_and_undo(page) for _ in range(8)]
            print(f"  letting go to PyTorch's answer, ms{statistics.median(released[1:]):8.0f}")


def pull_and_undo(page: Page) -> float:
    """Drag the widest line to the key in view; give the milliseconds until it was checked."""
    largest = "(all) => all.sort((a, b) => b.r.baseVal.value - a.r.baseVal.value)[0].dataset.key"
    held = page.locator(".loupe-touch-end").evaluate_all(largest)
    page.mouse.move(*_middle(page, f".loupe-touch-end[data-key='{held}']"))
    page.mouse.down()
    page.mouse.move(*_middle(page, ".loupe-touch-to button"), steps=5)
    page.evaluate(WATCH_RELEASE)
    page.mouse.up()
    milliseconds = page.evaluate("checked")
    page.wait_for_timeout(2200)
    page.keyboard.press("u")
    page.wait_for_timeout(1500)
    return milliseconds


def _middle(page: Page, selector: str) -> tuple[float, float]:
    box = page.locator(selector).first.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
