"""Start as a reader meets it: touch the sentence, make a guess, watch the answer."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browsing import expect_in_link, open_context, open_page, settle, type_source
from tests.checkpoints import DEFAULT, load_shipped
from tests.inside import follow
from viz.run.axes import all_heads
from viz.run.making import make_run
from viz.subjects.start.actions import SCENES
from viz.subjects.start.facts import KIND

SOURCE = DEFAULT.replace(" ", "+")
APP = re.compile(r"/static/js/index\.[\w-]+\.js$")
STAGES = ["Guess", "Ask", "Match", "Share", "Mix", "Answer"]


@pytest.fixture(scope="module")
def reader(browser: Browser, shipped_address: str) -> Iterator[Page]:
    """Open the page of a reader who tries one thing after the other."""
    with open_page(browser, shipped_address) as page:
        yield page


@pytest.fixture
def start(reader: Page, shipped_address: str) -> Page:
    turn(reader, f"{shipped_address}/?scene=guess&source={SOURCE}")
    return reader


@pytest.fixture
def answer(reader: Page, shipped_address: str) -> Page:
    """Go to the last stage, after a guess."""
    turn(reader, f"{shipped_address}/?scene=answer&guess=5&source={SOURCE}")
    return reader


WRITES = """text => text ===
  [...document.querySelectorAll(".loupe-start-word bdi")].map((one) => one.textContent).join(" ")"""


def turn(page: Page, link: str) -> None:
    """Move to a stage and a sentence inside the app."""
    follow(page, link)
    query = dict(parse_qsl(urlsplit(link).query))
    page.wait_for_function(WRITES, arg=f"{query['source']} </s>")
    expect(page.locator("[aria-current=step]")).to_have_text(STAGES[SCENES.index(query["scene"])])
    ready(page)


def ready(page: Page) -> None:
    page.locator(".loupe-start-controls button").first.wait_for()
    settle(page)


def stage(page: Page) -> str:
    return page.locator("[aria-current=step]").inner_text()


def words(page: Page) -> list[str]:
    return page.locator(".loupe-start-word").all_inner_texts()


def said(page: Page) -> str:
    return page.locator(".loupe-start-said").inner_text()


@pytest.mark.smoke
def test_the_stages_are_walked_by_button_key_and_link_and_back(start: Page):
    assert start.locator("h1").count() == 1
    expect(start.locator("h2.loupe-start-question")).to_have_text("What does it refer to?")
    start.get_by_role("button", name="animal", exact=True).click()
    expect_in_link(start, scene="query", guess=1)
    for name in STAGES[2:]:
        start.keyboard.press("ArrowRight")
        expect(start.locator("[aria-current=step]")).to_have_text(name)
    expect_in_link(start, scene="answer", guess=1)
    assert "Your guess, animal" in said(start)
    start.keyboard.press("ArrowLeft")
    expect(start.locator("[aria-current=step]")).to_have_text("Mix")
    start.get_by_role("button", name="Next", exact=True).click()
    expect(start.locator("[aria-current=step]")).to_have_text("Answer")
    expect_in_link(start, scene="answer")
    start.reload()
    ready(start)
    assert stage(start) == "Answer"
    start.go_back()
    expect(start.locator("[aria-current=step]")).to_have_text("Mix")
    start.go_back()
    expect(start.locator("[aria-current=step]")).to_have_text("Answer")
    start.go_forward()
    expect(start.locator("[aria-current=step]")).to_have_text("Mix")
    start.get_by_role("link", name="Share").click()
    expect_in_link(start, scene="softmax")


def test_a_word_is_pointed_at_by_hand_or_key_and_the_one_in_question_keeps_its_secret(start: Page):
    word = start.locator(".loupe-start-word", has_text="tired")
    word.hover()
    expect(start.locator(".loupe-start-arc").first).to_be_attached()
    assert start.locator(".loupe-start-maybe").count() == 0
    assert all(re.fullmatch(r"[\d.]+%", text) for text in figures(start))
    assert re.fullmatch(r"tired, reads ([\d.]+% \S+(, )?)+", word.get_attribute("aria-label"))
    asked = start.locator(".loupe-start-asked")
    asked.hover()
    assert figures(start) == ["?", "?"]
    assert asked.get_attribute("aria-label") == "it, the word in question"
    stops = start.locator(".loupe-start-word[tabindex='0']")
    assert stops.all_inner_texts() == ["it"]
    stops.focus()
    start.keyboard.press("ArrowRight")
    expect(start.locator(":focus")).to_have_text(words(start)[words(start).index("it") + 1])
    start.keyboard.press("ArrowLeft")
    start.keyboard.press("ArrowLeft")
    expect(start.locator(":focus")).to_have_text("because")
    assert stops.all_inner_texts() == ["because"]
    assert stage(start) == "Guess"


def figures(page: Page) -> list[str]:
    return [text for text in page.locator(".loupe-start-figure").all_inner_texts() if text]


def test_the_other_reading_changes_the_sentence_and_every_number_can_be_checked(answer: Page):
    before = words(answer)
    answer.get_by_role("button", name="wide", exact=True).click()
    after = words(answer)
    assert [(a, b) for a, b in zip(before, after, strict=True) if a != b] == [("tired", "wide")]
    answer.wait_for_function("() => location.search.includes('wide')")
    settle(answer)
    assert words(answer) == after
    assert stage(answer) == "Answer"
    expect(answer.get_by_role("button", name="wide", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    assert answer.locator(".loupe-start-target strong").inner_text() in ("il", "elle")
    answer.go_back()
    expect(answer.get_by_role("button", name="tired", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    link = answer.get_by_role("link", name="Check every number")
    href = link.get_attribute("href")
    assert href.startswith("/attention?")
    link.click()
    answer.wait_for_function("() => location.pathname === '/attention'")
    settle(answer)
    selection = answer.evaluate("loupe.selection")
    for name, value in re.findall(r"(layer|head|query|key)=(\d+)", href):
        assert selection[name] == int(value)
    assert selection["kind"] == KIND
    assert DEFAULT.split()[selection["query"]] == "it"


def test_the_last_stage_leads_to_a_line_that_is_dragged_and_to_a_sentence_of_ones_own(answer: Page):
    answer.get_by_role("button", name="Your own sentence").click()
    expect(answer.locator(".st-key-source input")).to_be_focused()
    answer.get_by_role("button", name="Now drag it yourself").click()
    answer.wait_for_function("() => window.loupe?.page === 'touch'")
    settle(answer)
    assert DEFAULT.split()[answer.evaluate("loupe.selection.query")] == "it"
    answer.go_back()
    ready(answer)
    answer.get_by_role("link", name="Match").click()
    root = answer.get_by_role("link", name="√16")
    assert root.get_attribute("href").startswith("/learn?lesson=square-root")


def test_an_own_sentence_is_asked_about_and_one_typed_at_a_bare_root_stays_at_the_start(
    reader: Page, shipped_address: str
):
    turn(reader, f"{shipped_address}/?scene=guess&source=my+sister+likes+the+red+dress+.")
    question = reader.locator("h2.loupe-start-question").inner_text()
    assert re.fullmatch(r"Where does \S+ look\?", question)
    reader.locator(".loupe-start-word:not(.loupe-start-asked)").first.click()
    expect_in_link(reader, scene="query", guess=0)
    reader.get_by_role("link", name="Answer").click()
    expect(reader.locator(".loupe-start-text")).to_contain_text("reads")
    assert reader.get_by_role("button", name="wide", exact=True).count() == 0
    held: list[Route] = []  # held until the notice was seen, so that the app cannot start
    reader.route(APP, lambda route: held.append(route), times=1)
    reader.goto(shipped_address, wait_until="commit")
    waiting = reader.locator("#loupe-waiting")
    waiting.wait_for(state="visible")
    [route] = held
    route.continue_()
    ready(reader)
    expect(waiting).to_be_hidden()
    assert reader.evaluate("location.search") == ""
    type_source(reader, "the cat sleeps .")
    reader.wait_for_function("() => location.search.includes('cat')")
    expect(reader.locator(".loupe-start-word").nth(1)).to_have_text("cat")
    expect_in_link(reader, scene="guess")
    reader.reload()
    ready(reader)
    assert reader.evaluate("location.pathname") == "/"
    assert words(reader)[:3] == ["the", "cat", "sleeps"]


def test_a_word_that_is_pressed_is_followed_and_without_motion_a_stage_comes_as_it_ends(
    start: Page,
):
    start.locator(".loupe-start-word", has_text="tired").click()
    expect_in_link(start, scene="answer", word=11)
    expect(start.locator(".loupe-start-asked")).to_have_text("tired")
    expect(start.locator(".loupe-start-text")).to_contain_text("tired reads")
    start.evaluate(
        """() => {
          window.asked = 0;
          const ask = window.requestAnimationFrame.bind(window);
          window.requestAnimationFrame = (step) => {
            if (step.name === "step") window.asked++;
            return ask(step);
          };
        }"""
    )
    start.get_by_role("link", name="Mix").click()
    expect(start.locator("[aria-current=step]")).to_have_text("Mix")
    clip = start.locator(".loupe-start-streams").evaluate("node => node.style.clipPath")
    assert re.match(r"inset\(0(px)? -40px 0(\.0)?%", clip)
    assert start.evaluate("window.asked") == 0
    assert start.get_by_role("button", name="Play", exact=True).count() == 0
    start.locator(".loupe-start-word", has_text="it").first.click()
    expect(start.locator(".loupe-start-asked")).to_have_text("it")
    expect_in_link(start, scene="mix", word=8)


def test_what_was_said_of_another_sentence_is_forgotten_until_it_comes_back(answer: Page):
    assert "You said" in said(answer)
    answer.get_by_role("button", name="Examples").click()
    answer.get_by_role("menuitem", name="She gave me a book").click()
    expect(answer.locator(".loupe-start-word").first).to_have_text("she")
    expect_in_link(answer, scene="guess")
    assert "guess=" not in answer.url
    answer.go_back()
    expect(answer.locator(".loupe-start-text")).to_contain_text("You said")
    expect_in_link(answer, scene="answer", guess=5)


def test_of_a_sentence_too_long_for_the_browsers_model_python_runs_without_the_head(
    reader: Page, shipped_address: str
):
    text = " and ".join(["the old dog sees a red house"] * 22) + " ."
    run = make_run(load_shipped("everyday-paper-0"), text)
    assert len(run.source.ids) + len(run.target_ids) > 160
    turn(reader, f"{shipped_address}/?scene=answer&word=2&source={text.replace(' ', '+')}")
    expect(reader.locator(".loupe-start-asked")).to_have_text("dog")
    effect = reader.locator(".loupe-start-effect")
    expect(effect).to_contain_text(re.compile(r"goes from [\d.]+% to [\d.]+%"))
    layer, head = map(int, re.search(r"layer (\d), head (\d)", effect.inner_text()).groups())
    row = all_heads(run, KIND)[layer, head, 2]
    share = reader.locator(".loupe-start-figure", has_text="%").first.inner_text()
    assert abs(float(share.rstrip("%")) / 100 - row.max()) < 0.0006
    reader.locator(".loupe-start-word", has_text="house").first.click()
    expect(reader.locator(".loupe-start-asked")).to_have_text("house")


ONLY_BY_HAND = """() => window.addEventListener("keydown", (event) => {
  if (!event.isTrusted) event.stopImmediatePropagation();  // Enter after a pause
}, true)"""
IS_TYPED = f"""text => loupe.selection.run === "typed" && ({WRITES})(text)"""
IS_RUN = """text => loupe.selection.run !== "typed" &&
  new URLSearchParams(location.search).get("source") === text"""
SHOWN = """() => ["word.loupe-start-asked", "said", "written", "stages [aria-current=step]"]
  .map((part) => document.querySelector(`.loupe-start-${part}`).textContent)
  .concat([...document.querySelectorAll(".loupe-start-figure")].map((one) => one.textContent))
  .concat(document.querySelectorAll(".loupe-start-arc").length)"""


def type_by_hand(page: Page, text: str) -> Locator:
    """Type without pressing Enter once the browser has the model."""
    page.wait_for_function("() => loupe.traces.size > 0")
    page.evaluate(ONLY_BY_HAND)
    field = page.get_by_label("English source", exact=True)
    field.fill(text)
    page.wait_for_function(IS_TYPED, arg=f"{text} </s>")
    return field


def test_a_sentence_is_followed_while_it_is_typed_and_stands_the_same_after_enter(
    reader: Page, shipped_address: str
):
    text = "my sister likes the dress but it is red"
    turn(reader, f"{shipped_address}/?scene=answer&source=the+cat+sleeps+.")
    field = type_by_hand(reader, text)
    expect(reader.locator(".loupe-start-asked")).to_have_text("it")
    assert "ma sœur aime" in reader.locator(".loupe-start-target").inner_text()
    assert reader.locator(".loupe-start-arc").count() > 1
    assert "source=the+cat" in reader.url
    field.press_sequentially(" .")
    reader.wait_for_function(IS_TYPED, arg=f"{text} . </s>")
    seen = reader.evaluate(SHOWN)
    assert seen[3] == "Answer"
    field.press("Enter")
    reader.wait_for_function(IS_RUN, arg=f"{text} .")
    expect_in_link(reader, scene="answer")
    settle(reader)
    assert reader.evaluate(SHOWN) == seen
    unknown = "the trophy did not fit because it was big"
    field = type_by_hand(reader, unknown)
    drawn = reader.locator(".loupe-start-unknown")
    expect(drawn).to_have_text("fit")
    field.press("Enter")
    reader.wait_for_function(IS_RUN, arg=unknown)
    settle(reader)
    expect(drawn).to_have_text("fit")


def test_a_word_that_was_chosen_stays_asked_about_while_others_are_typed(
    reader: Page, shipped_address: str
):
    turn(reader, f"{shipped_address}/?scene=mix&word=11&source={SOURCE}")
    longer = DEFAULT.replace("animal", "old animal")
    field = type_by_hand(reader, longer)
    expect(reader.locator(".loupe-start-asked")).to_have_text("tired")
    field.fill(DEFAULT)
    reader.wait_for_function("() => loupe.selection.run !== 'typed'")
    expect(reader.locator(".loupe-start-word").nth(1)).to_have_text("animal")
    assert reader.get_by_role("link", name="Mix").get_attribute("aria-current") == "step"
    field.fill(longer)
    reader.wait_for_function(IS_TYPED, arg=f"{longer} </s>")
    field.press("Enter")
    expect_in_link(reader, scene="mix", word=12)
    settle(reader)
    expect(reader.locator(".loupe-start-asked")).to_have_text("tired")


@pytest.fixture(scope="module")
def phone(browser: Browser, shipped_address: str) -> Iterator[Page]:
    """Open a page on a phone, with animations."""
    size = {"width": 390, "height": 664}
    with open_context(
        browser, viewport=size, has_touch=True, reduced_motion="no-preference"
    ) as context:
        page = context.new_page()
        page.goto(f"{shipped_address}/?scene=scores&source={SOURCE}")
        ready(page)
        yield page


def test_with_motion_a_stage_begins_with_nothing_and_ends_with_all(
    phone: Page, shipped_address: str
):
    turn(phone, f"{shipped_address}/?scene=scores&source={SOURCE}")
    heights = """() => [...document.querySelectorAll('.loupe-start-bar')].map(
        (bar) => Number(bar.style.transform.match(/scaleY\\((.*)\\)/)[1]))"""
    phone.get_by_role("link", name="Guess").click()
    phone.get_by_role("link", name="Match").click()
    first = phone.evaluate(heights)
    assert first[-2] == 0
    phone.wait_for_function(f"() => ({heights})().filter((high) => high > 0.01).length > 5")
    assert phone.get_by_role("button", name="Play", exact=True).count() == 1


LAID_OVER = """() => {
  const box = (node) => node.getBoundingClientRect();
  const told = ["question", "text", "formula", "effect", "jobs", "answers", "ways"]
    .flatMap((name) => [...document.querySelectorAll(`.loupe-start-${name}`)])
    .filter((node) => node.checkVisibility());
  const board = document.querySelector(".loupe-start-board");
  const off = [board, ...told].filter((node) => box(node).bottom > innerHeight + 0.5)
    .map((node) => `${node.className} ends at ${Math.round(box(node).bottom)} of ${innerHeight}`);
  const covered = told.flatMap((node) => {
    const { left, right, bottom, top } = box(node);
    const points = [[left + 2, top + 2], [(left + right) / 2, bottom - 2], [right - 2, top + 2]];
    return points.map(([x, y]) => document.elementFromPoint(x, y))
      .filter((at) => at && !node.contains(at) && !at.contains(node))
      .map((at) => `${at.className} over ${node.className}`);
  });
  const ways = [...document.querySelectorAll(".loupe-start-ways > *")];
  const rows = ways.filter((way) => way.offsetParent).map((way) => box(way).top);
  const share = box(document.querySelector(".loupe-start-words")).height / innerHeight;
  return [...off, ...covered, ...(new Set(rows).size > 1 ? ["the ways on in two rows"] : []),
    ...(share > 0.45 ? [`the words take ${share} of the screen`] : [])];
}"""


def test_on_a_phone_each_stage_stands_on_one_screen_with_nothing_over_it(
    phone: Page, shipped_address: str
):
    phone.goto(f"{shipped_address}/?scene=guess&source={SOURCE}&lang=fr")  # French words are longer
    ready(phone)
    found = {}
    for place, scene in enumerate(SCENES):
        phone.locator(".loupe-start-stages a").nth(place).evaluate("node => node.click()")
        expect_in_link(phone, scene=scene)
        settle(phone)
        for height in (664, 844):
            phone.set_viewport_size({"width": 390, "height": height})
            if trouble := phone.evaluate(LAID_OVER):
                found[scene, height] = trouble
    assert found == {}
    phone.locator(".loupe-start-word", has_text="tired").tap()
    expect(phone.locator(".loupe-start-asked")).to_have_text("tired")
    assert phone.locator(".loupe-start-effect").evaluate(
        "node => getComputedStyle(node).fontFamily"
    ) == phone.locator(".loupe-start-text").evaluate("node => getComputedStyle(node).fontFamily")


WRITTEN_ON = """() => [...document.querySelectorAll(
    ".st-key-bar_out .loupe-sentence, .loupe-start-target")]
  .filter((node) => node.checkVisibility()).length"""


def test_on_a_small_phone_each_stage_has_the_translation_once(phone: Page, shipped_address: str):
    phone.set_viewport_size({"width": 390, "height": 664})
    phone.emulate_media(reduced_motion="reduce")
    follow(phone, f"{shipped_address}/?scene=guess&source=I+love+pizza+because+it+is+delicious")
    expect(phone.locator(".loupe-start-word").nth(2)).to_have_text("pizza")
    ready(phone)
    found = {}
    for place, scene in enumerate(SCENES):
        phone.locator(".loupe-start-stages a").nth(place).evaluate("node => node.click()")
        expect_in_link(phone, scene=scene)
        settle(phone)
        found[scene] = phone.evaluate(WRITTEN_ON)
    assert found == dict.fromkeys(SCENES, 1)
