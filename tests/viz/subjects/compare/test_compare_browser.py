"""Two runs in a browser: opened by a key, one head selected in both, as wide as there is room."""

import pytest
from playwright.sync_api import Browser, Page

from tests.browsing import expect_chosen, expect_in_link, open_page, ready, settle


@pytest.fixture(scope="module")
def compared(browser: Browser, address: str):
    with open_page(browser, f"{address}/compare") as page:
        ready(page)
        page.wait_for_selector(".compare-maps canvas")
        yield page


def test_a_head_of_the_list_is_drawn_in_both_runs(compared: Page):
    button = compared.locator(".compare-list li button").nth(2)
    kind, layer, head = compared.evaluate(
        """() => {
          const [stack, l, h] = document.querySelectorAll('.compare-list li b')[2]
            .textContent.split(' ');
          const kinds = { Encoder: 'encoder self-attention', Decoder: 'decoder self-attention',
            Cross: 'cross-attention' };
          return [kinds[stack], Number(l.slice(1)), Number(h.slice(1))];
        }"""
    )
    button.click()
    expect_chosen(compared, kind=kind, layer=layer, head=head)
    expect_in_link(compared, kind=kind, layer=layer, head=head)
    settle(compared)
    heading = compared.locator(".compare-head .loupe-heading").inner_text()
    assert f"layer {layer}, head {head}" in heading
    assert compared.locator(".compare-maps figure").count() == 3


def test_the_pointer_tells_both_weights(compared: Page):
    over = compared.locator(".compare-maps .loupe-over").first
    over.scroll_into_view_if_needed()
    shape = over.evaluate("node => node.parentElement.shape")
    over.hover(position={"x": shape["x"] + shape["cell"] / 2, "y": shape["y"] + shape["high"] / 2})
    told = compared.locator(".loupe-tip").inner_text()
    assert " reads " in told
    assert [line[:2].strip() for line in told.splitlines()[1:]] == ["A", "B", "B"]


def test_the_maps_shrink_with_their_window(compared: Page):
    compared.set_viewport_size({"width": 1920, "height": 900})
    settle(compared)
    compared.set_viewport_size({"width": 1366, "height": 900})
    compared.wait_for_function(
        """() => {
          const maps = document.querySelector('.compare-maps');
          return maps.scrollWidth <= maps.clientWidth;
        }"""
    )
    assert compared.locator(".compare-maps canvas").first.bounding_box()["width"] > 300


def test_a_key_leads_from_another_page_to_the_comparison(page: Page):
    ready(page)
    page.keyboard.press("c")
    page.wait_for_url("**/compare?**")
    page.wait_for_selector(".compare-list li button")
    assert page.locator(".compare-list [aria-pressed=true]").count() >= 1
