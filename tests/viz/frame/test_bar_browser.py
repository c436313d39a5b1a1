"""The sentence bar in a browser: its completions and marks, and the pages that it offers."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browsing import expect_in_link, open_page, ready, settle
from tests.checkpoints import BY_HEART

KNOWN = sorted({word for text in BY_HEART for word in text.split()})
ANSWER = ".st-key-bar_out .loupe-sentence"


def field(page: Page) -> Locator:
    return page.get_by_label("English source", exact=True)


def options(page: Page) -> list[str]:
    return page.locator(".loupe-typing [role=option]").all_inner_texts()


def marked(page: Page) -> list[tuple[str, str]]:
    """Return each underlined text of the field with the kind of its mark."""
    return [
        (mark.inner_text(), (mark.get_attribute("class") or "").removeprefix("loupe-is-"))
        for mark in page.locator(".loupe-field-marks [class^=loupe-is]").all()
    ]


def test_in_presenter_mode_a_clicker_turns_the_pages_and_the_sentence_can_be_changed(
    browser: Browser, address: str
):
    with open_page(browser, f"{address}/touch?presenter=true") as page:
        ready(page)
        expect(field(page)).to_be_hidden()
        page.keyboard.press("PageDown")
        page.wait_for_url(re.compile(r"/masks\?"))
        expect_in_link(page, presenter="true")
        settle(page)
        page.keyboard.press("PageUp")
        page.wait_for_url(re.compile(r"/touch\?"))
        settle(page)
        page.get_by_role("button", name="Next page: Masks").click()
        page.wait_for_url(re.compile(r"/masks\?"))
        settle(page)
        page.locator(".st-key-presenter_more label").click()
        expect(page.locator(".st-key-places")).to_be_visible()
        field(page).fill("the cat sleeps .")
        field(page).press("Enter")
        expect(page.locator(ANSWER)).to_have_text("le chat dort.")
        expect_in_link(page, source="the cat sleeps .")
        page.get_by_role("button", name="Leave presenter mode").click()
        expect(page.locator(".loupe-places button")).to_have_count(0)
        page.keyboard.press("PageUp")
        settle(page)
        assert "/masks" in page.url


def test_the_bar_costs_little_height_and_fits_a_phone(browser: Browser, address: str):
    with open_page(browser, f"{address}/map") as page:
        ready(page)
        bar = page.locator(".st-key-sentence_bar")
        for width, height, most in ((1366, 768, 120), (390, 844, 230)):
            page.set_viewport_size({"width": width, "height": height})
            settle(page)
            box = bar.bounding_box()
            assert box
            assert box["height"] <= most
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width


@pytest.fixture(scope="module")
def typed_in(browser: Browser, address: str) -> Iterator[Page]:
    """Open one page for all tests that fill the field themselves."""
    with open_page(browser, f"{address}/masks") as page:
        ready(page)
        yield page


def test_a_word_is_completed_by_key_or_click(typed_in: Page):
    page = typed_in
    box = field(page)
    expect(box).to_have_role("combobox")
    box.fill("")
    box.press_sequentially("The s")
    assert options(page) == []
    box.press_sequentially("l")
    assert options(page) == [word for word in KNOWN if word.startswith("sl")] == ["sleeps"]
    expect(box).to_have_attribute("aria-expanded", "true")
    box.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    box.press("Backspace")
    box.press_sequentially("tr")
    expect(page.get_by_role("option", name="street")).to_be_visible()
    box.press("ArrowDown")
    expect(box).to_have_attribute("aria-activedescendant", re.compile("."))
    active = box.get_attribute("aria-activedescendant")
    expect(page.locator(f"#{active}")).to_have_attribute("aria-selected", "true")
    box.press("Enter")
    expect(box).to_have_value("The street")
    box.press_sequentially(" an")
    box.press("Tab")
    expect(box).to_have_value("The street animal")
    box.press_sequentially(" ti")
    page.get_by_role("option", name="tired").click()
    expect(box).to_have_value("The street animal tired")
    expect(box).to_be_focused()
    box.fill("the cat sleeps")
    box.press_sequentially(" .")
    box.press("Enter")
    expect(page.locator(ANSWER)).to_have_text("le chat dort.")


def test_unknown_words_are_marked_while_they_are_typed_and_after(typed_in: Page):
    page = typed_in
    box = field(page)
    box.fill("the gnu, isn't a ca")
    box.press("t")
    assert marked(page) == [("gnu,", "unknown"), ("isn't", "unknown"), ("a", "unknown")]
    expect(page.locator(".loupe-typing [role=status]")).to_contain_text("gnu,, isn't, a")
    under = page.locator(".loupe-field-marks .loupe-is-unknown").first.bounding_box()
    whole = box.bounding_box()
    assert under
    assert whole
    assert whole["x"] < under["x"] < whole["x"] + whole["width"]
    assert abs(under["y"] + under["height"] / 2 - whole["y"] - whole["height"] / 2) < 6
    box.fill("the gnu sleeps .")
    box.press("Enter")
    expect(page.locator(".loupe-doubtful")).to_contain_text("The model has never seen “gnu”")
    settle(page)
    assert marked(page) == [("gnu", "unknown")]
    box.fill("the cat sleeps .")
    assert marked(page) == []
    box.fill("gnu " * 5_000)
    assert (marked(page), options(page)) == ([], [])


def test_the_known_words_are_listed_searched_and_taken(typed_in: Page):
    page = typed_in
    box = field(page)
    box.fill("the")
    page.get_by_role("button", name="Known words").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(f"{len(KNOWN)} known words")
    search = dialog.get_by_role("searchbox")
    expect(search).to_be_focused()
    search.fill("ca")
    expect(dialog.locator("li")).to_have_text(["cat", "because"])
    search.fill("zz")
    expect(dialog).to_contain_text("knows no word with these letters")
    search.fill("cat")
    dialog.get_by_role("button", name="cat", exact=True).click()
    expect(dialog).to_have_count(0)
    expect(box).to_have_value("the cat")
    page.get_by_role("button", name="Known words").click()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_a_text_that_is_put_in_without_a_key_is_marked_as_one_that_is_typed(typed_in: Page):
    page = typed_in
    expect(field(page)).to_be_editable()
    field(page).evaluate("input => input.setAttribute('value', input.value = 'the zyx sleeps .')")
    expect(page.locator(".loupe-field-marks [class^=loupe-is]")).to_have_text("zyx")
