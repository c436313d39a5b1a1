"""The map of all cuts in a real browser: a click says what is written then, and keeps the cut."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, expect

from tests.browsing import open_page, settle


@contextmanager
def opened(browser: Browser, address: str, query: str = "") -> Iterator[Page]:
    with open_page(browser, f"{address}/mattered{query}") as page:
        page.locator(".mattered-tile").first.wait_for()
        settle(page)
        yield page


def test_a_click_on_a_part_says_what_is_written_without_it(browser: Browser, address: str):
    with opened(browser, address) as page:
        assert page.locator(".mattered-tile").count() == 6 * 5 + 4
        card = page.locator(".mattered-card")
        head = page.get_by_role(
            "button", name="Without head 2 of the cross-attention in decoder layer 1"
        )
        head.focus()
        page.keyboard.press("Enter")
        expect(card).to_contain_text("Without head 2 of the cross-attention in decoder layer 1")
        expect(head).to_have_attribute("aria-pressed", "true")
        page.wait_for_url("**layer=1**head=2**")
        page.locator(".mattered-line").last.click()
        expect(page.locator(".mattered-line").last).to_have_attribute("aria-pressed", "true")


def test_a_link_and_a_reload_show_the_cut_that_was_shown(browser: Browser, address: str):
    head = "Without head 2 of the cross-attention in decoder layer 1"
    whole = "Without the whole self-attention in encoder layer 0"
    with opened(browser, address, "?kind=cross-attention&layer=1&head=2") as page:
        card = page.locator(".mattered-card")
        expect(card).to_contain_text(head)
        page.get_by_role("button", name=whole).click()
        page.wait_for_url("**cut=encoder.layers.0.self_attn")
        settle(page)
        page.reload()
        expect(card).to_contain_text(whole)
        page.get_by_role("button", name=head).click()  # of the head that is selected already
        page.wait_for_url(lambda url: "cut=" not in url)
        expect(card).to_contain_text(head)
        page.get_by_role("button", name=whole).click()
        page.wait_for_url("**cut=encoder.layers.0.self_attn")
        page.keyboard.press(".")
        expect(card).to_contain_text("Without head 3 of the cross-attention in decoder layer 1")
        page.wait_for_url(lambda url: "cut=" not in url and "head=3" in url)


def test_what_a_link_without_a_head_begins_with_stays(browser: Browser, address: str):
    with opened(browser, address) as page:
        shown = page.locator(".mattered-card .mattered-without").inner_text()
        page.locator(".st-key-frame_controls label").first.click()
        page.wait_for_url("**presenter=true**")
        settle(page)
        page.reload()
        page.locator(".mattered-tile").first.wait_for()
        expect(page.locator(".mattered-card .mattered-without")).to_have_text(shown)


def test_a_cut_that_is_kept_changes_the_run(browser: Browser, address: str):
    with opened(browser, address) as page:
        name = "Without the whole cross-attention in decoder layer 1"
        page.get_by_role("button", name=name).click()
        page.get_by_role("button", name="Keep this cut").click()
        page.wait_for_url("**edits=zero**decoder.layers.1.cross_attn.output**")
        expect(page.locator(".loupe-change-card")).to_be_visible()
        tile = page.get_by_role("button", name=name)
        expect(tile).to_have_text("0.00")


def test_patched_cells_say_what_they_restore(browser: Browser, address: str):
    with opened(browser, address, "?other_sentence=the+dog+sees+the+cat+.") as page:
        picture = page.locator(".loupe-mattered_patching canvas.loupe-over").first
        picture.wait_for()
        settle(page)
        assert "which restores" in picture.get_attribute("aria-label")
        box = picture.bounding_box()
        picture.hover(position={"x": box["width"] * 0.6, "y": box["height"] - 12})
        expect(page.locator(".loupe-tip")).to_contain_text("restores")


def test_the_cut_in_view_follows_a_head_that_comes_with_another_run(browser: Browser, address: str):
    """As when a sentence is left that was typed, in which another head was chosen."""
    with opened(browser, address, "?kind=cross-attention&layer=1&head=2") as page:
        card = page.locator(".mattered-card")
        expect(card).to_contain_text("Without head 2 of the cross-attention in decoder layer 1")
        told = page.evaluate("""() => {
          loupe.selection = { ...loupe.selection, layer: 0, head: 1 };
          loupe.tell("run");
          return document.querySelector(".mattered-card").textContent;
        }""")  # at once: Python, which is told a moment later, sends the card of that head as well
        assert "Without head 1 of the cross-attention in decoder layer 0" in told
