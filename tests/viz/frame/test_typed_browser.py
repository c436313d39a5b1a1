"""What the browser's own model shows of a sentence while it is being typed, in a real browser."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browsing import NO_PAUSE, expect_in_link, open_page, ready, settle, turn_to
from tests.held_line import Line
from tests.shipped import shipped
from viz.address.selection import nearest

NAME = "everyday-paper-0"
TYPED = "The old man reads a book"
BEFORE = "The old man reads."
ENTERED = "The old man reads a book."


@contextmanager
def opened(browser: Browser, address: str, link: str) -> Iterator[Page]:
    """Open a view of the model and wait until the browser can run it."""
    with open_page(browser, f"{address}/{link}&checkpoint={NAME}") as page:
        ready(page)
        page.wait_for_function("loupe.traces.size > 0")
        yield page


@pytest.fixture
def page(browser: Browser, shipped_address: str) -> Iterator[Page]:
    with opened(browser, shipped_address, "attention?source=The old man reads.") as page:
        yield page


def field(page: Page) -> Locator:
    return page.locator(".st-key-source input")


def test_each_key_is_answered_and_python_has_the_same_after_enter_or_a_pause(page: Page):
    run = shipped(NAME, TYPED)[0]
    before = page.evaluate("loupe.selection.run")
    field(page).fill(TYPED)
    expect(page.locator(".loupe-live-sentence")).to_have_text(run.text)
    expect(page.locator(".loupe-live-mark")).to_have_text("as you type")
    assert page.evaluate("loupe.selection.run") == "typed"
    assert page.evaluate("loupe.run().tokens.source") == list(run.source.tokens)
    field(page).press("Enter")
    expect(page.locator(".loupe-live-mark")).to_have_text("✓")
    expect(page.locator(".st-key-bar_out .loupe-sentence")).to_have_text(run.text)
    assert page.evaluate("loupe.selection.run") not in ("typed", before)
    title = page.locator(".loupe-live-mark").get_attribute("title")
    assert title
    assert "PyTorch writes the same words" in title
    field(page).fill(BEFORE)
    page.wait_for_function("loupe.selection.run === 'typed'")
    expect_in_link(page, source=BEFORE)
    expect(page.locator(".loupe-live-mark")).to_have_text("✓")


def test_a_wholly_other_sentence_has_the_cell_most_worth_seeing_at_each_key_and_then(
    browser: Browser, shipped_address: str
):
    """`the </s>` shares both tokens with the first sentence, whose selected key is `</s>`."""
    cell = "kind=encoder self-attention&layer=1&head=3&query=0&key=13"
    with opened(browser, shipped_address, f"attention?{cell}") as page:
        before = page.evaluate("loupe.selection")
        text = "The girl reads a book."
        field(page).fill("The ")
        page.wait_for_function("loupe.run().tokens.source.join(' ') === 'the </s>'")
        field(page).fill(text)
        run = shipped(NAME, text)[0]
        head = {name: before[name] for name in ("kind", "layer", "head")}
        wanted, _ = nearest(run, head, moved=True)
        cell = "[loupe.selection.query, loupe.selection.key]"
        page.wait_for_function(
            "wanted => loupe.run().tokens.source.length === wanted", arg=len(run.source.tokens)
        )
        assert page.evaluate(cell) == [wanted.query, wanted.key]
        field(page).press("Enter")
        page.wait_for_function(
            "loupe.selection.run !== 'typed' && loupe.run()?.tokens.source[1] === 'girl'"
        )
        assert page.evaluate(cell) == [wanted.query, wanted.key]
        assert {name: page.evaluate("loupe.selection")[name] for name in head} == head


def test_what_is_no_word_yet_is_not_read_and_typed_back_it_is_pythons_again(page: Page):
    before = page.evaluate("loupe.selection")
    page.evaluate(NO_PAUSE)
    field(page).fill("The old man reads a boo")
    page.wait_for_function(
        "document.querySelector('.loupe-unfinished')?.textContent.trim() === 'boo…'"
        " && loupe.run().tokens.source.at(-2) === 'a'"
    )
    assert page.evaluate("loupe.selection.run") == "typed"
    field(page).fill(BEFORE)
    page.wait_for_function("loupe.selection.run !== 'typed'")
    assert page.evaluate("loupe.selection") == before
    expect(page.locator(".loupe-live")).to_have_count(0)


def test_the_step_of_a_sentence_that_was_left_is_left_with_it(
    browser: Browser, shipped_address: str
):
    link = "decoding?source=The old man reads.&step=2"
    with opened(browser, shipped_address, link) as page:
        place = page.locator(".studio-where")
        before = place.inner_text()
        page.evaluate(NO_PAUSE)
        field(page).fill("The old man reads")
        page.wait_for_function("loupe.selection.run === 'typed'")
        page.evaluate("() => loupe.select({ step: 1 })")
        field(page).fill("The old man reads.")
        page.wait_for_function("loupe.selection.run !== 'typed'")
        assert page.evaluate("loupe.selection.step") == 2
        expect(place).to_have_text(before)


SPY = """() => {
  window.shown = [];
  const tell = loupe.tell;
  loupe.tell = (what) => {
    tell(what);
    const count = (all) => document.querySelectorAll(all).length;
    const off = count(".loupe-head-switch[aria-checked=false]");
    shown.push([loupe.selection.run === "typed", off, count(".loupe-before") > 0]);
  };
}"""


def let_it_answer(page: Page) -> None:
    """Let the browser's model answer once; before it is loaded, Python is just as quick."""
    page.evaluate(NO_PAUSE)
    text = field(page).input_value()
    field(page).fill(f"{text} The")
    page.wait_for_function("loupe.selection.run === 'typed'")
    field(page).fill(text)
    page.wait_for_function("loupe.selection.run !== 'typed'")


def test_a_switch_of_a_head_is_answered_before_python_has_run_it(page: Page):
    heads = page.locator(".loupe-head-switch")
    let_it_answer(page)
    page.evaluate(SPY)
    heads.nth(1).click()
    expect(page.locator(".loupe-live-mark")).to_have_text("✓")
    heads.nth(2).click()
    page.wait_for_function("new URLSearchParams(location.search).get('edits')?.includes('~')")
    expect(page.locator(".loupe-live-mark")).to_have_text("✓")
    shown = page.evaluate("shown")
    assert [True, 1, False] in shown
    assert [True, 2, False] in shown
    assert shown[-1] == [False, 2, False]
    off = [count for _, count, _ in shown]
    assert off == sorted(off), "a switch went back"
    assert not any(is_dimmed for *_, is_dimmed in shown)
    page.evaluate("shown.length = 0")
    page.keyboard.press("u")
    page.wait_for_function("shown.some(([own]) => own) && !shown.at(-1)[0]")
    assert page.evaluate("shown.at(-1)[1]") == 1


def test_a_dial_is_answered_at_once_and_not_one_that_the_browser_cannot_turn(
    browser: Browser, shipped_address: str
):
    link = "map?source=The old man reads.&more_map_dials=true&more_map_sublayers=true"
    with opened(browser, shipped_address, link) as page:
        dials = (".st-key-dial_divisor button", ".st-key-dial_encoder-layers-0-self_attn label")
        let_it_answer(page)
        for dial in dials:
            page.evaluate(SPY)
            page.locator(dial).first.click()
            page.wait_for_function("shown.some(([own]) => own) && !shown.at(-1)[0]")
            expect(page.locator(".loupe-live-mark")).to_have_text("✓")
        page.evaluate(SPY)
        page.locator(".st-key-dial_causal button").nth(1).click()
        page.wait_for_function("location.search.includes('fill')")
        assert not page.evaluate("shown.some(([own]) => own)")


@pytest.mark.parametrize("changes", ["sentence", "page"])
def test_enter_and_back_at_once_leaves_nothing_of_the_sentence(
    line: Line, shipped_address: str, changes: str
):
    """Python hears of the sentence and of the way back together, so it runs only the latter."""
    page = line.page
    first = "The cat sleeps." if changes == "sentence" else BEFORE
    page.goto(f"{shipped_address}/attention?checkpoint={NAME}&source={first}&lang=en")
    ready(page)
    run = shipped(NAME, first)[0]
    if changes == "sentence":
        field(page).fill(BEFORE)
        field(page).press("Enter")
        expect_in_link(page, source=BEFORE)
    else:
        turn_to(page, "map")
    settle(page)
    let_it_answer(page)
    field(page).fill(ENTERED)
    page.wait_for_function("loupe.selection.run === 'typed'")
    line.is_held = True
    field(page).press("Enter")
    line.wait_for(1)
    page.evaluate("history.back()")
    line.wait_for(2)
    line.release()
    expect(field(page)).to_have_value(first)
    expect(page.locator(".st-key-bar_out .loupe-sentence")).to_have_text(run.text)
    page.wait_for_function("location.pathname === '/attention'")
    settle(page)
    assert page.evaluate("loupe.selection.run") != "typed"
    assert page.evaluate("loupe.run().tokens.source") == list(run.source.tokens)
    expect(page.locator(".loupe-live-sentence:visible")).to_have_count(0)
    expect(page.locator(".loupe-stale")).to_have_count(0)
    expect_in_link(page, head=page.evaluate("loupe.selection.head"))


NO_PATIENCE_ENDS = """() => {
  const wait = setTimeout;
  window.setTimeout = (act, after, ...rest) => (after === 10000 ? 0 : wait(act, after, ...rest));
}"""


def test_a_change_and_back_at_once_leaves_nothing_of_the_change(line: Line, shipped_address: str):
    """This holds even before the browser has waited long enough for Python to make the change."""
    page = line.page
    page.goto(f"{shipped_address}/map?checkpoint={NAME}&source={BEFORE}&lang=en")
    ready(page)
    page.evaluate(NO_PATIENCE_ENDS)
    turn_to(page, "attention")
    page.wait_for_function("loupe.traces.size > 0")
    let_it_answer(page)
    before = page.evaluate("loupe.selection.run")
    page.evaluate("document.activeElement.blur()")
    line.is_held = True
    page.keyboard.press("x")
    page.wait_for_function("loupe.selection.run === 'typed'")
    page.evaluate("history.back()")
    page.wait_for_function("loupe.selection.run !== 'typed'")
    assert page.evaluate("loupe.selection.run") == before
    line.wait_for(2)
    line.release()
    page.wait_for_function("location.pathname === '/map'")
    settle(page)
    assert page.evaluate("loupe.selection.run") == before
    assert "edits" not in page.url


def test_the_card_of_a_cell_that_is_chosen_again_is_pythons_again(line: Line, shipped_address: str):
    """Python sends nothing for it, because it has sent the same data before."""
    page = line.page
    source = "the small black cat sleeps because it is tired ."
    cell = "kind=encoder self-attention&layer=1&head=1&query=4&key=0"
    page.goto(f"{shipped_address}/attention?checkpoint={NAME}&source={source}&{cell}&lang=en")
    ready(page)
    page.wait_for_function("loupe.traces.size > 0")
    checks = page.locator(".cell-checks summary")
    expect(checks).to_have_text("✓ all 13 steps agree with float64")  # all of Python's data is here
    card = page.locator(".loupe-cell_words")
    whole = card.text_content()
    line.is_held = True
    page.keyboard.press("ArrowRight")
    page.wait_for_function("loupe.selection.key === 1")
    assert card.text_content() != whole
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("loupe.selection.key === 0")
    assert card.text_content() == whole
