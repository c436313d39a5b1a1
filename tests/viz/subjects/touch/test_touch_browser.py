"""The page Touch in a real browser: a line is dragged, and the translation follows at once."""

import re
from collections.abc import Iterator

import pytest
import torch
from playwright.sync_api import Browser, Page, expect

from model.checkpoints.checkpoint import load_checkpoint
from model.interventions.kinds import Intervention
from tests.browsing import SIZE, open_page, settle
from tests.checkpoints import DEFAULT, SHIPPED
from tests.shipped import PAPER
from viz.run.making import make_run
from viz.subjects.touch.pulls import telling_pull

ROWS = ".loupe-touch-rows button:not([hidden])"
WEIGHTS = "decoder.layers.*.cross_attn.weights"

LINK = f"touch?checkpoint={PAPER}&source={DEFAULT.replace(' ', '+')}"


@pytest.fixture(scope="module")
def touch(browser: Browser, shipped_address: str) -> Iterator[Page]:
    """Open one page for all tests; each of them undoes what it changes."""
    with open_page(browser, f"{shipped_address}/{LINK}") as page:
        expect(page.locator(".loupe-touch-check")).to_have_text("✓")
        settle(page)
        yield page


@pytest.fixture(scope="module")
def pulled():
    """Return the offered pull and the tokens before and after it, from runs made here."""
    checkpoint = load_checkpoint(SHIPPED / PAPER)
    before = make_run(checkpoint, DEFAULT)
    with torch.inference_mode():
        pull = telling_pull(before, checkpoint.model)
    assert pull
    made = Intervention("point", WEIGHTS, rows=(pull.row,), columns=(pull.to,))
    after = make_run(checkpoint, DEFAULT, interventions=(made,))
    return pull, list(before.target_tokens[1:]), list(after.target_tokens[1:])


def written(page: Page) -> list[str]:
    return page.locator(ROWS).all_inner_texts()


def middle(page: Page, selector: str) -> tuple[float, float]:
    box = page.locator(selector).bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def key(position: int) -> str:
    return f".loupe-touch-keys li[data-key='{position}'] button"


@pytest.mark.smoke
def test_a_line_is_dragged_to_another_word_and_the_drag_undone(touch: Page, pulled):
    pull, before, after = pulled
    assert written(touch) == before
    assert before[pull.row] != after[pull.row]
    touch.mouse.move(*middle(touch, f".loupe-touch-end[data-key='{pull.held}']"))
    touch.mouse.down()
    touch.mouse.move(*middle(touch, key(pull.to)), steps=6)
    expect(touch.locator(ROWS)).to_have_text(after)  # while the line is held, and without Python
    assert "edits=point" not in touch.url
    assert touch.locator(".loupe-touch-hand").count() == 1
    touch.mouse.up()
    touch.wait_for_url("**edits=point**")
    settle(touch)
    expect(touch.locator(".loupe-touch-check")).to_have_text("✓")
    assert written(touch) == after
    new = touch.locator(".loupe-touch-rows .loupe-touch-new bdi")
    assert after[pull.row] in new.all_inner_texts()
    undo(touch)
    assert written(touch) == before
    assert touch.evaluate("loupe.selection.query") == pull.row  # a sentence keeps its row


def undo(page: Page) -> None:
    page.keyboard.press("u")
    page.wait_for_url(lambda url: "edits=point" not in url)
    settle(page)


def test_the_keyboard_pulls_shows_and_lets_go(touch: Page, pulled):
    pull, before, after = pulled
    touch.locator(key(pull.to)).focus()
    for _ in range(3):
        touch.keyboard.press("+")
    expect(touch.locator(".loupe-touch-text")).to_contain_text("30% of the weight")
    touch.keyboard.press("Escape")
    expect(touch.locator(".loupe-touch-text")).to_contain_text("Drag its line")
    assert written(touch) == before
    for _ in range(10):
        touch.keyboard.press("+")
    touch.keyboard.press("Enter")
    touch.wait_for_url("**edits=point**")
    settle(touch)
    assert written(touch) == after
    touch.keyboard.down("b")
    expect(touch.locator(".loupe-touch-text")).to_contain_text("the original run")
    assert written(touch) == before
    touch.keyboard.up("b")
    expect(touch.locator(ROWS)).to_have_text(after)
    undo(touch)


CROSSED = """() => {
  const box = (node) => node.getBoundingClientRect();
  const board = box(document.querySelector(".loupe-touch-board"));
  const texts = [...document.querySelectorAll(".loupe-touch-keys bdi, .loupe-touch-rows bdi")];
  const inside = ({ x, y }, { left, right, top, bottom }) =>
    x > left + 1 && x < right - 1 && y > top + 4 && y < bottom - 4;
  const found = new Set();
  for (const line of document.querySelectorAll(".loupe-touch-line")) {
    const long = line.getTotalLength();
    const frame = line.getScreenCTM();
    for (let at = 0; at <= long; at += 1) {
      const point = line.getPointAtLength(at).matrixTransform(frame);
      for (const text of texts) if (inside(point, box(text))) found.add(text.textContent);
    }
  }
  const line = document.querySelector(".loupe-touch-line");
  const foot = line.getPointAtLength(0).matrixTransform(line.getScreenCTM());
  const reader = box(document.querySelector(".loupe-touch-reader button"));
  const rows = new Set([...document.querySelectorAll(".loupe-touch-rows button")]
    .map((node) => Math.round(box(node).top)));
  return {
    crossed: [...found],
    fromReader: Math.abs(foot.y - reader.top),
    isBelow: reader.top > Math.min(...rows) + 10,
    isOn: foot.x > reader.left && foot.x < reader.right,
  };
}"""


def test_on_a_phone_lines_end_at_their_word_and_run_through_no_other(touch: Page):
    for width in (320, 390):
        touch.set_viewport_size({"width": width, "height": 844})
        touch.locator(".loupe-touch-reader").wait_for()
        settle(touch)
        seen = touch.evaluate(CROSSED)
        assert seen["isBelow"], "the word stands in the first row"
        assert seen["crossed"] == []
        assert seen["fromReader"] < 2
        assert seen["isOn"]
    touch.set_viewport_size(SIZE)


def quiet_head(pull) -> int:
    """Return a head of layer 1 that changes no word if it alone is pulled."""
    checkpoint = load_checkpoint(SHIPPED / PAPER)
    before = make_run(checkpoint, DEFAULT).text
    path = "decoder.layers.1.cross_attn.weights"
    return next(
        head
        for head in range(4)
        if make_run(
            checkpoint,
            DEFAULT,
            interventions=(
                Intervention("point", path, head=head, rows=(pull.row,), columns=(pull.to,)),
            ),
        ).text
        == before
    )


def test_one_head_is_told_from_all_and_the_others_are_offered(
    touch: Page, shipped_address: str, pulled
):
    pull, before, after = pulled
    touch.goto(
        f"{shipped_address}/{LINK}&kind=cross-attention&layer=1&head={quiet_head(pull)}"
        f"&query={pull.row}"
    )
    expect(touch.locator(".loupe-touch-check")).to_have_text("✓")
    settle(touch)
    touch.get_by_test_id("stMain").get_by_text("More", exact=True).click()
    touch.get_by_role("button", name="One head", exact=True).click()
    touch.locator(key(pull.to)).click()
    said = touch.locator(".loupe-touch-text")
    expect(said).to_contain_text("The other 7 heads still give")
    assert written(touch) == before
    touch.get_by_role("button", name="Pull all of them").click()
    expect(said).to_contain_text(re.compile("became|is new"))
    settle(touch)
    assert written(touch) == after


def test_a_browser_without_the_weights_lets_python_run_it(
    browser: Browser, shipped_address: str, pulled
):
    pull, before, after = pulled
    page = browser.new_page(viewport={"width": 390, "height": 844}, has_touch=True)
    page.route("**/weights/**", lambda route: route.fulfill(status=404))
    page.goto(f"{shipped_address}/{LINK}")
    page.locator(key(pull.to)).wait_for()
    settle(page)
    assert written(page) == before
    page.locator(key(pull.to)).tap()
    expect(page.locator(".loupe-touch-text")).to_contain_text(re.compile("became|is new"))
    settle(page)
    assert written(page) == after
    assert page.locator(".loupe-touch-check").inner_text() == ""
    width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert width <= 0
    page.close()


@pytest.mark.parametrize(
    ("language", "drag", "headline"),
    [("en", "Now drag it yourself", "it looks most at"), ("fr", None, "it regarde surtout")],
)
def test_the_headline_is_about_the_word_that_is_brought_along(
    touch: Page, shipped_address: str, language: str, drag: str | None, headline: str
):
    touch.goto(f"{shipped_address}/?scene=answer&lang={language}")
    way = touch.locator(".loupe-start-ways .loupe-start-next")
    if drag:
        expect(way).to_have_text(drag)
    way.click()
    touch.wait_for_url(re.compile(r"/touch\?"))
    expect(touch.locator(".loupe-touch-reader button")).to_have_text("it")
    answer = touch.locator(".st-key-touch_said .loupe-answer")
    expect(answer).to_contain_text(headline)
    expect(touch.locator(".loupe-touch-text")).to_contain_text(
        "“it”" if language == "en" else "« it »"
    )
    touch.locator(".loupe-touch-rows button", has_text="tired").click()
    expect(answer).to_contain_text(headline.replace("it", "tired", 1))
