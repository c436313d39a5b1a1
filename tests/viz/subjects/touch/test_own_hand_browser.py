"""The page Touch without Python in a real browser: pulls are run and undone in the page."""

from playwright.sync_api import Browser, Page, expect

from model.checkpoints.checkpoint import load_checkpoint
from model.interventions.kinds import Intervention
from tests.checkpoints import DEFAULT, SHIPPED
from tests.shipped import PAPER
from tests.viz.own_page import own_page
from viz.run.making import make_run

ROWS = ".loupe-touch-rows button:not([hidden])"
KEYS = ".loupe-touch-keys"
ACROSS = "decoder.layers.*.cross_attn.weights"
OTHER = "My little sister doesn't like the red dress."


def written(text: str, *changes: Intervention) -> list[str]:
    run = make_run(load_checkpoint(SHIPPED / PAPER), text, interventions=changes)
    return list(run.target_tokens[1:])


def pulled(row: int, to: int) -> Intervention:
    return Intervention("point", ACROSS, rows=(row,), columns=(to,))


def drag(page: Page, row: int, to: int) -> None:
    page.locator(f".loupe-touch-rows button[data-row='{row}']").hover()
    page.mouse.down()
    box = page.locator(f"{KEYS} li[data-key='{to}'] button").bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.move(x + 1, y)  # over the word the taken line stays
    page.mouse.up()


def test_a_line_is_pulled_another_one_too_and_both_are_undone(browser: Browser):
    before = written(DEFAULT)
    animal, street = map(DEFAULT.split().index, ("animal", "street"))
    row, other = map(before.index, ("rue", "animal"))
    with own_page(browser, "touch", ["animal", "street"]) as page:
        page.evaluate("text => tell(text)", DEFAULT)
        expect(page.locator(ROWS)).to_have_text(before)
        assert page.evaluate("[loupe.selection.query, loupe.selection.key]") == [row, animal]
        drag(page, row, animal)
        once = written(DEFAULT, pulled(row, animal))
        assert once != before
        expect(page.locator(ROWS)).to_have_text(once)
        assert page.evaluate("loupe.run().tokens.target.slice(1)") == once
        expect(page.locator(".loupe-touch-check")).to_be_empty()  # PyTorch has not run it

        drag(page, other, street)
        drag(page, other, street)  # this changes nothing, so one undo takes both back
        twice = written(DEFAULT, pulled(row, animal), pulled(other, street))
        assert twice != once
        expect(page.locator(ROWS)).to_have_text(twice)
        undo = page.get_by_role("button", name="Undo")
        undo.click()
        expect(page.locator(ROWS)).to_have_text(once)
        undo.click()
        expect(page.locator(ROWS)).to_have_text(before)
        expect(undo).to_have_count(0)


def test_another_sentence_is_shown_as_the_model_writes_it(browser: Browser):
    with own_page(browser, "touch") as page:
        page.evaluate("text => tell(text)", DEFAULT)
        drag(page, 1, 6)
        expect(page.get_by_role("button", name="Undo")).to_have_count(1)
        page.evaluate("text => tell(text)", OTHER)
        expect(page.locator(ROWS)).to_have_text(written(OTHER))
        expect(page.get_by_role("button", name="Undo")).to_have_count(0)
        runs = page.evaluate("[...loupe.runs.keys(), loupe.traces.size]")
        assert [runs[0], runs[-1], len(runs)] == [DEFAULT, 1, 4]  # one per text, ours for the last
