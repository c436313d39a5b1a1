"""The pictures of positions in a real browser, drawn from numbers that the tests choose."""

import csv
import io
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browsing import saved
from tests.viz.drawn_alone import alone, show_alone
from viz.pictures.theme import DARK, LIGHT

VALUES = np.array([[0.0, 1.0, 0.5], [-2.0, 0.0, 0.25], [2.0, -1.0, 1.0]])
NUMBER = {"position": 1, "dimension": 2}


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    folder = "subjects/positions/browser"
    with alone(browser, f"{folder}/position_map.js", f"{folder}/waves.js") as page:
        yield page


def show_map(
    page: Page, values: np.ndarray = VALUES, scheme: str = "light", **changes: object
) -> None:
    rows, columns = values.shape
    meta = {"kind": "encoding", "rows": rows, "columns": columns, "words": ["<s>", "b"]}
    meta |= {"picked": NUMBER, "chooses": True} | changes
    show_alone(page, "position_map", {"meta": meta}, values=values.ravel(), scheme=scheme)


def shape_of(page: Page) -> dict[str, float]:
    return page.locator(".positions-map").evaluate("node => node.shape")


def middle(page: Page, row: float, column: float) -> tuple[float, float]:
    """Return where the centre of a cell is on the screen."""
    box, shape = page.locator(".positions-map").bounding_box(), shape_of(page)
    assert box
    x, y = (box["x"] + shape["x"], box["y"] + shape["y"])
    return x + (column + 0.5) * shape["cell"], y + (row + 0.5) * shape["high"]


def painted(page: Page, row: int, column: int) -> list[int]:
    """Return the colour of a cell."""
    return page.locator(".positions-map").evaluate(
        """({ shape, firstElementChild: canvas }, [row, column]) => {
          const ratio = canvas.width / shape.width;
          const x = (shape.x + (column + 0.5) * shape.cell) * ratio;
          const y = (shape.y + (row + 0.5) * shape.high) * ratio;
          return [...canvas.getContext("2d").getImageData(x, y, 1, 1).data].slice(0, 3);
        }""",
        [row, column],
    )


def rgb(colour: str) -> list[int]:
    return [int(colour[i : i + 2], 16) for i in (1, 3, 5)]


@pytest.mark.parametrize(("scheme", "palette"), [("light", LIGHT), ("dark", DARK)])
def test_colours_are_centred_on_0_and_reach_to_the_largest_number(page, scheme, palette):
    show_map(page, scheme=scheme)
    least, middle_one, most = palette.diverging[0], palette.diverging[3], palette.diverging[-1]
    assert painted(page, 1, 0) == rgb(least)
    assert painted(page, 0, 0) == rgb(middle_one)
    assert painted(page, 2, 0) == rgb(most)
    bar = page.locator(".positions-map text").all_text_contents()
    assert {"−2.000", "0", "2.000"} <= {*bar}


def test_the_rows_of_the_text_are_framed_and_named_and_so_is_the_number(page: Page):
    show_map(page)
    shape = shape_of(page)
    names = page.locator(".positions-name")
    expect(names).to_have_text(["<s>", "b"])
    ends = page.locator(".positions-map line").evaluate_all(
        "nodes => nodes.map((node) => [node.dataset.row, Number(node.getAttribute('y2'))])"
    )
    assert ends == [
        [str(row), pytest.approx(shape["y"] + (row + 0.5) * shape["high"])] for row in (0, 1)
    ]
    text, *_, number = page.locator(".positions-map > svg > rect").evaluate_all(
        """nodes => nodes.map((node) =>
          ["x", "y", "width", "height"].map((name) => Number(node.getAttribute(name))))"""
    )
    x, y, wide, high = (shape[name] for name in ("x", "y", "cell", "high"))
    assert text == pytest.approx([x, y, 3 * wide, 2 * high])
    assert number == pytest.approx([x + 2 * wide, y + high, wide, high])


def test_a_number_is_told_under_the_pointer_and_chosen_by_a_click(page: Page):
    show_map(page)
    page.mouse.move(*middle(page, 1, 0))
    expect(page.locator(".loupe-tip")).to_have_text("position 1 (“b”), dimension 0: −2.00000")
    page.mouse.move(*middle(page, 2, 1))
    expect(page.locator(".loupe-tip")).to_have_text("position 2, dimension 1: −1.00000")
    page.mouse.click(*middle(page, 2, 1))
    assert page.evaluate("told") == [["choose", {"position": 2, "dimension": 1}]]
    show_map(page, picked=None, chooses=False)
    page.mouse.click(*middle(page, 2, 1))
    assert page.evaluate("told") == []


def test_angles_have_the_colour_of_their_cosines(page: Page):
    show_map(page, np.array([[0.0, 90.0], [180.0, 45.0]]), kind="angles")
    ends = LIGHT.diverging
    assert [painted(page, *at) for at in ((0, 0), (0, 1), (1, 0))] == [
        rgb(ends[-1]),
        rgb(ends[3]),
        rgb(ends[0]),
    ]
    page.mouse.move(*middle(page, 1, 1))
    told = "position 1 (“b”), pair 1: turned by 45.00°"
    expect(page.locator(".loupe-tip")).to_have_text(told)
    assert {"−1", "0", "1"} <= {*page.locator(".positions-map text").all_text_contents()}


def test_the_map_is_told_to_those_who_do_not_see_it_and_saved_as_numbers(page: Page):
    show_map(page)
    label = page.locator(".positions-map svg").get_attribute("aria-label")
    assert label == (
        "The encoding of 3 positions in 3 dimensions. position 1 (“b”), dimension 2: 0.250000"
    )
    page.get_by_role("button", name="As a table").click()
    rows = page.locator(".loupe-as-table tbody tr").all_inner_texts()
    assert rows[1].split("\t") == ["1 (“b”)", "−2.000", "0", "0.2500"]
    lines = [*csv.reader(io.StringIO(saved(page, "the numbers of positions", "CSV").decode()))]
    assert lines[0] == ["\ufeffposition", "token", "dimension", "value"]
    assert lines[4] == ["1", "b", "0", "-2"]
    drawn = saved(page, "the numbers of positions", "SVG").decode()
    assert "data:image/png" in drawn
    assert ">b</text>" in drawn


def show_waves(page: Page, kind: str = "sinusoidal", rows: int = 8) -> None:
    dimensions, size = [0, 5], 6
    meta = {"kind": kind, "size": size, "rows": rows, "dimensions": dimensions}
    meta |= {"words": ["a"], "picked": {"position": 3, "dimension": 5}}
    angles = np.arange(rows)[:, None] / 10000 ** (np.array([0, 4]) / size)
    values = np.where([[True, False]], np.sin(angles), np.cos(angles))
    show_alone(page, "waves", {"meta": meta}, values=values.ravel())


def test_a_dot_for_each_number_lies_on_the_wave_of_its_formula(page: Page):
    show_waves(page)
    lines = page.locator("polyline").evaluate_all(
        "nodes => nodes.map((n) => [...n.points].map(({ x, y }) => [x, y]))"
    )
    dots = page.locator("circle").evaluate_all(
        "nodes => nodes.map((n) => [n.cx.baseVal.value, n.cy.baseVal.value])"
    )
    assert len(dots) == 16
    for line, own in zip(lines, (dots[:8], dots[8:]), strict=True):
        assert len(line) == 7 * 12 + 1
        on_line = np.array(line)[::12]
        # coordinates are written with one decimal, and the values arrived as float32
        np.testing.assert_allclose(on_line, own, rtol=0, atol=0.11)
    assert np.ptp(np.array(lines[0])[:, 1]) > 30


def test_a_learned_dimension_has_no_wave_but_a_line_from_number_to_number(page: Page):
    show_waves(page, "learned")
    counts = page.locator("polyline").evaluate_all("nodes => nodes.map((n) => n.points.length)")
    assert counts == [8, 8]


def test_the_nearest_dot_is_told_and_chosen(page: Page):
    show_waves(page)
    box = page.locator("circle").nth(10).bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2 + 4, box["y"] + 8
    page.mouse.move(x, y)
    told = f"position 2, dimension 5: {np.cos(2 / 10000 ** (4 / 6)):.6f}"
    expect(page.locator(".loupe-tip")).to_have_text(told)
    page.mouse.click(x, y)
    assert page.evaluate("told") == [["choose", {"position": 2, "dimension": 5}]]
    lines = [*csv.reader(io.StringIO(saved(page, "the waves of positions", "CSV").decode()))]
    assert lines[1][:3] == ["0", "a", "0"]
    assert len([line for line in lines[1:] if len(line) == 4]) == 16
