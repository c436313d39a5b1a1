"""The player of a training in a real browser: it plays and pauses, with its keys and curves."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.browsing import library
from viz.pictures.theme import colour_variables
from viz.run.codes import CODE_ONE

VIZ = Path(__file__).parents[4] / "viz"
STYLES = [VIZ / "pictures" / "loupe.css", VIZ / "subjects" / "training" / "training.css"]
SCRIPT = """
import { createLoupe } from "/pictures/browser/explorer.js";
import { components } from "/subjects/training/browser/lapse.js";
const loupe = createLoupe(document);
const parentElement = document.getElementById("lapse");
window.asked = [];
window.show = ([meta, codes]) => loupe.mount("lapse", components.lapse, {
  data: { meta, codes: { getChild: () => ({ toArray: () => Uint16Array.from(codes) }) } },
  parentElement,
  setTriggerValue: (...all) => asked.push(all),
});
"""


def packed(steps: list[int], **changes: object) -> list[object]:
    """Pack two heads of 2 x 2 cells; the first reads its second key more in each snapshot."""
    count = len(steps)
    meta = {
        "steps": steps,
        "total": 400,
        "written": [f"text {i}" for i in range(count)],
        "right": [i == count - 1 for i in range(count)],
        "loss": {"steps": [1, 400], "values": [3.0, 1.0], "rates": [0.001, 0.0005]},
        "heldOut": [2.5 - 0.5 * i for i in range(count)],
        "exact": [0.25 * i for i in range(count)],
        "alignment": [
            {"layer": 0, "head": head, "values": [0.1 * (head + 1)] * count} for head in range(2)
        ],
        "chance": 0.5,
        "kind": "cross-attention",
        "name": "decoder.layers.{layer}.cross_attn.weights",
        "layers": 1,
        "heads": 2,
        "layer": 0,
        "head": 0,
        "rowTokens": ["le", "chat"],
        "columnTokens": ["the", "cat"],
        "rowTitle": "query",
        "columnTitle": "key",
        "at": 0,
        "follow": True,
    } | changes
    codes: list[int] = []
    for i in range(count):
        weight = CODE_ONE * (i + 1) // 8
        codes += [CODE_ONE - weight, weight] * 2 + [CODE_ONE // 2] * 4
    return [meta, codes]


LARGE = "html { font-size: 22.5px; } .stApp { --cell-font: 18px; --least-font: 18px; }"
"""The font sizes of presenter mode."""


@contextmanager
def shown(browser: Browser, style: str = "") -> Iterator[Page]:
    styles = "".join(path.read_text(encoding="utf-8") for path in STYLES)
    with library(
        browser,
        f"<style>.stApp {{ --mono: monospace; {colour_variables()} }} {styles} {style}</style>"
        '<div class="stApp"><div id="lapse" style="width: 1050px"></div></div>',
        SCRIPT,
        until="window.show",
    ) as page:
        page.evaluate("show", packed([0, 100, 200, 400]))
        yield page


def step(page: Page) -> str:
    return page.locator(".loupe-lapse-step").inner_text()


def test_keys_move_the_player_with_its_curves_and_weights_and_a_click_asks_for_a_head(
    browser: Browser,
):
    with shown(browser) as page:
        assert step(page) == "step 0 of 400"
        page.keyboard.press("ArrowRight")
        assert step(page) == "step 100 of 400"
        legends = page.locator(".loupe-lapse-legend").all_inner_texts()
        assert "on new sentences 2.00" in " ".join(legends[0].split())
        assert legends[2].endswith("25%")
        over = page.locator(".loupe-lapse-head .loupe-over")
        shape = over.evaluate("node => node.parentElement.shape")
        box = over.bounding_box()
        assert box
        page.mouse.move(
            box["x"] + shape["x"] + 1.5 * shape["cell"], box["y"] + shape["y"] + shape["high"] / 2
        )
        expect(page.locator(".loupe-tip")).to_have_text("le reads catweight 0.250 at step 100")
        page.keyboard.press("ArrowRight")
        assert step(page) == "step 200 of 400"
        expect(page.locator(".loupe-lapse-written")).to_have_text("writes text 2 ✗")
        page.wait_for_function("() => asked.some(([what, at]) => what === 'rest' && at === 200)")
        page.get_by_role("button", name="layer 0, head 1").click()
        assert page.evaluate("asked.at(-1)") == ["head", {"layer": 0, "head": 1}]


def test_it_plays_to_the_end_from_the_beginning_and_follows_what_comes_later(browser: Browser):
    with shown(browser) as page:
        page.get_by_role("button", name="play").click()
        expect(page.get_by_role("button", name="pause")).to_be_visible()
        expect(page.locator(".loupe-lapse-step")).to_have_text("step 400 of 400")
        page.wait_for_function("() => asked.length > 0")
        assert page.evaluate("asked") == [["rest", 400]]
        page.evaluate("show", packed([0, 100, 200, 400, 500], total=500))
        expect(page.locator(".loupe-lapse-step")).to_have_text("step 500 of 500")
        page.get_by_role("button", name="play").click()
        assert step(page) == "step 0 of 500"


def test_large_type_is_not_cut(browser: Browser):
    rows = """node => {
      const context = node.getContext("2d");
      const { data } = context.getImageData(0, 0, 60, 1);
      return data.some((value, at) => at % 4 === 3 && value > 0);
    }"""
    with shown(browser, LARGE) as page:
        name = page.locator(".loupe-lapse-left code")
        assert name.evaluate("node => node.getClientRects().length") == 1
        curves = page.locator(".loupe-lapse-curves .loupe-canvas:not(.loupe-over)")
        assert curves.count() == 3
        assert [curve.evaluate(rows) for curve in curves.all()] == [False] * 3
