"""Lessons and a lecture of the site in a browser: questions, answers, slides, single file."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect

from model.checkpoints.checkpoint import load_checkpoint
from sample_data.tasks import TASKS
from tests.browsing import open_context
from tests.checkpoints import SHIPPED
from viz.frame.link_inputs import inputs_of_link
from viz.lessons.in_app import catalogue
from viz.lessons.in_app.navigation import Scene, cover_of
from viz.lessons.in_app.progress import Standing
from viz.lessons.lesson import Lesson
from viz.models import running
from viz.run.axes import attention_trace
from viz.run.codes import CODE_COVERED
from viz.run.making import make_run
from viz.run.redaction import cover_parcel
from viz.site.__main__ import main
from viz.site.build import PAGES
from viz.site.lecture import read_lecture
from viz.site.lessons import lessons_of
from viz.subjects.lecture.shipped_decks import FOLDER, picture_file

NAME = "everyday-paper-0"
DECK = FOLDER / "en" / "inside_a_transformer.json"
CAT = "the black cat sees the red house ."
ASKED = ".st-key-asked"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    assert main([str(folder), "--model", NAME, "--lecture", str(DECK)]) == 0
    return folder


def test_a_question_covers_its_answer_until_it_is_given(page: Page, site: str):
    page.goto(f"{site}/?lesson=which-word&part=2")
    shown = page.locator(ASKED)
    expect(shown).to_contain_text("chat")
    assert "noir" not in page.locator("main").inner_text()
    drawn = shown.locator("svg path").count()
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".lesson-hints")).to_contain_text("crossed-out")
    page.locator(".lesson-option", has_text="sees").click()
    run = make_run(load_checkpoint(SHIPPED / NAME), CAT)
    weight = attention_trace(run, "cross-attention", 1).weights[0, 3, 2].max().item()
    said = page.locator(".lesson-verdict")
    expect(said).to_contain_text(f"You said “sees”; it read “black”: {weight:.2f}.")
    expect(said).to_contain_text("Answered after a hint")
    expect(shown).to_contain_text("noir")
    assert shown.locator("svg path").count() > drawn
    page.get_by_role("button", name="Look around").click()
    expect(page.locator(".loupe-cell_words")).to_contain_text("How noir comes to read black")
    page.get_by_role("button", name="Continue").click()
    expect(page.locator(".lesson-prompt")).to_contain_text("nous habitons dans une")
    assert page.evaluate("localStorage.length + sessionStorage.length") == 0


def test_a_step_that_changes_the_model_shows_the_changed_run(page: Page, site: str):
    page.goto(f"{site}/attention/?lesson=queries-keys-values&part=2")
    expect(page.locator(".lesson-curtain")).to_be_visible()
    page.locator(".lesson-option").first.click()
    alike = 1 / 10  # of the ten tokens, since all keys are equal
    expect(page.locator(".reading-answer")).to_contain_text(f"{alike:.0%}")


COVERED = f"""() => {{
  const {{ kinds, tokens, told }} = loupe.runs.get("typed");
  const {{ tensors, whole }} = loupe.traces.get("typed");
  const hidden = Object.entries(kinds).map(([kind, {{ codes, queries }}]) =>
    [kind, {{ hidden: [...codes].map((code) => code === {CODE_COVERED}), queries }}]);
  const names = Object.keys({{ ...tensors, ...whole }}).filter((name) => name !== "logits").sort();
  return {{ kinds: Object.fromEntries(hidden), target: tokens.target, names, told: Boolean(told) }};
}}"""


def ways_to_hide() -> Iterator[tuple[Lesson, int]]:
    """Yield the first step for each combination of question, hidden kinds and hidden words."""
    seen = set()
    for lesson in lessons_of([NAME], PAGES):
        for part, step in enumerate(lesson.steps, 1):
            cover = cover_of(catalogue.resolved(lesson, part))
            kinds = tuple(rows.kind for rows in cover.rows)
            way = (cover.takes, kinds, bool(cover.words), step.answer and step.answer.kind)
            if way not in seen:
                yield lesson, part
            seen.add(way)


def covered_by_python(lesson: Lesson, part: int) -> dict[str, Any]:
    """Return what the app leaves of a step's run before the answer."""
    resolved = catalogue.resolved(lesson, part)
    inputs = inputs_of_link(f"?{urlencode(resolved.query)}", [NAME])
    assert inputs
    at = Standing(f"{catalogue.OWN_PREFIX}{lesson.id}", part)
    scene = Scene(at, lesson, resolved, None)
    parcel = running.open_view(inputs).parcel
    data = cover_parcel(parcel, scene.cover).data if scene.is_small else parcel.data
    codes = data["codes"]["code"].to_numpy()
    kinds = {}
    for kind, stack in data["meta"]["kinds"].items():
        size = stack["layers"] * stack["heads"] * stack["rows"] * stack["columns"]
        own = codes[stack["offset"] : stack["offset"] + size]
        kinds[kind] = {"hidden": (own == CODE_COVERED).tolist(), "queries": [*stack["queries"]]}
    meta = data["meta"]
    return {
        "kinds": kinds,
        "target": [*meta["tokens"]["target"]],
        "names": sorted(meta["tensors"]["arrays"]),
        "told": meta["told"] is not None,
    }


def test_what_a_step_hides_is_what_the_app_hides(page: Page, site: str):
    hidden = 0
    for lesson, part in ways_to_hide():
        page.goto(f"{site}/attention/?lesson={lesson.id}&part={part}")
        expect(page.locator(".lesson-card")).to_be_visible()
        expected = covered_by_python(lesson, part)
        assert page.evaluate(COVERED) == expected, (lesson.id, part)
        hidden += any(any(stack["hidden"]) for stack in expected["kinds"].values())
    assert hidden >= 4, "steps of which something is hidden"


REACHABLE = """() => {
  const [found, seen] = [new Set(), new Set()];
  const search = (value) => {
    if (typeof value === "number") found.add(value);
    else if (ArrayBuffer.isView(value)) for (const number of value) found.add(number);
    else if (value instanceof Map) for (const each of value.values()) search(each);
    else if (value && typeof value === "object" && !seen.has(value)) {
      seen.add(value);
      for (const [name, each] of Object.entries(value)) if (name !== "model") search(each);
    }
  };
  search([loupe.runs, loupe.traces]);
  return found;
}"""
FOUND_OF = f"""(numbers) => [window.before, ({REACHABLE})()].map(
  (found) => numbers.filter((number) => found.has(number)).length)"""
TRUE = """([path, row]) => {
  const { tensors } = loupe.traces.get("typed");
  return ["query", "scores", "weights", "heads", "output"].flatMap((part) => {
    const { heads, rows, columns, data } = tensors[`${path}.${part}`];
    const starts = Array.from({ length: heads }, (_, head) => (head * rows + row) * columns);
    return starts.flatMap((start) => [...data.subarray(start, start + columns)]);
  });
}"""


def test_no_number_of_an_open_question_can_be_found(page: Page, site: str):
    for link in ("which-word&part=2", "queries-keys-values&part=2"):
        page.goto(f"{site}/attention/?lesson={link}")
        expect(page.locator(".lesson-card")).to_be_visible()
        page.locator(ASKED).wait_for()
        page.evaluate(f"() => {{ window.before = ({REACHABLE})(); }}")
        page.locator(".lesson-option").first.click()
        page.locator(".lesson-verdict").wait_for()
        true = page.evaluate(TRUE, ["decoder.layers.1.cross_attn", 2])
        assert page.evaluate(FOUND_OF, true) == [0, len(true)], link


def test_the_list_has_the_lessons_that_need_no_more(page: Page, site: str):
    page.goto(f"{site}/attention/?lesson=cut")  # the site does not have this lesson
    expect(page.get_by_role("button", name="Begin")).to_have_count(6)
    page.get_by_role("button", name="Begin: Each row has two names").click()
    page.locator(".lesson-option", has_text="la").first.click()
    expect(page.locator(".lesson-verdict")).to_contain_text("Right. The row of “la”")


def test_a_lecture_goes_on_by_keys_and_loses_no_slide(page: Page, site: str):
    titles = [slide["title"] for slide in json.loads(DECK.read_text("utf-8"))["slides"]]
    page.goto(f"{site}/")
    title = page.locator(".loupe-slide-top h2")
    expect(title).to_have_text(titles[0])
    page.keyboard.press("PageDown")
    expect(title).to_have_text(titles[1])
    expect(page.locator("main p")).to_contain_text("A picture of the page “Embeddings”")
    page.goto(f"{site}/?slide=4")
    expect(page.get_by_role("button", name="Show it")).to_be_visible()
    expect(page.locator("main")).to_be_hidden()
    page.get_by_role("button", name="black", exact=True).press("Enter")
    expect(page.locator(".loupe-slide-hands")).to_have_text("You said “black”.")
    expect(page.locator(".st-key-card_head")).to_contain_text("noir")
    expect(page.locator(".st-key-card_heads")).to_be_hidden()
    page.keyboard.press("PageDown")
    expect(title).to_have_text(titles[4])
    page.keyboard.press("End")
    expect(title).to_have_text(titles[-1])
    page.get_by_role("button", name="End").click()
    expect(title).to_have_count(0)
    expect(page.locator(".st-key-card_heads")).to_be_visible()
    page.get_by_role("link", name="Lecture").click()
    expect(title).to_have_text(titles[0])


SHOWN = """async () => {
  const image = document.querySelector("main img");
  await image.decode();
  return [image.naturalWidth, decodeURIComponent(image.currentSrc)];
}"""


def test_a_slide_whose_view_is_elsewhere_shows_its_picture(page: Page, site: str):
    slides = json.loads(DECK.read_text("utf-8"))["slides"]
    elsewhere = read_lecture(DECK, [NAME], PAGES)["elsewhere"]
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for at in elsewhere:
            page.goto(f"{site}/?slide={at + 1}")
            expect(page.locator(".loupe-slide-top h2")).to_have_text(slides[at]["title"])
            if "question" in slides[at]:
                page.get_by_role("button", name="Show it").click()
            expect(page.locator(".loupe-slide-top")).to_contain_text(slides[at]["caption"])
            image = page.locator("main img")
            expect(image).to_be_visible()
            width, source = page.evaluate(SHOWN)
            assert width > 400
            drawn = picture_file(slides[at]["id"], "en", scheme)
            assert source.endswith((FOLDER / "pictures" / drawn).read_text("utf-8"))


def test_a_picture_that_does_not_come_is_said_to_be_missing(browser: Browser, site: str):
    context = browser.new_context()
    page = context.new_page()
    page.route("**/slides/*", lambda route: route.abort())
    page.goto(f"{site}/?slide=2")
    expect(page.get_by_role("status").last).to_contain_text("could not be loaded")
    expect(page.locator("main code")).to_have_text("python3 start.py")
    context.close()


def test_what_is_wrong_in_a_lecture_is_said(browser: Browser, site: str, folder: Path):
    code = (folder / "site.js").read_text("utf-8").replace(r"\"caption\"", r"\"colour\"")
    with open_context(browser, locale="en-GB") as context:  # it has not cached the real file
        page = context.new_page()
        page.route("**/site.js", lambda to: to.fulfill(body=code, content_type="text/javascript"))
        page.goto(f"{site}/")
        expect(page.get_by_role("status")).to_contain_text("Slide 1 has no field “colour”")


def test_one_file_asks_and_gives_too(page: Page, tmp_path: Path):
    file = tmp_path / "loupe.html"
    options = ["--one-file", "--model", NAME, "--lang", "fr", "--lecture", str(DECK)]
    assert main([str(file), *options]) == 0
    page.goto(file.as_uri())
    expect(page.locator(".loupe-slide-place")).to_have_text("1 / 17")  # it hears keys now
    page.keyboard.press("PageDown")
    expect(page.locator(".loupe-slide-place")).to_have_text("2 / 17")
    expect(page.locator("main img")).to_be_visible()
    page.goto(f"{file.as_uri()}#attention?lesson=it&part=1")
    lines = page.locator(f"{ASKED} svg path")
    expect(lines).not_to_have_count(0)
    drawn = lines.count()
    page.locator(".lesson-option", has_text="animal").click()
    expect(page.locator(".lesson-verdict")).to_contain_text("Juste.")
    expect(lines).not_to_have_count(drawn)  # those of the asked row appear
    assert lines.count() > drawn
    page.goto("about:blank")
    page.goto(f"{file.as_uri()}?lesson=which-word&part=2")
    expect(page.locator(".lesson-option", has_text="sees")).to_be_visible()
    assert "#attention?" in page.url
    page.reload()
    page.locator(".lesson-option", has_text="sees").click()
    page.get_by_role("button", name="Continuer").click()
    expect(page.locator(".lesson-prompt")).to_contain_text("nous habitons dans une")
    page.goto("about:blank")
    page.goto(f"{file.as_uri()}?lesson=nowhere")
    expect(page.get_by_role("button", name="Commencer")).to_have_count(6)


def test_tired_or_wide_stands_in_the_field_too(page: Page, site: str):
    tired, wide = TASKS["everyday"].examples[:2]
    page.goto(f"{site}/?scene=guess")
    field = page.locator(".st-key-source input")
    expect(field).to_have_value(tired)
    page.get_by_role("button", name="wide", exact=True).click()
    expect(field).to_have_value(wide)
    expect(page.locator(".loupe-start-written")).to_contain_text("large")
    page.reload()
    expect(field).to_have_value(wide)
    expect(page.get_by_role("button", name="wide", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
