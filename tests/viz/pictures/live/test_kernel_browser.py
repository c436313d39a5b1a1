"""The browser's model in the app: the policy lets it compile its kernel, and it answers without."""

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
    context.route("**/live/worker.js", lambda route: route.abort())  # else it runs beside the page
    page = context.new_page()
    page.goto(shipped_address)
    settle(page)
    assert not page.evaluate(COMPILES)
    expect(page.locator(".loupe-start-written")).not_to_be_empty()  # keys are followed from now on
    page.get_by_label("English source", exact=True).fill(TYPED)
    expect(page.locator(".loupe-start-written")).to_contain_text(run.text[:12])
    context.close()
