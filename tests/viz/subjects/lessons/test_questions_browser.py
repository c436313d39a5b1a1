"""A question reveals nothing before the answer; then its proof is visible on a small laptop."""

import re
from collections.abc import Iterator
from io import BytesIO

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.browsing import open_page, settle
from tests.file_runs import shipped_runs
from tests.inside import follow
from viz.lessons.in_app.navigation import cover_of
from viz.lessons.lesson import Lesson, Step
from viz.lessons.reading import shipped_lessons
from viz.lessons.resolution import resolve
from viz.lessons.resolved_step import Resolved
from viz.run.codes import CODE_COVERED

SCREEN = {"width": 1366, "height": 768}
SEEN = 0.6
"""The least visible share of a picture: its upper part, with the names of the columns."""
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


def hardest() -> list[tuple[Lesson, int]]:
    """Return, for each way to ask, the steps with the longest text and the longest sentence.

    Everything above a proof pushes it down: if their proofs are visible, so are the others.
    """
    ways: dict[tuple, list[tuple[Lesson, int]]] = {}
    for lesson in shipped_lessons():
        for part, step in enumerate(lesson.steps, 1):
            if step.answer:
                way = (step.answer.kind, step.answer.over, step.page, *step.query)
                ways.setdefault(way, []).append((lesson, part))
    sizes = (text_size, sentence_size)
    chosen = ((max(steps, key=size) for size in sizes) for steps in ways.values())
    return [
        *{(lesson.id, part): (lesson, part) for each in chosen for lesson, part in each}.values()
    ]


def text_size(at: tuple[Lesson, int]) -> int:
    lesson, part = at
    step = lesson.steps[part - 1]
    wrong = max((len(text.said("en")) for text in step.wrong.values()), default=0)
    return len(step.prompt.said("en")) + wrong + len(step.why.said("en"))


def sentence_size(at: tuple[Lesson, int]) -> tuple[int, int]:
    lesson, part = at
    return len(lesson.steps[part - 1].source.split()), text_size(at)


@pytest.fixture(scope="module")
def pupil(browser: Browser, shipped_address: str) -> Iterator[Page]:
    """Open the page of a user who goes from question to question and answers each."""
    with open_page(browser, f"{shipped_address}/learn") as page:
        page.set_viewport_size(SCREEN)
        yield page


@pytest.mark.parametrize(
    ("lesson", "part"),
    hardest(),
    ids=lambda each: each.id if isinstance(each, Lesson) else str(each),
)
def test_a_question_tells_nothing_until_its_answer_and_its_proof_is_then_on_the_screen(
    lesson: Lesson, part: int, pupil: Page, shipped_address: str
):
    step = resolve(lesson, lesson.steps[part - 1], shipped_runs())
    follow(pupil, f"{shipped_address}/{step.page}?lesson={lesson.id}&part={part}")
    expect(pupil.locator(".lesson-prompt")).to_have_text(step.step.prompt.said("en"))
    settle(pupil)
    tells_nothing(pupil, lesson, step)
    answer(pupil, step.step)
    assert pupil.evaluate("scrollY") == 0
    assert is_in_view(pupil, *proof(pupil, step.step))
    tells_all(pupil, step)


def answer(page: Page, step: Step) -> None:
    """Give the first possible answer, right or wrong."""
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
    """Return the part of the page that proves the answer, and its row if it has rows."""
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


def visible_text(page: Page) -> str:
    """Return all text of the page and everything that screen readers get, hidden text included."""
    return f"{page.locator('body').text_content()}\n{page.locator('body').aria_snapshot()}"


def own_words(lesson: Lesson, step: Resolved) -> str:
    """Return what the lesson itself says before the answer."""
    options = " ".join(one.shown for one in step.options)
    said = (lesson.title.said("en"), step.step.prompt.said("en"))
    return " ".join((*said, step.step.source, options))


def tells_nothing(page: Page, lesson: Lesson, step: Resolved) -> None:
    told = visible_text(page)
    said = own_words(lesson, step)
    hidden = {step.tokens[i] for i in cover_of(step).words if i < len(step.tokens)}
    quiet = {word for word in hidden if len(word) > 3 and word.isalpha() and word not in said}
    assert quiet.isdisjoint(re.findall(r"\w+", told))
    assert step.step.why.said("en") not in told
    for words in (*step.step.wrong.values(), *step.step.hints):
        assert words.said("en") not in told
    options_look_alike(page)
    if page.locator(".lesson-curtain").count():
        assert page.locator(".st-key-asked, [class*='st-key-card_']").count() == 0
    elif step.surface == "key":
        row_looks_alike(page, step)
    assert page.locator(".loupe-sentence, .st-key-map_small, .st-key-as_python").count() == 0


def options_look_alike(page: Page) -> None:
    """Check that all options are written alike except for their words."""
    shapes = page.locator(".lesson-strip > li").evaluate_all(
        """nodes => nodes.map((node) => {
          const copy = node.cloneNode(true);
          copy.querySelectorAll("bdi").forEach((words) => { words.textContent = ""; });
          copy.querySelectorAll("canvas").forEach((picture) => picture.remove());
          return copy.outerHTML;
        })"""
    )
    assert len(set(shapes)) <= 1


def row_looks_alike(page: Page, step: Resolved) -> None:
    """Check that the cells of the asked row are all the same, in the data and in the picture."""
    assert step.place
    assert step.place.query is not None
    head = [step.place.kind, step.place.layer, step.place.head, step.place.query]
    codes = page.evaluate(
        """([kind, layer, head, row]) => {
          const { heads, rows, columns, codes } = loupe.run().kinds[kind];
          const start = ((layer * heads + head) * rows + row) * columns;
          return Array.from(codes.subarray(start, start + columns));
        }""",
        head,
    )
    assert set(codes) == {CODE_COVERED}
    picture = page.locator(".loupe-head .loupe-canvas").first
    shape = page.locator(".loupe-heatmap").first.evaluate("node => node.shape")
    pixels = np.asarray(Image.open(BytesIO(picture.screenshot())).convert("RGB"), int)
    side = int(shape["cell"])
    top = int(shape["y"] + step.place.query * shape["high"])
    cells = [
        pixels[top + 4 : top + side - 4, left + 4 : left + side - 4]
        for left in (int(shape["x"] + i * shape["cell"]) for i in range(shape["columns"]))
    ]
    assert all(np.abs(cell - cells[0]).max() <= 2 for cell in cells)


def tells_all(page: Page, step: Resolved) -> None:
    """Check that everything hidden before the answer is there after it."""
    told = visible_text(page)
    assert step.step.why.said("en") in told
    if step.surface == "key":
        assert step.tokens[cover_of(step).words[0]] in told
        with pytest.raises(AssertionError):
            options_look_alike(page)
