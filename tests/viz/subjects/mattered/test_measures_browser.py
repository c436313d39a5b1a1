"""What mattered for a token, in a real browser: clicks on another token and on a measure."""

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from model.attribution.measures import MEASURES
from tests.browsing import open_page, settle
from tests.checkpoints import DEFAULT
from texts import say
from viz.models import running
from viz.run.inputs import Inputs
from viz.subjects.mattered import measures_cache as cache
from viz.subjects.mattered.row_measures import first_places

TOKEN = 5


@pytest.fixture(scope="module")
def measures(browser, address):
    link = f"{address}/mattered?step=1&more_mattered_measures=true"
    with open_page(browser, link) as page:
        yield page


def firsts_drawn(page: Page) -> list[int]:
    """Return the source position of the filled bar of each strip."""
    return page.evaluate(
        """() => [...document.querySelectorAll(".measures-strip")].map((strip) => {
          const bars = [...strip.querySelectorAll("rect")];
          return bars.findIndex((bar) => bar.classList.contains("measures-first"));
        })"""
    )


@pytest.mark.usefixtures("tiny_checkpoints")
def test_a_click_on_a_token_shows_what_mattered_for_it(measures: Page):
    page = measures
    chips = page.locator(".loupe-mattered_measures .loupe-chip")
    expect(chips.nth(1)).to_have_attribute("aria-pressed", "true")
    chips.nth(TOKEN).click()
    expect(chips.nth(TOKEN)).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".measures-waits")).to_have_count(0)
    settle(page)
    view = running.open_view(Inputs("everyday-paper", DEFAULT, "", "cpu"))
    expect(page.locator(".st-key-mattered_said .loupe-heading")).to_contain_text(
        view.run.target_tokens[TOKEN + 1]
    )
    found = first_places(cache.seen(view), cache.again(view, TOKEN), TOKEN)
    expected = [found[name] if found[name] is not None else -1 for name in MEASURES]
    assert firsts_drawn(page) == expected
    values = cache.seen(view)["attention"][TOKEN]
    assert int(np.argmax(values)) == expected[0]


def test_a_click_on_a_measure_explains_it(measures: Page):
    name = measures.get_by_role("button", name=say("mattered.label.vectors"), exact=True)
    name.click()
    what = measures.locator(".measures-what")
    expect(what).to_have_text(say("mattered.what.vectors"))
    expect(name).to_be_focused()
    expect(name).to_have_attribute("aria-expanded", "true")
    name.click()
    expect(what).to_have_count(0)


def test_all_numbers_are_there_as_a_table(measures: Page):
    measures.locator(".loupe-mattered_measures .loupe-table-button").click()
    rows = measures.locator(".loupe-mattered_measures .loupe-as-table tbody tr")
    expect(rows).to_have_count(len(MEASURES))
