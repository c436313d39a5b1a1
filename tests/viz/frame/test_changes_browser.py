"""The changes of a run in a browser: on every page, in the link, and undone all at once."""

import re
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browsing import open_page, ready, seen_run, settle, turn_to, wait_until
from tests.checkpoints import DEFAULT

SOURCE = "the cat sleeps ."
HEAD = "encoder self-attention, layer 0, head 1"
NOTHING = "?source=the+cat+sleeps+.&checkpoint=everyday-paper"
NO_CROSS = f"{NOTHING}&edits=zero!decoder.layers.*.cross_attn.output"


def bar(page: Page) -> Locator:
    return page.locator(".loupe-change-card")


def open_details(page: Page) -> None:
    bar(page).get_by_role("button", name="Details").click()


def text(page: Page) -> str:
    return page.locator(".st-key-bar_out .loupe-sentence").inner_text()


def changes_in_link(page: Page) -> str:
    return page.evaluate("new URLSearchParams(location.search).get('edits') ?? ''")


def test_a_linked_change_shows_on_every_page(
    browser: Browser, address: str, checkpoints_folder: Path
):
    before = seen_run(checkpoints_folder, source=SOURCE).text
    written = set()
    with open_page(browser, f"{address}/map{NO_CROSS}") as page:
        for name in ("map", "decoding"):
            turn_to(page, name)
            expect(bar(page).locator("strong")).to_have_text("Changed run")
            written.add(text(page))
    assert len(written) == 1
    assert before not in written


def test_what_was_done_is_undone_done_again_switched_off_and_removed_and_done_by_a_key(
    browser: Browser, address: str
):
    with open_page(browser, f"{address}/attention{NOTHING}") as page:
        ready(page)
        expect(bar(page)).to_have_count(0)
        switch = page.get_by_role("switch", name=HEAD, exact=True)
        expect(switch).to_have_attribute("aria-checked", "true")
        switch.click()
        change = bar(page).get_by_role("switch", name=f"{HEAD} off")
        expect(bar(page).locator("strong")).to_have_text("Changed run")
        open_details(page)
        expect(change).to_be_visible()
        expect(switch).to_have_attribute("aria-checked", "false")
        wait_until(page, "new URLSearchParams(location.search).get('edits')")
        page.keyboard.press("u")
        expect(change).to_have_count(0)
        expect(switch).to_have_attribute("aria-checked", "true")
        page.keyboard.press("Shift+U")
        expect(change).to_be_visible()
        change.click()
        expect(change).to_have_attribute("aria-checked", "false")
        expect(switch).to_have_attribute("aria-checked", "true")
        settle(page)
        assert changes_in_link(page).startswith("-zero!")
        bar(page).get_by_role("button", name=re.compile("^Remove")).click()
        expect(change).to_have_count(0)
        settle(page)
        assert changes_in_link(page) == ""
        page.evaluate("loupe.select({ kind: 'cross-attention' })")
        page.keyboard.press("x")
        expect(bar(page).locator("strong")).to_have_text("Changed run")
        settle(page)
        run = "loupe.selection.run"
        wait_until(page, "loupe.runs.size > 1")
        changed = page.evaluate(run)
        page.keyboard.down("b")
        wait_until(page, f"{run} !== {changed!r}")
        assert page.evaluate(f"loupe.runs.has({run})")
        page.keyboard.up("b")
        wait_until(page, f"{run} === {changed!r}")


def test_a_change_of_positions_is_not_made_to_another_sentence(browser: Browser, address: str):
    pull = "&edits=point!decoder.layers.*.cross_attn.weights;r1;c0"
    with open_page(browser, f"{address}/attention{NOTHING}{pull}") as page:
        expect(bar(page).locator("strong")).to_have_text("Changed run")
        settle(page)
        field = page.get_by_label("English source", exact=True)
        field.fill(DEFAULT)
        field.press("Enter")
        expect(bar(page).locator("strong")).to_have_text("Unchanged")
        open_details(page)
        expect(bar(page)).to_contain_text("not in this text")
        field.fill(SOURCE)
        field.press("Enter")
        expect(bar(page).locator("strong")).to_have_text("Changed run")


def test_a_dial_is_turned_on_the_map_and_back(browser: Browser, address: str):
    with open_page(browser, f"{address}/map{NOTHING}&more_map_dials=true") as page:
        dial = page.get_by_role("radiogroup", name="Decoder layers used")
        ready(page)
        dial.get_by_role("radio", name="0").click()
        expect(bar(page).locator("strong")).to_have_text("Changed run")
        expect(bar(page)).to_contain_text("decoder layer 0 skipped")
        open_details(page)
        bar(page).get_by_role("button", name="Clear all changes").click()
        expect(bar(page).locator("strong")).to_have_text("Unchanged")


def test_a_link_that_says_nothing_that_can_be_made_is_told_and_forgotten(browser, address):
    with open_page(browser, f"{address}/attention{NOTHING}&edits=burn!everything") as page:
        expect(page.get_by_text("No kind of change is called")).to_be_visible()
        page.get_by_role("button", name="Continue without it").click()
        expect(page.get_by_text("No kind of change is called")).to_have_count(0)
        settle(page)
        assert changes_in_link(page) == ""


def test_the_bar_is_one_line_and_neither_covers_nor_moves_a_control_in_use(
    browser: Browser, shipped_address: str
):
    query = "?source=the+cat+sleeps+.&more_scaling=true"
    with open_page(browser, f"{shipped_address}/attention{query}") as page:
        slider = page.get_by_role("slider", name="divisor of the scores")
        slider.wait_for()
        ready(page)
        slider.evaluate(
            """(node) => node.closest("[data-testid=stMain]")
                .scrollBy(0, node.getBoundingClientRect().top - 70)"""
        )
        slider.focus()
        page.keyboard.press("Home")
        expect(bar(page).locator("strong")).to_have_text("Changed run")
        settle(page)
        line, held = bar(page).bounding_box(), slider.bounding_box()
        assert line
        assert held
        assert line["height"] < 45
        assert held["y"] >= line["y"] + line["height"]
        shares = page.locator(".divisor-bars b")
        assert max(box["height"] for one in shares.all() if (box := one.bounding_box())) < 30
        change = bar(page).get_by_role("switch")
        expect(change).to_be_hidden()
        page.keyboard.press("ArrowRight")
        settle(page)
        assert slider.bounding_box() == held
        page.keyboard.press("Home")
        settle(page)
        open_details(page)
        expect(change).to_have_count(1)
        expect(change).to_have_text("all attention scores × 4")
        assert slider.bounding_box() == held
        bar(page).get_by_role("button", name="Remove: all attention scores").click()
        expect(bar(page).locator("strong")).to_have_text("Unchanged")
        settle(page)
        assert changes_in_link(page) == ""
