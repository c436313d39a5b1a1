"""Until the answer nothing on a page tells it: no text, no name for screen readers, no pixel."""

import re
from dataclasses import replace
from functools import cache
from io import BytesIO
from urllib.parse import urlencode

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page

from tests.browsing import open_page, settle
from tests.checkpoints import SHIPPED
from tests.file_runs import FileRuns
from tests.viz.run.reachable import numbers_in
from viz.frame.link_inputs import inputs_of_link
from viz.lessons.in_app.navigation import Scene, cover_of
from viz.lessons.in_app.packing import pack_scene
from viz.lessons.in_app.progress import Standing
from viz.lessons.lesson import Lesson
from viz.lessons.reading import shipped_lessons
from viz.lessons.resolution import resolve
from viz.lessons.resolved_step import Resolved, Truth
from viz.models import running
from viz.run.codes import CODE_COVERED
from viz.run.redaction import covered

LESSONS = shipped_lessons()
RUNS = FileRuns(SHIPPED)


@cache
def steps_of(lesson_id: str) -> list[tuple[int, Resolved]]:
    lesson = next(one for one in LESSONS if one.id == lesson_id)
    found = ((part, resolve(lesson, step, RUNS)) for part, step in enumerate(lesson.steps, 1))
    return [(part, step) for part, step in found if step.truth]


def one_of_each() -> list[Lesson]:
    """A lesson for each way of asking, with the page that it stands on or with that covered."""
    steps = {lesson.id: steps_of(lesson.id)[0][1] for lesson in LESSONS}
    ways = {
        (steps[one.id].surface, steps[one.id].page == "attention"): one for one in LESSONS[::-1]
    }
    return [*ways.values()]


def visible_text(page: Page) -> str:
    """All text of the page and all that screen readers are told, hidden text included."""
    return f"{page.locator('body').text_content()}\n{page.locator('body').aria_snapshot()}"


def own_words(lesson: Lesson, part: int, step: Resolved) -> str:
    """What the lesson itself says before the answer."""
    options = " ".join(one.shown for one in step.options)
    said = (lesson.title.said("en"), lesson.steps[part - 1].prompt.said("en"))
    return " ".join((*said, step.step.source, options))


def test_nothing_tells_before_the_answer(browser: Browser, shipped_address: str):
    for lesson in one_of_each():
        part, step = steps_of(lesson.id)[0]
        link = f"{shipped_address}/{step.page}?lesson={lesson.id}&part={part}"
        with open_page(browser, link) as page:
            page.locator(".lesson-prompt").wait_for()
            settle(page)
            tells_nothing(page, lesson, part, step)


def test_no_picture_can_be_saved_before_the_answer(browser: Browser, shipped_address: str):
    with open_page(browser, f"{shipped_address}/attention?lesson=which-word&part=2") as page:
        page.locator(".lesson-prompt").wait_for()
        settle(page)
        assert "Answer the question first" in page.evaluate("loupe.saving.covered('head')")
        page.get_by_role("button", name="Leave the lesson here").click()
        page.wait_for_function("loupe.saving.covered('head') === null")


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_no_step_sends_what_is_so(lesson: Lesson):
    """Another truth would be sent as the very same bytes."""
    for part, step in steps_of(lesson.id):
        if step.surface == "order" or step.truth is None:
            continue
        named = [one.name for one in step.options if one.name != step.truth.name] or ["9"]
        other = replace(step, truth=Truth(named[-1], 0.123), simple=None)
        scenes = (Scene(Standing(lesson.id, part), lesson, one, None) for one in (step, other))
        sent = [pack_scene(s, hints=0, there=True, presenting=False) for s in scenes]
        assert sent[0] == sent[1]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.id)
def test_no_run_is_sent_with_the_numbers_of_an_answer(lesson: Lesson):
    for part, step in steps_of(lesson.id):
        if step.truth is None or step.surface in ("head", "order"):
            continue  # heads are told apart by their weights; an order has pictures of its own
        inputs = inputs_of_link(f"?{urlencode(step.query)}", [lesson.checkpoint])
        assert inputs
        scene = Scene(Standing(lesson.id, part), lesson, step, None)
        view = running.open_view(inputs)
        found = (step.truth.value, *(option.value for option in step.options))
        true = {number for number in found if number and number % 1}  # sizes are whole, too
        if step.surface == "key":  # the search finds what is not hidden
            assert true <= numbers_in(view.parcel.data)
        assert true.isdisjoint(numbers_in(covered(view, scene.cover).parcel.data))


def tells_nothing(page: Page, lesson: Lesson, part: int, step: Resolved) -> None:
    told = visible_text(page)
    said = own_words(lesson, part, step)
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
    """Every option is written as the others are, but for its words."""
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
    """In what was sent, and in the picture, the cells of the asked row are all the same."""
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


def test_the_same_page_tells_it_after_the_answer(browser: Browser, shipped_address: str):
    """What the other tests look for is there once it may be."""
    part, step = next(pair for pair in steps_of("which-word") if pair[1].surface == "key")
    with open_page(browser, f"{shipped_address}/attention?lesson=which-word&part={part}") as page:
        page.locator(".lesson-option").first.click()
        page.locator(".lesson-verdict").wait_for()
        settle(page)
        told = visible_text(page)
        assert step.step.why.said("en") in told
        assert step.tokens[cover_of(step).words[0]] in told
        with pytest.raises(AssertionError):
            options_look_alike(page)
