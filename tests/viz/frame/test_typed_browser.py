"""What the browser's own model makes of a sentence while it is typed, in a real browser."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from model.checkpoints.checkpoint import load_checkpoint
from tests.browsing import ready
from tests.checkpoints import SHIPPED
from viz.run.record import make_run

NAME = "everyday-paper-0"
TYPED = "The old man reads a book"


@pytest.fixture
def page(browser: Browser, shipped_address: str) -> Iterator[Page]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{shipped_address}/attention?checkpoint={NAME}&source=The old man reads.")
    ready(page)
    page.wait_for_function("loupe.traces.size > 0")
    yield page
    page.close()


def field(page: Page) -> Locator:
    return page.locator(".st-key-source input")


def test_each_key_is_answered_and_then_python_has_the_same(page: Page):
    run = make_run(load_checkpoint(SHIPPED / NAME), TYPED)
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
    assert "PyTorch wrote the same words" in title


def test_a_pause_is_as_good_as_enter(page: Page):
    field(page).fill(TYPED)
    expect(page.locator(".loupe-live-mark")).to_have_text("✓")
    assert "book" in page.url


def test_what_is_no_word_yet_is_not_read(page: Page):
    field(page).fill("The old man reads a boo")
    page.wait_for_function(
        "document.querySelector('.loupe-unfinished')?.textContent.trim() === 'boo…'"
        " && loupe.run().tokens.source.at(-2) === 'a'"
    )


def test_typed_back_it_is_pythons_again(page: Page):
    before = page.evaluate("loupe.selection")
    field(page).fill("The old man reads")
    page.wait_for_function("loupe.selection.run === 'typed'")
    field(page).fill("The old man reads.")
    page.wait_for_function("loupe.selection.run !== 'typed'")
    assert page.evaluate("loupe.selection") == before
    expect(page.locator(".loupe-live")).to_have_count(0)


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
    """Let the browser's model answer once: until it is there, Python is as quick."""
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
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(
        f"{shipped_address}/map?checkpoint={NAME}&source=The old man reads."
        "&more_map_dials=true&more_map_sublayers=true"
    )
    ready(page)
    page.wait_for_function("loupe.traces.size > 0")
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
    page.close()
