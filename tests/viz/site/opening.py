"""Opens pages of a site; an error on one of them fails the test."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page

SIZE = {"width": 1280, "height": 900}


@contextmanager
def watched(browser: Browser) -> Iterator[Page]:
    """Open a page in a browser context of its own; fail if it reports an error."""
    context = browser.new_context(viewport=SIZE, locale="en-GB")
    page = context.new_page()
    with untroubled(page):
        yield page
    context.close()


@contextmanager
def untroubled(page: Page) -> Iterator[None]:
    """Fail if the page reports an error meanwhile."""
    wrong: list[str] = []
    watching = {
        "console": lambda said: said.type == "error" and wrong.append(said.text),
        "pageerror": lambda error: wrong.append(str(error)),
    }
    for event, watch in watching.items():
        page.on(event, watch)
    yield
    for event, watch in watching.items():
        page.remove_listener(event, watch)
    assert wrong == []
