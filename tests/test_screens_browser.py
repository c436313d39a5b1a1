"""Every page on every screen: axe-core's findings, readability from afar, targets for fingers."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from types import ModuleType

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browsing import open_menu, settle, turn_to
from tests.layout import HEIGHTS, found_on, laid_out
from tests.screens import (
    BEAMER,
    CONTRAST,
    DESK,
    NO_CONTRAST,
    PHONE,
    READ,
    SCROLLING,
    TOUCH,
    TURNED,
    found_by_axe,
    in_window,
    seen_on,
    torn,
    unfit,
    unread,
    visit,
)
from tests.texts.found import only_english
from texts import speaking
from viz.pages import FIRST, PAGES, PLACES
from viz.pages import title as title_of

WIDE = {"width": 1920, "height": 1080}
HANDHELD = ((320, 640), (820, 1180))
"""The narrowest phone, which cuts off the most, and a tablet."""
MOST_HEIGHT = 1152
"""One and a half screens, the most height of a page that is not in LONG."""
LONG = ("learn", "lecture", "mattered")
"""A list, a stage, and a page with two questions, each with its picture."""
CHANGED = "edits=zero!encoder.layers.1.self_attn.heads;h3"
OPENED = {
    "?scene=scores": False,
    "induction?checkpoint=induction-two-heads": False,
    f"attention?more_heads=true&more_bertviz=true&{CHANGED}": True,
    "decoding?decoding=Beam&more_lens=true": True,
}
"""Links that open what a page hides at first, and whether that adds more texts and controls."""
PICTURES = {
    "attention": ".st-key-card_head .loupe-pair",
    "map": ".st-key-card_map",
    "touch": ".loupe-touch-board",
    "masks": ".st-key-card_masks",
    "variants": ".variants-written",
    "decoding": ".studio-candidates",
    "positions": ".st-key-positions_map",
    "embeddings": ".st-key-embeddings_nouns",
    "mattered": ".mattered-map",
    "corpus": ".st-key-corpus_distance",
    "compare": ".compare-maps",
    "training": ".loupe-lapse-body",
}
"""The main picture of each page, which must be fully visible together with the question."""


@pytest.fixture(scope="module")
def desk(browser: Browser) -> Iterator[Page]:
    """Open one page for all tests at a desk, because it keeps loaded and compiled code."""
    with seen_on(browser, DESK) as page:
        yield page


def sit_down(page: Page, address: str, path: str = "") -> None:
    """Open a page at the desk in the light theme, whatever page was open."""
    page.goto("about:blank")
    page.set_viewport_size(DESK)
    page.emulate_media(color_scheme="light")
    visit(page, address, path)


def coloured(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    settle(page)
    settle(page)  # the script that runs again for the colours of figures may only have begun


def enlarged(page: Page) -> None:
    page.set_viewport_size(BEAMER)
    page.locator(".st-key-presenter label").click()
    page.locator(".st-key-presenter_tools").wait_for()
    settle(page)


def spoken(page: Page, language: str, code: str) -> None:
    open_menu(page)
    page.get_by_role("radio", name=language).click()
    expect(page.locator("html")).to_have_attribute("lang", code)
    settle(page)


english = cache(only_english)


def left_in_english(page: Page) -> list[str]:
    text = page.evaluate(READ)
    return [key for piece, key in english().items() if piece in text]


def has_place(page: ModuleType) -> bool:
    return page in chain.from_iterable(PLACES.values())


def wrong(found: dict[tuple[str, object], list[object]]) -> dict[tuple[str, object], list[object]]:
    return {where: what for where, what in found.items() if what}


def test_every_page_is_whole_and_accessible_in_the_light_and_in_the_dark(
    desk: Page, shipped_address: str
):
    """Each page keeps the screen of the page before it, and then turns to the other one.

    So every page is seen on both screens, half of them turn each way, and leftovers would show.
    """
    found: dict[tuple[str, object], list[object]] = {}
    titles, looks = set(), [(DESK, "light"), (WIDE, "dark")]
    sit_down(desk, shipped_address)
    for each in PAGES:
        name = title_of(each)
        if has_place(each):
            turn_to(desk, each.URL)
        else:
            visit(desk, shipped_address, each.URL)
        titles.add(desk.title())
        assert name in desk.title()
        assert desk.locator("h1").count() == 1
        assert left_in_english(desk), "no English was found"
        for rules, (size, scheme) in zip((None, TURNED), looks, strict=True):
            if rules:
                desk.set_viewport_size(size)
                coloured(desk, scheme)
            if size == DESK and each.URL not in LONG:
                height = desk.get_by_test_id("stMainBlockContainer").evaluate("n => n.scrollHeight")
                assert height <= MOST_HEIGHT, name
            found[name, scheme] = torn(desk) + found_by_axe(desk, rules) + laid_out(desk)
        looks.reverse()
    assert wrong(found) == {}
    assert len(titles) == len(PAGES)


def test_every_page_is_french_and_is_read_from_the_last_row(desk: Page, shipped_address: str):
    """The language and the mode change on Start, and a clicker turns the pages."""
    found: dict[tuple[str, object], list[object]] = {}
    sit_down(desk, shipped_address)
    expect(desk.locator("html")).to_have_attribute("lang", "en")
    spoken(desk, "Français", "fr")
    expect(desk).to_have_url(re.compile("lang=fr"))
    spoken(desk, "English", "en")
    spoken(desk, "Français", "fr")
    enlarged(desk)
    for each in PAGES:
        with speaking("fr"):
            name = title_of(each)
        if not has_place(each):
            visit(desk, shipped_address, f"{each.URL}?lang=fr&presenter=true")
        elif each is not FIRST:
            desk.keyboard.press("PageDown")
        desk.wait_for_function("title => document.title.startsWith(title)", arg=name)
        settle(desk)
        found[name, "French"] = left_in_english(desk)
        parts = ("h1", PICTURES[each.URL]) if each.URL in PICTURES else ()
        found[name, "first screen"] = [part for part in parts if not in_window(desk, part)]
        found[name, "presenter"] = unread(desk) + found_by_axe(desk, SCROLLING) + laid_out(desk)
    assert wrong(found) == {}


@pytest.mark.parametrize(("path", "has_more"), OPENED.items())
def test_what_is_shown_when_it_is_asked_for_is_whole_on_every_screen(
    desk: Page, shipped_address: str, path: str, has_more: bool
):
    """The state of a link in every width, then in the dark, in French and in presenter mode."""
    found: dict[tuple[str, object], list[object]] = {}
    sit_down(desk, shipped_address, path)
    found["light", "desk"] = torn(desk) + (found_by_axe(desk) if has_more else [])
    found |= {("light", width): what for width, what in found_on(desk, HEIGHTS).items()}
    coloured(desk, "dark")
    found["dark", 1920] = torn(desk) + laid_out(desk)
    if has_more:
        found["dark", "contrast"] = found_by_axe(desk, CONTRAST)
        spoken(desk, "Français", "fr")
        found["dark", "French"] = left_in_english(desk)
        enlarged(desk)
        found["dark", "presenter"] = unread(desk) + found_by_axe(desk, NO_CONTRAST) + laid_out(desk)
    assert wrong(found) == {}


def test_every_page_on_a_phone_and_a_tablet_is_a_tap_away(browser: Browser, shipped_address: str):
    """Every second page opens on the tablet and then shrinks; the others grow.

    No colour depends on the width, so contrasts are those of the desk, except for elements that
    only phones show.
    """
    found: dict[tuple[str, object], list[object]] = {}
    sizes = list(HANDHELD)
    with seen_on(browser, PHONE, **TOUCH) as page:
        visit(page, shipped_address, "")
        for each in chain.from_iterable(PLACES.values()):
            name = title_of(each)
            turn_to(page, each.URL)
            for width, height in sizes:
                page.set_viewport_size({"width": width, "height": height})
                settle(page)
                found[name, width] = unfit(page)
                if width == min(HANDHELD)[0]:
                    rules = None if each is FIRST else NO_CONTRAST
                    found[name, "axe"] = found_by_axe(page, rules)
                found[name, width] += laid_out(page)
            sizes.reverse()
    assert wrong(found) == {}
