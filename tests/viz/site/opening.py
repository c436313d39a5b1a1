"""Opens the pages of a site."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page


@contextmanager
def watched(browser: Browser) -> Iterator[Page]:
    """Open a page that may not complain."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-GB")
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda said: said.type == "error" and wrong.append(said.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    yield page
    context.close()
    assert wrong == []
