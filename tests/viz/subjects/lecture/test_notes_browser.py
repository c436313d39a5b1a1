"""The notes of a lecture in their own window: in step, steered from both, and only there."""

import json
import re

from playwright.sync_api import Page, expect

from tests.browsing import settle, wait_until
from viz.subjects.lecture.shipped_decks import FOLDER

SLIDES = json.loads((FOLDER / "en" / "inside_a_transformer.json").read_text("utf-8"))["slides"]
ASKED = next(i for i, slide in enumerate(SLIDES) if "answers" in slide)


def give(page: Page, app: str) -> None:
    """Start the ready lecture."""
    page.goto(f"{app}/lecture")
    settle(page)
    page.locator(".loupe-lecture-ways button").first.click()
    page.get_by_role("button", name="Give the lecture", exact=True).click()
    at_slide(page, 1)


def at_slide(page: Page, number: int) -> None:
    expect(page.locator(".loupe-slide-place")).to_have_text(f"{number} / {len(SLIDES)}")
    settle(page)


def notes_of(page: Page) -> Page:
    with page.expect_popup() as opened:
        page.get_by_role("button", name="Notes", exact=True).press("Enter")
    return opened.value


def shows(notes: Page, at: int) -> None:
    expect(notes.locator(".notes-place")).to_have_text(f"{at + 1} / {len(SLIDES)}")
    expect(notes.locator("h1")).to_have_text(SLIDES[at]["title"])
    expect(notes.locator(".notes-text")).to_have_text(SLIDES[at]["notes"])


FIRST_WORDS = SLIDES[0]["notes"][:30]


def test_either_window_turns_the_slides_and_only_one_has_the_notes(
    page: Page, shipped_address: str
):
    """Both windows also count hands, and notes without their lecture say so."""
    give(page, shipped_address)
    notes = notes_of(page)
    shows(notes, 0)
    expect(notes.locator(".notes-next")).to_have_text(SLIDES[1]["title"])
    notes.keyboard.press("PageDown")
    at_slide(page, 2)
    shows(notes, 1)
    page.keyboard.press("PageDown")
    at_slide(page, 3)
    shows(notes, 2)
    notes.get_by_role("button", name="Previous slide").press("Enter")
    at_slide(page, 2)
    shows(notes, 1)
    expect(notes.locator(":focus")).to_have_attribute("aria-label", "Previous slide")
    wait_until(page, "id => localStorage['loupe.deck.pictures']?.includes(id)", arg=SLIDES[1]["id"])
    page.keyboard.press("PageUp")
    expect(notes.locator("aside img")).to_be_visible()
    assert FIRST_WORDS not in page.locator("body").inner_text()
    assert FIRST_WORDS not in page.content()
    assert page.locator(".loupe-slide-notes").count() == 0
    for number in range(2, ASKED + 2):
        page.keyboard.press("PageDown")
        expect(page.locator(".loupe-slide-place")).to_have_text(f"{number} / {len(SLIDES)}")
    hands_are_counted(page, notes)
    runs_nothing_inline(page, f"{shipped_address}/lecture/notes?lang=en")
    expect(notes.locator(".notes-status")).to_contain_text("was closed or is loading again")
    notes.reload()
    expect(notes.locator(".notes-status")).to_contain_text("Waiting for the lecture")


def hands_are_counted(page: Page, notes: Page) -> None:
    shows(notes, ASKED)
    answer = SLIDES[ASKED]["answers"][1]
    notes.get_by_role("button", name=f"One more hand for “{answer}”").press("Enter")
    notes.keyboard.press("Enter")
    expect(page.get_by_label(f"Hands for “{answer}”")).to_have_value("2")
    page.get_by_role("button", name=f"One hand less for “{answer}”").click()
    expect(notes.get_by_label(f"Hands for “{answer}”")).to_have_value("1")
    notes.get_by_role("button", name="Show it").click()
    expect(page.locator(".loupe-slide-hands")).to_have_text(f"{answer} 1")
    expect(notes.get_by_role("button", name="Cover it again")).to_be_visible()


def runs_nothing_inline(page: Page, address: str) -> None:
    answer = page.goto(address)
    assert answer
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "blob:" not in policy
    expect(page.locator(".notes-status")).to_contain_text("Waiting for the lecture")


def test_closing_or_loading_either_window_is_no_accident(page: Page, shipped_address: str):
    give(page, shipped_address)
    notes = notes_of(page)
    shows(notes, 0)
    began = "JSON.parse(sessionStorage['loupe.lecture']).began"
    before = page.evaluate(began)
    notes.keyboard.press("End")
    at_slide(page, len(SLIDES))
    assert page.evaluate(began) == before
    expect(notes.locator(".notes-next")).to_have_text("This is the last slide.")
    page.reload()
    at_slide(page, len(SLIDES))
    expect(notes.locator(".notes-status")).to_have_text("")
    page.keyboard.press("Home")
    at_slide(page, 1)
    shows(notes, 0)
    notes.reload()
    shows(notes, 0)
    notes.close()
    a_blocked_window_is_told_of_with_what_to_do(page)
    again = notes_of(page)
    shows(again, 0)
    again.get_by_role("button", name="Restart the clock").click()
    wait_until(page, f"{began} > {before}")
    expect(again.locator(".notes-clock")).to_have_text(re.compile(r"^\d+:\d\d$"))
    page.get_by_role("button", name="End", exact=True).click()
    expect(again.locator(".notes-status")).to_contain_text("The lecture has ended")
    assert FIRST_WORDS not in again.locator("body").inner_text()


def a_blocked_window_is_told_of_with_what_to_do(page: Page) -> None:
    page.evaluate("() => { window.opens = window.open; window.open = () => null }")
    button = page.get_by_role("button", name="Notes", exact=True)
    button.press("Enter")
    said = page.get_by_role("dialog")
    expect(said).to_contain_text("Allow pop-up windows for this address")
    page.keyboard.press("Escape")
    expect(said).to_have_count(0)
    button.press("Enter")
    said.get_by_role("button", name="Show the notes on this screen").click()
    here = page.get_by_text("Notes, in view of the class")
    expect(page.get_by_text(FIRST_WORDS)).to_be_hidden()
    here.press("Enter")
    expect(page.get_by_text(FIRST_WORDS)).to_be_visible()
    page.evaluate("() => { window.open = window.opens }")
