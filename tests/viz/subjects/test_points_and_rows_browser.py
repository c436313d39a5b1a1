"""The first pictures of Positions and Embeddings, as a browser draws them."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browsing import expect_in_link, open_page, settle
from tests.checkpoints import VARIANTS
from tests.viz.subjects.embeddings.test_nouns import computed

SCREENS = {"desk": (1280, 800), "phone": (390, 844), "presenter": (1280, 720)}
DRAWN = """(key) => {
  const plot = document.querySelector(`.st-key-${key} .js-plotly-plot`);
  return plot._fullData.map((trace) => ({
    name: trace.name,
    x: Array.from(trace.x ?? []), y: Array.from(trace.y ?? []), text: Array.from(trace.text ?? []),
  }));
}"""
TORN = """(key) => {
  const plot = document.querySelector(`.st-key-${key}`);
  const frame = plot.getBoundingClientRect();
  const texts = [...plot.querySelectorAll(".textpoint text, .loupe-cloud text, .positions-name")]
    .filter((node) => node.textContent.length > 1) // a full stop is drawn in a high box
    .map((node) => [node.textContent, node.getBoundingClientRect()]);
  const found = [];
  texts.forEach(([one, a], i) => {
    if (a.left < frame.left - 1 || a.right > frame.right + 1) found.push(one);
    for (const [other, b] of texts.slice(i + 1)) {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      // Letters fill about two thirds of their box.
      if (wide > 1 && high > a.height / 3) found.push(`${one} / ${other}`);
    }
  });
  return [texts.length, found];
}"""
"""The number of labels, and those that leave the picture or overlap another one."""


PAPER = VARIANTS["paper"]
ALL_WORDS = "embeddings?more_embeddings_all=true"
NEAREST = "embeddings?more_embeddings_nearest=true"
POSITIONS = "positions?more_positions_encoding=true"


@pytest.fixture(scope="module")
def positions(browser: Browser, shipped_address: str) -> Iterator[Page]:
    """Open the page Positions on a desktop; each test continues from where another has left it."""
    with open_page(browser, f"{shipped_address}/{POSITIONS}&checkpoint={PAPER}") as page:
        yield page


@pytest.fixture(scope="module")
def embeddings(positions: Page, shipped_address: str) -> Page:
    """Open the page Embeddings on a phone, after all tests of positions."""
    show_on(positions, "phone")
    positions.goto(f"{shipped_address}/{NEAREST}&checkpoint={PAPER}")
    settle(positions)
    return positions


def show_on(page: Page, screen: str) -> None:
    width, height = SCREENS[screen]
    page.set_viewport_size({"width": width, "height": height})
    if screen == "presenter":
        page.goto(f"{page.url}&presenter=true")
    settle(page)


def expect_readable(page: Page, key: str, counts: Sequence[int]) -> None:
    count, torn = page.evaluate(TORN, key)
    assert count in counts
    assert torn == []


def test_positions_open_with_the_numbers_of_the_paper(positions: Page):
    card = positions.locator(".st-key-positions_map")
    expect(card.locator("canvas")).to_be_visible()
    rates = 10000 ** (-2 * np.arange(32) / 64)
    angles = np.outer(np.arange(64), rates)
    formula = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(64, 64)
    card.get_by_role("button", name="As a table").click()
    told = card.locator(".loupe-as-table tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.querySelectorAll('td')].map((td) => td.textContent))"
    )
    seen = [[float(text.replace("−", "-")) for text in row] for row in told]
    # four digits of numbers up to 1
    np.testing.assert_allclose(seen, formula[:60, :60], rtol=0, atol=5.1e-5)
    card.get_by_role("button", name="As a table").click()


def test_a_click_works_a_number_out(positions: Page):
    drawn = positions.locator(".positions-map")
    shape = drawn.evaluate("node => node.shape")
    across, down = 20.5 * shape["cell"], 9.5 * shape["high"]
    drawn.click(position={"x": shape["x"] + across, "y": shape["y"] + down})
    expect_in_link(positions, positions_pos=9, positions_dim=20)
    settle(positions)
    expect(positions.get_by_text("equals source_embedding.positions[9, 20]")).to_be_visible()


def test_words_stand_readable_at_their_rows_on_every_screen(positions: Page):
    for screen in SCREENS:
        show_on(positions, screen)
        # 13 words: all but the full stop, with `</s>`
        expect_readable(positions, "positions_map", (13,))
        sizes = positions.locator(".positions-written dd").evaluate_all(
            "nodes => nodes.map((node) => getComputedStyle(node).fontSize)"
        )
        assert len(sizes) == 2
        assert len({*sizes}) == 1


def test_nouns_are_drawn_where_they_were_computed(embeddings: Page):
    expect(embeddings.locator(".st-key-embeddings_nouns .js-plotly-plot")).to_be_visible()
    traces = {trace["name"]: trace for trace in embeddings.evaluate(DRAWN, "embeddings_nouns")}
    places, facts = computed("paper")
    seen = set()
    for title, is_feminine in (("le: masculine nouns", False), ("la: feminine nouns", True)):
        trace = traces[title]
        for word, *point in zip(trace["text"], trace["x"], trace["y"], strict=True):
            assert facts[word][0] == is_feminine
            assert point == pytest.approx(places[word], abs=1e-6), word
            seen.add(word)
    assert seen == set(places)


def test_a_click_on_a_bar_or_a_point_chooses_its_word(embeddings: Page):
    bar = embeddings.locator(".loupe-nearest li button").first
    word = bar.inner_text()
    bar.click()
    expect_in_link(embeddings, embeddings_source_token=word)
    settle(embeddings)
    expect(embeddings.locator(".loupe-nearest ol")).to_have_attribute(
        "aria-label", f"The words nearest to “{word}”"
    )
    embeddings.locator(".st-key-embeddings_plane .embeddings-dot").last.click(force=True)
    embeddings.wait_for_function(
        "before => new URLSearchParams(location.search).get('embeddings_source_token') !== before",
        arg=word,
    )


ZOOMED = "zoom => (new URLSearchParams(location.search).get('embeddings_zoom') ?? '1') === zoom"


def test_about_thirty_words_are_labelled_on_every_screen_and_a_zoom_has_others(
    embeddings: Page, shipped_address: str
):
    embeddings.goto(f"{shipped_address}/{ALL_WORDS}&checkpoint={PAPER}")
    names = embeddings.locator(".st-key-embeddings_cloud .loupe-cloud text")
    for screen, zooms in {"phone": "14", "desk": "41", "presenter": "14"}.items():
        show_on(embeddings, screen)
        expect_readable(embeddings, "embeddings_nouns", range(20, 46))
        labels = {}
        for zoom in zooms:
            if zoom == zooms[1]:
                choice = embeddings.locator(".st-key-embeddings_zoom")
                choice.get_by_role("radio", name=f"{zoom}×").click()
            embeddings.wait_for_function(ZOOMED, arg=zoom)
            settle(embeddings)
            expect_readable(embeddings, "embeddings_cloud", range(20 if zoom == "1" else 1, 46))
            labels[zoom] = {*names.all_text_contents()}
        assert labels["4"] - labels["1"]
