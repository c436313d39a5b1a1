"""The selection in the browser and in the link, Back and Forward, and the title of the tab."""

import pytest
from playwright.sync_api import Page, expect

from tests.browsing import (
    centre,
    chosen,
    expect_chosen,
    expect_in_link,
    ready,
    settle,
    type_source,
)
from tests.checkpoints import FIRST

SENTENCE = ".loupe-sentence"


def entries(page: Page) -> int:
    return page.evaluate("history.length")


@pytest.mark.smoke
def test_back_returns_to_the_sentence_before_and_to_its_cell(page: Page):
    ready(page)
    expect(page).to_have_title(f"Attention · {FIRST[:39].rstrip()}… · Loupe")
    opened = entries(page)
    for row, column in ((5, 3), (6, 2)):
        page.mouse.click(*centre(page, row, column))
        expect_in_link(page, query=row, key=column)
    assert entries(page) == opened  # selecting a cell adds no entry to the history
    type_source(page, "the cat sleeps .")
    expect(page.locator(SENTENCE)).to_have_text("le chat dort.")
    expect(page).to_have_title("Attention · the cat sleeps . · Loupe")
    settle(page)
    assert entries(page) == opened + 1
    there = chosen(page)

    page.go_back()
    expect(page.locator(SENTENCE)).to_contain_text("l'animal")
    expect_chosen(page, query=6, key=2)
    settle(page)
    expect(page.get_by_label("English source", exact=True)).to_have_value(FIRST)
    expect_in_link(page, query=6, key=2)

    page.go_forward()
    expect(page.locator(SENTENCE)).to_have_text("le chat dort.")
    settle(page)
    assert chosen(page) == there
    expect(page.get_by_label("English source", exact=True)).to_have_value("the cat sleeps .")
    assert entries(page) == opened + 1


def test_back_returns_to_the_checkpoint_before_and_to_the_page_before(page: Page):
    ready(page)
    opened = entries(page)
    page.get_by_role("link", name="Map").click()
    page.wait_for_function("loupe.page === 'map'")
    expect(page).to_have_title(f"Map · {FIRST[:39].rstrip()}… · Loupe")
    settle(page)
    page.locator(".st-key-checkpoint [role=combobox]").click()
    page.get_by_role("option", name="without a causal mask").click()
    expect_in_link(page, checkpoint="everyday-headlist")
    settle(page)
    assert entries(page) == opened + 2
    page.go_back()
    page.wait_for_function("!location.search.includes('headlist')")
    settle(page)
    assert page.url.split("?")[0].endswith("/map")
    model = page.get_by_role("combobox", name="Model")
    expect(model).to_have_value("The paper · Everyday English to French")
    page.go_back()
    page.wait_for_function("loupe.page === 'attention'")
    settle(page)
    assert entries(page) == opened + 2
