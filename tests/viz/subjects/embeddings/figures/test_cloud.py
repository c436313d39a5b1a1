import numpy as np
import pytest

from tests.viz.pictures.test_theme import contrast
from viz.pictures.theme import DARK, LIGHT
from viz.subjects.embeddings.figures.cloud import token_cloud
from viz.subjects.embeddings.figures.marks import Marks, look
from viz.subjects.embeddings.groups import CLASSES, KINDS

TOKENS = ("<s>", "cat", "dog", "<b>eats", "sleeps")
MARKS = Marks(TOKENS, ("special", "le", "le", "verb", "verb"))
FLAT = np.array([[0.0, 0], [10, 0], [20, 1], [0, 10], [3, 20]])


def draw(points=FLAT, selected=1, nearest=None):
    nearest = {1: (2, 3)} if nearest is None else nearest
    return token_cloud(points, marks=MARKS, selected=selected, nearest=nearest)


def trace(figure, name):
    [found] = [t for t in figure.data if t.name == name]
    return found


def test_each_group_is_a_trace_of_its_points():
    figure = draw()
    assert [t.name for t in figure.data[:3]] == ["le: masculine nouns", "verbs", "special"]
    verbs = figure.data[1]
    np.testing.assert_array_equal(np.column_stack([verbs.x, verbs.y]), FLAT[[3, 4]])
    assert tuple(verbs.customdata) == (3, 4)
    assert len({t.marker.color for t in figure.data[:3]}) == 3
    assert figure.data[2].marker.symbol == "circle-open"


def test_a_point_says_what_it_is_and_nothing_runs():
    assert draw().data[1].hovertext[0] == "<b>&lt;b&gt;eats</b><br>verbs"


def test_the_selected_token_is_ringed_and_all_that_have_neighbours_are_joined_to_them():
    figure = draw(nearest={1: (2, 3), 4: (3,)})
    ring, spokes = trace(figure, "selected"), trace(figure, "nearest")
    assert (ring.x[0], ring.y[0], ring.marker.color) == (10, 0, LIGHT.accent)
    np.testing.assert_array_equal(spokes.x, [10, 20, np.nan, 10, 0, np.nan, 3, 0, np.nan])
    np.testing.assert_array_equal(spokes.y, [0, 1, np.nan, 0, 10, np.nan, 20, 10, np.nan])
    assert {"<b>cat</b>", "<b>sleeps</b>", "dog"} <= {*trace(figure, "labels").text}


def test_labels_do_not_run_into_each_other():
    points = FLAT.copy()
    points[2] = points[1] + 0.01
    assert "dog" not in trace(draw(points), "labels").text
    assert "<b>cat</b>" in trace(draw(points), "labels").text
    assert "<b>dog</b>" in trace(draw(points, 2, {}), "labels").text


def test_of_many_points_about_thirty_have_labels_with_those_of_the_text_among_them():
    points = np.stack(np.meshgrid(np.arange(30.0), np.arange(30.0)), axis=-1).reshape(-1, 2)
    tokens = tuple(f"w{i}" for i in range(900))
    marks = Marks(tokens, ("verb",) * 900)
    figure = token_cloud(points, marks=marks, selected=7, nearest={}, of_text=(450, 899))
    labels = trace(figure, "labels").text
    assert 20 <= len(labels) <= 30
    assert {"<b>w7</b>", "<b>w450</b>", "<b>w899</b>"} <= {*labels}


@pytest.mark.parametrize("palette", [LIGHT, DARK])
@pytest.mark.parametrize("groups", [CLASSES, KINDS])
def test_no_two_groups_share_a_colour_and_all_stand_off_the_panel(palette, groups):
    looks = [look(name, palette) for name in groups]
    assert len({each.colour for each in looks}) == len(groups)
    assert all(contrast(each.colour, palette.panel) >= 2.8 for each in looks)
