"""A fold that is opened just before the browser goes back, in a real browser."""

from playwright.sync_api import Browser

from tests.browsing import expect_in_link, ready, settle
from tests.held_line import Line

NAME = "everyday-paper-0"
CLOSED = "() => !document.querySelector('[data-testid=stMain] details[open]')"


def test_a_fold_that_python_has_not_drawn_closes_with_the_page_that_is_left(
    browser: Browser, shipped_address: str
):
    """Streamlit drops the message about the fold unless a run for it has already begun."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    line = Line(page)
    page.goto(f"{shipped_address}/attention?checkpoint={NAME}&source=The cat sleeps.&lang=en")
    ready(page)
    field = page.locator(".st-key-source input")
    for is_heard in (False, True):
        field.fill("The old man reads.")
        field.press("Enter")
        expect_in_link(page, source="The old man reads.")
        settle(page)
        line.is_held = True
        fold = page.locator("[data-testid=stMain] [data-testid=stExpander] details").nth(1)
        fold.locator("summary").click()
        line.wait_for(1)
        page.evaluate("() => history.back()")
        line.wait_for(2)
        if not is_heard:
            line.held.pop(0)
        line.release()
        expect_in_link(page, source="The cat sleeps.")
        settle(page)
        assert "more_" not in page.url
        page.wait_for_function(CLOSED)
    page.close()
