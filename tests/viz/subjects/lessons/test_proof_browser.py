"""After an answer its proof is on the screen of a small laptop, without scrolling."""

import pytest
from playwright.sync_api import Browser, Page

from tests.browsing import open_page, settle
from viz.lessons.lesson import Lesson, Step
from viz.lessons.reading import shipped_lessons

SCREEN = {"width": 1366, "height": 768}
SEEN = 0.6
"""Share of a picture that is on the screen at least: its upper part, with the names of columns."""
BY_PAGE = {
    "attention": ".loupe-heatmap",
    "masks": ".st-key-card_masks .loupe-heatmap",
    "map": ".st-key-card_tensor .loupe-heatmap",
    "decoding": ".studio-strip",
    "positions": ".st-key-positions_map",
    "training": ".lesson-strip canvas",
}
TEXT = ".st-key-bar_out"
ROW = """([selector, row]) => {
  const node = document.querySelector(selector);
  const { y, high } = node.shape;
  const box = node.getBoundingClientRect();
  return { top: box.top + y + row * high, height: high };
}"""
BOX = """([selector]) => {
  const { top, height } = document.querySelector(selector).getBoundingClientRect();
  return { top, height };
}"""


def answer(page: Page, step: Step) -> None:
    """Answer with the first that may be clicked, right or wrong."""
    assert step.answer
    if step.answer.kind in ("number", "count"):
        page.locator(".lesson-number").fill("5")
        page.locator(".lesson-number").press("Enter")
    elif step.answer.over == "heads":
        page.locator(".loupe-thumb").first.click()
    else:
        for place in range(3 if step.answer.kind == "order" else 1):
            page.locator(".lesson-option").nth(place).click()
    page.locator(".lesson-verdict").wait_for()
    settle(page)


def proof(page: Page, step: Step) -> tuple[str, int | None]:
    """Which part of the page proves the answer, and which row of it if that is one."""
    assert step.answer
    match step.answer.kind:
        case "written" | "same":
            return TEXT, None
        case "depth":
            return ".studio-lens", None
        case "largest" if step.answer.over == "heads":
            return ".loupe-thumb.loupe-true", None
        case "largest" | "row_that_writes":
            return ".st-key-asked .loupe-heatmap", page.evaluate("loupe.selection.query")
    if "more_stages" in step.query:
        return ".st-key-stage_by_stage .loupe-heatmap", None
    return BY_PAGE[step.page], None


def is_in_view(page: Page, selector: str, row: int | None) -> bool:
    page.locator(selector).first.wait_for()
    box = page.evaluate(BOX if row is None else ROW, [selector, row])
    needed = box["height"] * (SEEN if row is None else 1)
    return box["top"] >= 0 and box["top"] + needed <= SCREEN["height"]


@pytest.mark.slow
@pytest.mark.parametrize("lesson", shipped_lessons(), ids=lambda lesson: lesson.id)
def test_the_proof_of_an_answer_is_on_the_screen(
    lesson: Lesson, browser: Browser, shipped_address: str
):
    below = []
    for part, step in enumerate(lesson.steps, 1):
        if step.answer is None:
            continue
        link = f"{shipped_address}/{step.page}?lesson={lesson.id}&part={part}"
        with open_page(browser, link) as page:
            page.set_viewport_size(SCREEN)
            page.locator(".lesson-prompt").wait_for()
            settle(page)
            answer(page, step)
            assert page.evaluate("scrollY") == 0
            if not is_in_view(page, *proof(page, step)):
                below.append(part)
    assert below == []
