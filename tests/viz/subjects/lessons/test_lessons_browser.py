"""A user works through a lesson, and the browser keeps the answers."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browsing import SIZE, centre, expect_in_link, open_page, settle
from tests.checkpoints import SHIPPED
from tests.inside import follow

QUESTION = "attention?lesson=which-word&part=2"


def press(page: Page, name: str) -> None:
    """Move to a button with the keyboard alone and press it."""
    button = page.get_by_role("button", name=name, exact=True).first
    for _ in range(80):
        page.keyboard.press("Tab")
        if button.evaluate("node => node === document.activeElement"):
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"the keyboard never came to {name}")


def test_an_arrow_key_moves_one_click_on_a_cell_answers_and_the_keyboard_alone_goes_on(
    browser: Browser, shipped_address: str
):
    with open_page(browser, f"{shipped_address}/{QUESTION}") as page:
        page.locator(".lesson-option").nth(3).wait_for()
        settle(page)
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        moved = page.evaluate("loupe.asked.guess.key")
        assert page.locator(".lesson-option").nth(moved).get_attribute("aria-pressed") == "true"
        expect(page.locator(".lesson-verdict")).to_have_count(0)
        page.mouse.click(*centre(page, 2, 4))
        page.locator(".lesson-verdict").wait_for()
        settle(page)
        assert "You said “the (2)”" in page.locator(".lesson-sentence").inner_text()
        press(page, "Continue")
        expect_in_link(page, lesson="which-word", part=3)
        expect(page.locator(".lesson-verdict")).to_have_count(0)
        settle(page)
        press(page, "we")
        page.locator(".lesson-wrong").wait_for()
        assert "You said “we”" in page.locator(".lesson-sentence").inner_text()


def test_after_a_hint_it_counts_as_helped_and_what_was_wrong_comes_again(
    browser: Browser, shipped_address: str
):
    with open_page(browser, f"{shipped_address}/{QUESTION}") as page:
        covered = "loupe.saving.covered('head')"  # pictures cannot be saved before the answer
        page.locator(".lesson-option").first.wait_for()
        settle(page)
        assert "Answer the question first" in page.evaluate(covered)
        page.get_by_role("button", name="Hint").click()
        page.locator(".lesson-out").first.wait_for()
        settle(page)
        out = page.locator(".lesson-out").count()
        assert out == page.locator(".lesson-option").count() // 2
        page.locator(".lesson-option:not(.lesson-out)").last.click()
        page.locator(".lesson-verdict").wait_for()
        assert "after a hint" in page.locator(".lesson-verdict").inner_text()
        page.get_by_role("button", name="Leave the lesson here").click()
        page.locator(".lesson-card").wait_for(state="detached")
        assert "lesson=" not in page.url
        page.wait_for_function(f"{covered} === null")
        follow(page, f"{shipped_address}/learn")
        page.get_by_role(
            "button", name="Nearly every French word reads an English one, step 2"
        ).wait_for()
        assert "after a hint" in page.locator(".learn-results").inner_text()
        page.get_by_role("button", name="Forget them").click()
        expect(page.locator(".learn-results")).to_have_count(0)


def test_a_room_is_counted_and_then_sees_both(browser: Browser, shipped_address: str):
    with open_page(browser, f"{shipped_address}/{QUESTION}&presenter=true") as page:
        hands = page.locator(".lesson-hands")
        hands.first.wait_for()
        settle(page)
        for place, count in ((1, 14), (3, 9)):
            hands.nth(place).fill(str(count))
        assert "black" in page.locator(".lesson-said").inner_text()
        page.get_by_role("button", name="Reveal").click()
        page.locator(".lesson-verdict").wait_for()
        assert [hands.nth(i).input_value() for i in (1, 3)] == ["14", "9"]
        assert page.evaluate("localStorage.getItem('loupe-lessons')") is None


@pytest.fixture(scope="module")
def pupil(browser: Browser, shipped_address: str) -> Iterator[Page]:
    """Open the page of a user who looks at one lesson after the other."""
    with open_page(browser, f"{shipped_address}/learn") as page:
        yield page


def test_the_list_says_that_a_lesson_is_gone_and_on_a_phone_its_sheets_lie_upon_nothing(
    pupil: Page, shipped_address: str
):
    follow(pupil, f"{shipped_address}/learn?lesson=gone&more_lesson_sheets=true")
    pupil.get_by_text("No lesson here has this name").wait_for()
    pupil.locator(".learn-list").first.wait_for()
    pupil.set_viewport_size({"width": 390, "height": 844})
    button = pupil.get_by_role("button", name="Save the sheet")
    button.wait_for()
    settle(pupil)
    said = pupil.get_by_text("The answers are on a separate page").bounding_box()
    below = button.bounding_box()
    assert said
    assert below
    assert below["y"] >= said["y"] + said["height"]
    pupil.set_viewport_size(SIZE)


def test_a_link_to_no_lesson_says_so(pupil: Page, shipped_address: str):
    follow(pupil, f"{shipped_address}/attention?lesson=%3Cb%3Enone")
    said = pupil.locator(".st-key-lesson_place")
    expect(said).to_contain_text("<b>none")
    expect(said).to_contain_text("No lesson here has this name")
    pupil.locator(".loupe-question").wait_for()


def test_after_a_hint_the_heads_that_are_not_it_are_crossed_out(pupil: Page, shipped_address: str):
    follow(pupil, f"{shipped_address}/attention?lesson=find-the-head&part=1")
    pupil.locator(".loupe-thumb").first.wait_for()
    settle(pupil)
    pupil.get_by_role("button", name="Hint").click()
    pupil.locator(".lesson-hints p").first.wait_for()
    settle(pupil)
    out = pupil.locator(".loupe-thumb.loupe-out")
    assert out.count() == pupil.locator(".loupe-thumb").count() // 2
    out.first.click()
    expect(pupil.locator(".lesson-verdict")).to_have_count(0)


def test_a_lesson_of_ones_own_is_checked_and_then_begun(
    pupil: Page, shipped_address: str, tmp_path
):
    file = tmp_path / "mine.toml"
    page_of = (SHIPPED.parents[1] / "docs" / "lessons.md").read_text("utf-8")
    good = page_of.split("```toml\n")[1].split("```")[0]
    file.write_text(good.replace('writes = "rouge"', 'writes = "rouje"'), encoding="utf-8")
    follow(pupil, f"{shipped_address}/learn?more_own_lesson=true")
    pupil.locator(".bring-file").set_input_files(file)
    refused = pupil.locator(".loupe-notice", has_text="This lesson cannot be used yet")
    expect(refused).to_contain_text("rouje")
    file.write_text(good, encoding="utf-8")
    pupil.locator(".bring-file").set_input_files(file)
    pupil.get_by_role("button", name="Begin “Where does the colour go?”").click()
    pupil.locator(".lesson-prompt").wait_for()
    expect_in_link(pupil, lesson="own-mine", part=1)


def test_one_click_leads_from_an_open_question_to_two_heads_that_copy(
    pupil: Page, shipped_address: str
):
    follow(pupil, f"{shipped_address}/{QUESTION}")
    pupil.locator(".lesson-prompt").wait_for()
    pupil.get_by_role("link", name="Learn").first.click()
    pupil.get_by_role("button", name="Two heads: watch a model copy").click()
    pupil.locator(".trick-token").first.wait_for()
    expect(pupil.locator(".lesson-prompt")).to_have_count(0)
    expect_in_link(pupil, checkpoint="induction-two-heads")


def test_a_lesson_speaks_french_where_the_link_does(pupil: Page, shipped_address: str):
    follow(pupil, f"{shipped_address}/{QUESTION}&lang=fr")
    pupil.get_by_role("button", name="Quitter la leçon ici").wait_for()
    assert "Touchez le mot anglais" in pupil.locator(".lesson-prompt").inner_text()
    assert pupil.locator(".lesson-card").get_attribute("lang") == "fr"
