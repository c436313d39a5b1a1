"""The map of all cuts in a real browser: a click shows the new translation, and keeps the cut."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browsing import open_page, settle

HEAD = "Without head 2 of the cross-attention in decoder layer 1"
WHOLE = "Without the whole self-attention in encoder layer 0"


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    """Open one page without a selection: each test continues from where another has left it."""
    with open_page(browser, f"{address}/mattered") as page:
        drawn(page)
        yield page


def drawn(page: Page) -> None:
    page.locator(".mattered-tile").first.wait_for()
    settle(page)


def test_what_a_link_without_a_head_begins_with_stays(page: Page):
    shown = page.locator(".mattered-card .mattered-without").inner_text()
    page.locator(".st-key-frame_controls label").first.click()
    page.wait_for_url("**presenter=true**")
    settle(page)
    page.reload()
    drawn(page)
    expect(page.locator(".mattered-card .mattered-without")).to_have_text(shown)
    page.get_by_role("button", name="Leave presenter mode").click()
    page.wait_for_url(lambda url: "presenter" not in url)
    settle(page)


def test_a_click_on_a_part_says_what_is_written_without_it(page: Page):
    assert page.locator(".mattered-tile").count() == 6 * 5 + 4
    card = page.locator(".mattered-card")
    head = page.get_by_role("button", name=HEAD)
    head.focus()
    page.keyboard.press("Enter")
    expect(card).to_contain_text(HEAD)
    expect(head).to_have_attribute("aria-pressed", "true")
    page.wait_for_url("**layer=1**head=2**")
    page.locator(".mattered-line").last.click()
    expect(page.locator(".mattered-line").last).to_have_attribute("aria-pressed", "true")


def test_a_link_and_a_reload_show_the_cut_that_was_shown(page: Page):
    page.evaluate("loupe.select({ kind: 'cross-attention', layer: 1, head: 2 })")
    card = page.locator(".mattered-card")
    page.get_by_role("button", name=WHOLE).click()
    page.wait_for_url("**cut=encoder.layers.0.self_attn")
    settle(page)
    page.reload()
    expect(card).to_contain_text(WHOLE)
    page.get_by_role("button", name=HEAD).click()  # the button of the selected head
    page.wait_for_url(lambda url: "cut=" not in url)
    expect(card).to_contain_text(HEAD)
    page.get_by_role("button", name=WHOLE).click()
    page.wait_for_url("**cut=encoder.layers.0.self_attn")
    page.keyboard.press(".")
    expect(card).to_contain_text("Without head 3 of the cross-attention in decoder layer 1")
    page.wait_for_url(lambda url: "cut=" not in url and "head=3" in url)


def test_a_cut_that_is_kept_changes_the_run(page: Page):
    name = "Without the whole cross-attention in decoder layer 1"
    page.get_by_role("button", name=name).click()
    page.get_by_role("button", name="Keep this cut").click()
    page.wait_for_url("**edits=zero**decoder.layers.1.cross_attn.output**")
    expect(page.locator(".loupe-change-card")).to_be_visible()
    expect(page.get_by_role("button", name=name)).to_have_text("0.00")


@pytest.fixture(scope="module")
def compared(page: Page, address: str) -> Page:
    """Open the page by a link with a head and another sentence."""
    other = "other_sentence=the+dog+sees+the+cat+."
    page.goto(f"{address}/mattered?kind=cross-attention&layer=1&head=2&{other}")
    drawn(page)
    return page


def test_patched_cells_say_what_they_restore(compared: Page):
    picture = compared.locator(".loupe-mattered_patching canvas.loupe-over").first
    picture.wait_for()
    settle(compared)
    assert "which restores" in picture.get_attribute("aria-label")
    box = picture.bounding_box()
    picture.hover(position={"x": box["width"] * 0.6, "y": box["height"] - 12})
    expect(compared.locator(".loupe-tip")).to_contain_text("restores")


def test_the_cut_in_view_follows_a_head_that_comes_with_another_run(compared: Page):
    """A user leaves a typed sentence in which another head was selected."""
    expect(compared.locator(".mattered-card")).to_contain_text(HEAD)
    told = compared.evaluate("""() => {
      loupe.selection = { ...loupe.selection, layer: 0, head: 1 };
      loupe.tell("run");
      return document.querySelector(".mattered-card").textContent;
    }""")  # at once, before Python sends that head's card as well
    assert "Without head 1 of the cross-attention in decoder layer 0" in told
