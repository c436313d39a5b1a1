"""The pictures of words in a real browser, drawn from points that the tests choose."""

import csv
import io
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browsing import saved
from tests.viz.drawn_alone import alone, show_alone
from viz.subjects.embeddings.figures.marks import looks

WORDS = ["<s>", "cat", "dog", "<b>eats", "sleeps"]
GROUPS = ["special", "le", "le", "verb", "verb"]
POINTS = [[0.0, 0.0], [10.0, 0.0], [20.0, 1.0], [0.0, 10.0], [3.0, 20.0]]
WIDE = 800
PLACES = """nodes => nodes.map((n) => [n.cx.baseVal.value, n.cy.baseVal.value])"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    folder = "subjects/embeddings/browser"
    with alone(browser, f"{folder}/cloud.js", f"{folder}/nearest.js") as page:
        yield page


def show_cloud(page: Page, **changes: object) -> None:
    given = {"points": POINTS, "words": WORDS, "groups": GROUPS, "chosen": 1, "heads": [1, 4]}
    given |= {"near": [(1, 2), (1, 3), (4, 3)], "looks": looks(GROUPS)} | changes
    show_alone(page, "cloud", given, width=WIDE)


def labels(page: Page) -> dict[str, str]:
    """Return each label with its font weight."""
    found = page.locator(".loupe-cloud text").evaluate_all(
        "nodes => nodes.map((n) => [n.textContent, n.getAttribute('font-weight')])"
    )
    return dict(found)


def test_words_stand_where_they_are_given_in_the_colours_of_their_groups(page: Page):
    show_cloud(page)
    dots = page.locator(".embeddings-dot")
    places = dots.evaluate_all(PLACES)
    for axis, sign in ((0, 1), (1, -1)):
        given = [point[axis] for point in POINTS]
        drawn = [sign * place[axis] for place in places]
        spread = max(drawn) - min(drawn)
        shares = [(at - min(drawn)) / spread for at in drawn]
        reach = max(given) - min(given)
        assert shares == pytest.approx([(at - min(given)) / reach for at in given], abs=1e-6)
    fills = dots.evaluate_all("nodes => nodes.map((n) => n.getAttribute('fill'))")
    colours = looks(GROUPS)
    assert fills == ["none", *(colours[group][0] for group in GROUPS[1:])]
    legend = page.locator(".embeddings-legend span")
    expect(legend).to_have_text(["le: masculine nouns", "verbs", "special"])


def test_the_chosen_word_is_ringed_and_lines_lead_to_the_nearest(page: Page):
    show_cloud(page)
    places = page.locator(".embeddings-dot").evaluate_all(PLACES)
    [ring] = page.locator(".loupe-cloud circle:not(.embeddings-dot)").evaluate_all(PLACES)
    assert ring == pytest.approx(places[1])
    lines = page.locator(".loupe-cloud line").evaluate_all(
        """nodes => nodes.map((n) =>
          [n.x1, n.y1, n.x2, n.y2].map((end) => end.baseVal.value))"""
    )
    ends = [[*places[a], *places[b]] for a, b in ((1, 2), (1, 3), (4, 3))]
    assert lines == [pytest.approx(end) for end in ends]
    bold = labels(page)
    assert {word for word, weight in bold.items() if weight == "700"} == {"cat", "sleeps"}


def test_a_word_is_told_under_the_pointer_and_chosen_by_a_click(page: Page):
    show_cloud(page)
    dots = page.locator(".embeddings-dot")
    dots.nth(3).hover()
    expect(page.locator(".loupe-tip > div")).to_have_text(["<b>eats", "verbs"])
    dots.nth(0).click()  # hollow points can be clicked too
    dots.nth(3).click()
    assert page.evaluate("told") == [["choose", {"at": 0}], ["choose", {"at": 3}]]
    lines = [*csv.reader(io.StringIO(saved(page, "the words as points", "CSV").decode()))]
    assert lines[1:3] == [["<s>", "special", "0", "0"], ["cat", "le", "10", "0"]]


def test_labels_leave_room_to_those_that_go_before_and_stay_within_the_picture(page: Page):
    points = [*POINTS]
    points[2] = [10.01, 0.01]
    words = [*WORDS[:4], "extraordinarily"]
    show_cloud(page, points=points, words=words, heads=[], near=[])
    assert "dog" not in labels(page)
    frame, *boxes = page.locator(".loupe-cloud svg, .loupe-cloud text").evaluate_all(
        """nodes => nodes.map((n) => {
          const { left, right } = n.getBoundingClientRect();
          return [left, right];
        })"""
    )
    assert all(left >= frame[0] - 1 and right <= frame[1] + 1 for left, right in boxes)
    show_cloud(page, points=points, chosen=2, heads=[], near=[])
    assert labels(page)["dog"] == "700"


def test_of_many_words_about_thirty_have_labels_with_those_of_the_text_among_them(page: Page):
    points = [[i % 30, i // 30] for i in range(900)]
    words = [f"w{i}" for i in range(900)]
    changes = {"points": points, "words": words, "groups": ["verb"] * 900, "chosen": 7}
    show_cloud(page, **changes, heads=[450, 899], near=[])
    found = labels(page)
    assert 20 <= len(found) <= 30
    assert {word for word, weight in found.items() if weight == "700"} == {"w7", "w450", "w899"}


def test_bars_are_as_long_as_the_cosines_the_nearest_on_top(page: Page):
    given = {"of": "cat", "words": ["dog", "<i>"], "groups": ["le", "verb"]}
    given |= {"cosines": [0.9, -0.25], "looks": looks(["le", "verb"])}
    show_alone(page, "nearest", given, width=500)
    items = page.get_by_role("list", name="The words nearest to “cat”").get_by_role("listitem")
    expect(items.locator("b")).to_have_text(["0.90", "−0.25"])
    expect(items.get_by_role("button")).to_have_text(["dog", "<i>"])
    tracks, bars = (
        page.locator(selector).evaluate_all(
            """nodes => nodes.map((n) => {
              const { left, right } = n.getBoundingClientRect();
              return [left, right];
            })"""
        )
        for selector in (".embeddings-bar", ".embeddings-bar i")
    )
    left, right = tracks[0]
    unit = (right - left) / 1.25  # the axis goes from the least cosine to 1
    zero = left + 0.25 * unit
    assert bars[0] == pytest.approx([zero, zero + 0.9 * unit], abs=0.1)
    assert bars[1] == pytest.approx([left, zero], abs=0.1)
    items.get_by_role("button", name="<i>").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("told") == [["choose", {"at": 1}]]
    page.evaluate("given => show('nearest', given)", given)
    expect(items.get_by_role("button", name="<i>")).to_be_focused()
    lines = [*csv.reader(io.StringIO(saved(page, "the nearest words", "CSV").decode()))]
    assert lines[1:3] == [["dog", "le", "0.9"], ["<i>", "verb", "-0.25"]]
