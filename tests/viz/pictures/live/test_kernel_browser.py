"""The browser's model in the app: the policy allows its kernel, and it also answers without one."""

from playwright.sync_api import Browser, Page, expect

from model.checkpoints.checkpoint import load_checkpoint
from tests.browsing import COMPILES, settle
from tests.checkpoints import SHIPPED
from viz.run.making import make_run

TYPED = "the old man reads a book ."


def test_the_app_may_compile_the_kernel(page: Page) -> None:
    assert page.evaluate(COMPILES)


def test_a_page_without_webassembly_answers_what_pytorch_answers(
    browser: Browser, shipped_address: str
) -> None:
    run = make_run(load_checkpoint(SHIPPED / "everyday-paper-0"), TYPED)
    context = browser.new_context()
    context.add_init_script("delete globalThis.WebAssembly")
    context.route("**/live/worker.js", lambda route: route.abort())  # runs in the page
    page = context.new_page()
    page.goto(shipped_address)
    settle(page)
    assert not page.evaluate(COMPILES)
    expect(page.locator(".loupe-start-written")).not_to_be_empty()  # the page reacts to keys now
    page.get_by_label("English source", exact=True).fill(TYPED)
    expect(page.locator(".loupe-start-written")).to_contain_text(run.text[:12])
    context.close()
