"""Two runs in a browser: opened by a key, one head chosen in both, shown in two ways."""

import pytest
from playwright.sync_api import Browser, Page

from tests.browsing import expect_chosen, expect_in_link, open_page, ready, settle


@pytest.fixture
def compared(browser: Browser, address: str):
    with open_page(browser, f"{address}/compare") as page:
        ready(page)
        page.wait_for_selector(".compare-maps canvas")
        yield page


def test_a_key_leads_from_another_page_to_the_comparison(page: Page):
    ready(page)
    page.keyboard.press("c")
    page.wait_for_url("**/compare?**")
    page.wait_for_selector(".compare-list li button")
    assert page.locator(".compare-list [aria-pressed=true]").count() >= 1


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


def test_one_run_stands_over_the_other(compared: Page):
    compared.get_by_role("button", name="One over the other").click()
    expect_in_link(compared, compare_view="over")
    assert compared.locator(".compare-maps figure").count() == 1
    compared.get_by_role("button", name="B", exact=True).click()
    assert compared.locator(".compare-maps figcaption b").inner_text() == "B"


def test_two_words_are_paired_by_two_clicks(browser: Browser, address: str):
    with open_page(browser, f"{address}/compare?more_compare_pairs=true") as page:
        rows = page.locator(".compare-pairing").first.locator("ol")
        rows.nth(0).get_by_role("button").nth(0).click()
        rows.nth(1).get_by_role("button").nth(4).click()
        expect_in_link(page, pairs="s0-4")
        settle(page)
        assert rows.nth(0).locator(".compare-alone").count() == 1
