"""The app as a user meets it: started as the README says, and used in a real browser."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browsing import (
    LEAVE,
    SILENCE,
    SPEAK,
    centre,
    chosen,
    expect_chosen,
    expect_in_link,
    open_page,
    ready,
    seen_run,
    settle,
    turn_to,
    type_source,
)
from tests.checkpoints import DEFAULT
from tests.screens import CUT_TEXTS
from tests.viz.subjects.messages import count_messages, messages
from viz.pictures.theme import LIGHT
from viz.run.axes import KINDS, all_heads
from viz.run.codes import CODE_MASKED, CODE_ONE


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    """Open one page for all tests: each continues from where the one before has left it."""
    # An old link: the tests use cells of cross-attention.
    with open_page(browser, f"{address}/attention?kind=cross-attention") as page:
        yield page


@pytest.mark.smoke
def test_the_browser_holds_each_weight_and_paints_it_in_its_cell(
    page: Page, checkpoints_folder: Path
):
    ready(page)
    run = seen_run(checkpoints_folder)
    for kind in KINDS:
        stack = page.evaluate(
            "kind => { const s = loupe.run().kinds[kind]; return {...s, codes: [...s.codes]} }",
            kind,
        )
        weights = all_heads(run, kind)
        codes = np.array(stack["codes"]).reshape(weights.shape)
        assert [stack[n] for n in ("layers", "heads", "rows", "columns")] == list(weights.shape)
        shown = np.where(codes == CODE_MASKED, 0, codes / CODE_ONE)
        assert np.abs(shown - weights).max() <= 1.01e-5
        assert (codes == CODE_MASKED).any() == (kind == "decoder self-attention")
    expect_painted(page, all_heads(run, "cross-attention")[1, 2])


def expect_painted(page: Page, weights: np.ndarray) -> None:
    """Check each cell's colour; rows are queries, columns keys: a transposed map would differ."""
    painted = page.locator(".loupe-head .loupe-canvas").first.evaluate(
        """canvas => {
          const {x, y, cell, high, rows, columns} = canvas.parentElement.shape;
          const ratio = canvas.width / canvas.clientWidth;
          const context = canvas.getContext("2d");
          return Array.from({length: rows}, (_, r) => Array.from({length: columns}, (_, c) =>
            [...context.getImageData((x + (c + 0.4) * cell) * ratio, (y + (r + 0.4) * high) * ratio,
              1, 1).data.slice(0, 3)]));
        }"""
    )
    stops = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in LIGHT.scale])
    place = np.round(weights * 200) / 200 * (len(stops) - 1)
    expected = np.stack(
        [np.interp(place, range(len(stops)), stops[:, channel]) for channel in range(3)], axis=-1
    )
    assert np.abs(np.array(painted) - expected).max() <= 2


def test_a_pointer_is_answered_in_the_browser_everywhere_at_once(page: Page):
    ready(page)
    count_messages(page)
    page.mouse.move(*centre(page, 6, 5))
    tip = page.locator(".loupe-tip")
    expect(tip).to_contain_text("la reads the")
    expect(page.locator(".loupe-lines text.loupe-pointed")).to_have_text(["la", "the"])
    page.locator(".loupe-lines .loupe-row", has_text="traversé").hover()
    expect(page.locator(".loupe-lines text.loupe-pointed")).to_have_text(["traversé"])
    page.locator(".loupe-thumb").first.hover()
    expect(tip).to_contain_text("layer 0, head 0")
    settle(page)
    assert messages(page) == 0


def test_a_cell_is_drawn_without_python_and_stays_as_it_is_once_python_knows(page: Page):
    ready(page)
    page.evaluate("loupe.select({ kind: 'cross-attention', layer: 1, head: 2, query: 3, key: 1 })")
    card = page.locator(".loupe-cell_words")
    expect(card.locator("h2")).to_contain_text("animal")
    expect(card.locator("summary")).to_contain_text("all 13 steps agree")
    settle(page)
    before = card.inner_text()
    page.evaluate(SILENCE)
    page.keyboard.press("ArrowRight")
    at_once = page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() =>"
        " done(document.querySelector('.loupe-cell_words').innerText)))"
    )
    assert page.evaluate("loupe.selection.key") == 2
    assert at_once != before
    page.evaluate(SPEAK)  # sends the choice again
    expect_in_link(page, key=2)
    settle(page)
    assert card.inner_text() == at_once


def test_stages_share_the_pointer_with_each_other(page: Page):
    ready(page)
    page.get_by_text("The whole head, stage by stage").click()
    panels = page.locator(".st-key-stages .loupe-over")
    expect(panels).to_have_count(6)
    panels.first.evaluate(
        """node => Promise.all(document.getAnimations().map((each) => each.finished))"""
    )  # the fold opens slowly and moves the content below
    settle(page)
    first = panels.first
    first.scroll_into_view_if_needed()
    box, shape = first.bounding_box(), first.evaluate("node => node.parentElement.shape")
    assert box
    page.mouse.move(
        box["x"] + shape["x"] + 2.5 * shape["cell"], box["y"] + shape["y"] + 3.5 * shape["high"]
    )
    tip = page.locator(".loupe-tip")
    expect(tip).to_contain_text("a reads did")
    for stage in ("1  q · k", "2  ÷ √12", "3  mask", "4  softmax"):
        expect(tip).to_contain_text(stage)
    expect(page.locator(".loupe-lines text.loupe-pointed")).to_have_text(["a", "did"])
    page.get_by_text("The whole head, stage by stage").click()
    expect(panels).to_have_count(0)


def test_the_keyboard_moves_the_selection_but_not_while_typing(page: Page):
    ready(page)
    page.mouse.click(*centre(page, 4, 4))
    expect_chosen(page, query=4, key=4, layer=1, head=2)
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "[", ",", ","):
        page.keyboard.press(key)
    expect_chosen(page, query=5, key=6, layer=0, head=0)
    page.keyboard.press(",")
    page.keyboard.press("]")
    page.keyboard.press(".")
    expect_chosen(page, query=5, key=6, layer=1, head=1)
    expect_in_link(page, query=5, key=6, layer=1, head=1)
    field = page.get_by_label("English source", exact=True)
    field.click()
    field.press("ArrowLeft")
    assert chosen(page)["key"] == 6
    field.press(",")
    assert field.input_value() != DEFAULT
    assert chosen(page)["head"] == 1
    field.fill(DEFAULT)
    field.press("Enter")
    settle(page)
    page.locator("h2", has_text="All heads").click()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("the layer below, the layer above")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_presenter_mode_is_larger_and_can_be_left(page: Page):
    ready(page)
    size = "parseFloat(getComputedStyle(document.documentElement).fontSize)"
    before = page.evaluate(size)
    page.get_by_text("Presenter mode").click()
    page.wait_for_function(f"() => {size} > 1.3 * {before}")
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect_in_link(page, presenter="true")
    page.get_by_role("button", name="Leave presenter mode").click()
    page.wait_for_function(f"() => {size} === {before}")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()


@pytest.mark.smoke
def test_a_sentence_a_head_a_cell_and_the_way_back_to_them(page: Page):
    expect(page.locator(".loupe-sentence")).to_contain_text("l'animal n'a pas traversé la rue")
    ready(page)
    assert chosen(page)["kind"] == "cross-attention"
    type_source(page, "the cat sleeps .")
    expect(page.locator(".st-key-bar_out .loupe-sentence")).to_have_text("le chat dort.")
    page.wait_for_function("() => loupe.run()?.tokens.source.length === 5")

    page.get_by_role("button", name="Decoder", exact=True).click()
    page.get_by_role("button", name="decoder self-attention, layer 0, head 1").click()
    expect(page.locator(".loupe-head .loupe-heading")).to_have_attribute(
        "title", re.compile(r"^decoder\.layers\.0\.self_attn\.weights\[1\] ")
    )
    page.mouse.click(*centre(page, 3, 1))
    expect_chosen(page, kind="decoder self-attention", layer=0, head=1, query=3, key=1, step=3)
    expect_in_link(page, source="the cat sleeps .", layer=0, head=1, query=3, key=1)
    card = page.locator(".st-key-card_cell")
    expect(card).to_contain_text("How . comes to read le")
    settle(page)
    seen = chosen(page)

    page.reload()
    ready(page)
    assert chosen(page) == seen
    link = page.url
    page.evaluate(LEAVE)
    page.goto(link)
    ready(page)
    assert chosen(page) == seen
    expect(page.locator(".loupe-sentence")).to_have_text("le chat dort.")
    expect(page.get_by_text("The link asks")).to_have_count(0)


def test_the_selection_goes_from_page_to_page_and_the_map_leads_there(page: Page):
    ready(page)
    page.mouse.click(*centre(page, 4, 3))
    expect_in_link(page, query=4, key=3)
    turn_to(page, "masks")
    page.wait_for_function("() => loupe.page === 'masks'")
    expect_in_link(page, query=4, key=3)
    assert chosen(page)["query"] == 4
    page.locator('.st-key-map_small [data-block="encoder.layers.1.self_attn"]').click()
    page.wait_for_function("() => loupe.page === 'attention'")
    expect_chosen(page, kind="encoder self-attention", layer=1)
    expect_in_link(page, kind="encoder self-attention", layer=1)
    settle(page)
    page.locator('.st-key-map_small [data-block="encoder.layers.1.feed_forward"]').click()
    page.wait_for_function("() => loupe.page === 'map'")
    expect(page.locator(".st-key-card_tensor")).to_contain_text("encoder.layers.1.feed_forward")
    lit = page.locator(".st-key-map_small [aria-current=location]")
    expect(lit).to_have_attribute("data-block", "encoder.layers.1.feed_forward")
    page.locator(
        '.st-key-map_large .loupe-map-block[data-block="encoder.layers.1.feed_forward_norm"]'
    ).click()
    expect(lit).to_have_attribute("data-block", "encoder.layers.1.feed_forward_norm")


def test_an_unknown_word_is_replaced_at_a_click(page: Page):
    field = page.get_by_label("English source", exact=True)
    field.fill("the catt sleeps .")
    field.press("Enter")
    page.locator("mark", has_text="catt").first.wait_for()
    page.get_by_role("button", name="cat", exact=True).click()
    expect(page.locator(".st-key-bar_out .loupe-sentence")).to_have_text("le chat dort.")
    expect(field).to_have_value("the cat sleeps .")


def test_odd_and_long_texts_leave_the_page_whole(page: Page):
    turn_to(page, "attention")
    ready(page)
    for text in ("القط ينام 🐈‍⬛ 👩‍👩‍👧", "x" * 10_000, "cat " * 300):
        before = page.evaluate("loupe.selection.run")
        type_source(page, text)
        page.wait_for_function("run => loupe.selection.run !== run && loupe.run()", arg=before)
        settle(page)
        assert page.evaluate(CUT_TEXTS) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth + 1")


def test_a_mask_that_is_switched_off_lets_weight_through(page: Page, address: str):
    link = f"{address}/masks?kind=decoder+self-attention&layer=1&head=0&sentence=1"
    page.goto(link)
    ready(page)
    effect = page.locator(".st-key-card_masks")
    expect(effect).to_contain_text("Change without this mask")
    page.get_by_text("Decoder: hide later tokens").click()
    expect(effect).to_contain_text("cells leak")
    said = page.get_by_text("“Decoder: hide later tokens” is off.")
    expect(said).to_contain_text("of its attention on")
    expect_in_link(page, causal="false")
    maps = effect.locator(".loupe-panel > div")
    tops = maps.evaluate_all("maps => maps.map((map) => map.getBoundingClientRect().top)")
    assert len(tops) == 2
    assert tops[0] == tops[1]
    page.locator(".st-key-sentence").get_by_role("radio", name="2").or_(
        page.locator(".st-key-sentence").get_by_role("button", name="2")
    ).click()
    expect_in_link(page, sentence="2", causal="false")
    page.get_by_role("button", name="Restore the model’s masks").click()
    expect(effect).to_contain_text("Change without this mask")
