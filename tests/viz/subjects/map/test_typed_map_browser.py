"""The maps of a page follow a sentence while it is being typed."""

import re

from playwright.sync_api import Browser, Locator, Page, expect

from model.checkpoints.checkpoint import Checkpoint
from tests.browsing import NO_PAUSE, open_page, ready, settle, wait_until
from tests.checkpoints import BY_HEART, DEFAULT
from tests.viz.subjects.messages import count_messages, messages
from viz.run.making import make_run
from viz.run.record import Run

CAT, DOG = (text for text in BY_HEART if text != DEFAULT)


def words(page: Page, size: str) -> list[str]:
    """Return a map's texts except the candidates, since Python may choose another step."""
    blocks = page.locator(f".st-key-map_{size} .loupe-map-block:not(.loupe-map-candidates)")
    return blocks.locator("text").all_text_contents()


def pictures(page: Page, size: str) -> list[str]:
    return page.locator(f".st-key-map_{size} image").evaluate_all(
        "images => images.map((image) => image.getAttribute('href'))"
    )


def block(page: Page, size: str, name: str) -> Locator:
    return page.locator(f'.st-key-map_{size} .loupe-map-block[data-block="{name}"]')


def expect_map_of(page: Page, run: Run) -> None:
    source, target = len(run.source.ids), len(run.steps)
    for name, rows in (("source_embedding", source), ("target_embedding", target)):
        said = re.compile(rf"\b{rows} by 48\.")
        expect(block(page, "large", name)).to_have_accessible_description(said)
    for size in ("large", "small"):
        expect(block(page, size, "source")).to_contain_text(run.source.tokens[1])
    expect(block(page, "small", "source")).to_contain_text(f"Source, {source} tokens")
    expect(block(page, "large", "candidates")).to_contain_text(run.target_tokens[1])


def drawn(page: Page) -> dict[str, tuple[list[str], list[str]]]:
    return {size: (words(page, size), pictures(page, size)) for size in ("large", "small")}


def test_they_follow_each_key_without_a_message_and_python_changes_no_word(
    browser: Browser, address: str, checkpoint: Checkpoint
):
    runs = {text: make_run(checkpoint, text) for text in BY_HEART}
    with open_page(browser, f"{address}/map?step=0") as page:
        ready(page)
        wait_until(page, "loupe.traces.size > 0")
        settle(page)
        page.evaluate(NO_PAUSE)
        before = drawn(page)
        count_messages(page)
        field = page.get_by_label("English source", exact=True)
        opened_with = field.input_value()
        for text in (CAT, DOG):
            field.fill(text)
            expect_map_of(page, runs[text])
        typed = drawn(page)
        field.fill(opened_with)
        expect_map_of(page, runs[DEFAULT])
        assert drawn(page) == before
        field.fill(DOG)
        expect_map_of(page, runs[DOG])
        assert messages(page) == 0
        assert drawn(page) == typed
        field.press("Enter")
        wait_until(page, "loupe.selection.run !== 'typed'")
        settle(page)
        assert messages(page)
        assert words(page, "large") == typed["large"][0]
        assert words(page, "small") == typed["small"][0]
