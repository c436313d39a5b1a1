"""A site that is served, and a page of a browser that may not complain."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from qa.audit.browser import serve_files
from tests.viz.site.opening import SIZE, untroubled


@pytest.fixture(scope="module", autouse=True)
def _own_models() -> Iterator[None]:
    """Put back the list of models, to which the command adds the folders of a site."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("LOUPE_MODELS", "")
        yield


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[str]:
    """Give the address of what a module of tests has written into its folder."""
    with serve_files(folder) as address:
        yield address


@pytest.fixture(scope="module")
def kept_page(browser: Browser) -> Iterator[Page]:
    """Open one page for the tests of a module: it has compiled the site's code after the first.

    No worker of a site answers in it: tests of that open browsers of their own.
    """
    options = {"viewport": SIZE, "locale": "en-GB", "service_workers": "block"}
    with browser.new_context(**options) as context:
        yield context.new_page()


@pytest.fixture
def page(kept_page: Page) -> Iterator[Page]:
    """A page that may not complain, and remembers nothing of the tests before."""
    with untroubled(kept_page):
        yield kept_page
        if kept_page.url != "about:blank":
            kept_page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        kept_page.goto("about:blank")
    kept_page.unroute_all()
    kept_page.set_viewport_size(SIZE)
