"""The page Two heads brings its own model; leaving it restores what the user had chosen."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from sample_data.one_text.tasks import TEXT_TASKS
from tests.browsing import chosen, expect_in_link, open_page, ready, settle, turn_to

TEXT = "The old man reads a book."
CUT = "zero!decoder.layers.1.cross_attn.heads;h2"
EXAMPLE = TEXT_TASKS["induction"].examples[0]
SOURCE = ".st-key-source input"


@pytest.fixture(scope="module")
def page(browser: Browser, shipped_address: str) -> Iterator[Page]:
    cell = "kind=cross-attention&layer=1&head=2&query=3&key=3"
    link = f"{shipped_address}/attention?source={TEXT}&edits={CUT}&{cell}"
    with open_page(browser, link) as page:  # every test but the last restores the page
        ready(page)
        yield page


def go_to_two_heads(page: Page) -> None:
    turn_to(page, "induction")
    expect(page.locator(SOURCE)).to_have_value(EXAMPLE)
    expect_in_link(page, checkpoint="induction-two-heads")
    expect(page.locator(".loupe-trick")).to_be_visible()
    assert "edits" not in page.url


def expect_own(page: Page, before: dict) -> None:
    expect(page.locator(SOURCE)).to_have_value(TEXT)
    expect_in_link(page, edits=CUT)
    settle(page)
    assert "checkpoint" not in page.url
    assert chosen(page) == before


@pytest.fixture(scope="module")
def before(page: Page) -> dict:
    return chosen(page)


def test_on_another_page_what_was_chosen_is_back(page: Page, before: dict):
    go_to_two_heads(page)
    turn_to(page, "attention")
    expect_own(page, before)


def test_the_way_back_leads_to_the_first_page(page: Page, before: dict):
    go_to_two_heads(page)
    page.get_by_role("button", name="Back to your sentence").click()
    page.wait_for_function("location.pathname === '/'")
    expect(page.locator(SOURCE)).to_have_value(TEXT)
    turn_to(page, "attention")
    expect_own(page, before)


def test_the_browsers_way_back_leads_there_as_well(page: Page, before: dict):
    go_to_two_heads(page)
    page.go_back()
    page.wait_for_function("location.pathname !== '/induction'")
    turn_to(page, "attention")
    expect_own(page, before)


def test_the_model_can_be_kept(page: Page):
    go_to_two_heads(page)
    page.get_by_role("button", name="Use this one everywhere").click()
    expect(page.locator(".st-key-lent")).to_have_count(0)
    turn_to(page, "attention")
    expect(page.locator(SOURCE)).to_have_value(EXAMPLE)
    expect_in_link(page, checkpoint="induction-two-heads")
