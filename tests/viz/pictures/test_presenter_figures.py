import json

import plotly.graph_objects as go
import pytest

from viz.pictures.figure_template import template
from viz.pictures.presenter_figures import HIGHEST, LEAST_PIXELS, WIDEST, enlarge
from viz.pictures.theme import LIGHT


def figure(**layout):
    made = go.Figure(
        go.Scatter(x=[1, 2], y=[3, 4], text=["a", "b"], textfont={"size": 11}, marker={"size": 8}),
        layout={
            "width": 400,
            "height": 200,
            "margin": {"l": 40, "t": 10},
            "xaxis": {"tickvals": [1, 2], "title": {"text": "x", "standoff": 8}},
            "yaxis": {"tickfont": {"size": 12}},
            "annotations": [
                {"text": "here", "x": 1, "y": 3, "xshift": 6, "font": {"size": 11}},
                {"text": "there", "x": 2, "y": 4, "font": {"color": "red"}},
            ],
            **layout,
        },
    )
    return made.update_layout(template=template(LIGHT))


def sizes(part, found):
    """Collect every font size in a figure, at any depth."""
    if isinstance(part, dict):
        for name, value in part.items():
            if name.endswith("font") and isinstance(value, dict) and "size" in value:
                found.append(value["size"])
            sizes(value, found)
    elif isinstance(part, list):
        for each in part:
            sizes(each, found)
    return found


def test_all_letters_of_an_enlarged_figure_can_be_read_from_afar():
    before = sizes(json.loads(figure().to_json()), [])
    after = sizes(json.loads(enlarge(figure()).to_json()), [])
    assert len(before) >= 8
    assert min(before) == 11
    assert len(after) >= len(before)
    assert min(after) >= LEAST_PIXELS


def test_the_room_grows_with_the_letters():
    plain, large = figure(), enlarge(figure())
    assert (large.layout.width, large.layout.height) == (600, 300)
    assert (large.layout.margin.l, large.layout.margin.t) == (60, 15)
    assert large.layout.annotations[0].xshift == 9
    assert large.layout.xaxis.title.standoff == 12
    assert large.data[0].marker.size == 12
    assert (large.data[0].x, large.data[0].y) == (plain.data[0].x, plain.data[0].y)
    assert plain.layout.width == 400


@pytest.mark.parametrize("width", [800, 2000])
def test_a_figure_grows_no_wider_than_a_card(width):
    assert enlarge(figure(width=width)).layout.width == WIDEST


@pytest.mark.parametrize(("height", "larger"), [(400, HIGHEST), (HIGHEST, HIGHEST), (900, 900)])
def test_a_figure_grows_no_higher_than_a_screen_has_below_a_heading(height, larger):
    assert enlarge(figure(height=height)).layout.height == larger
