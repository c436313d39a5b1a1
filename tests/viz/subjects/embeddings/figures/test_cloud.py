import numpy as np
import pytest

from tests.viz.pictures.test_theme import contrast
from viz.pictures.theme import DARK, LIGHT
from viz.subjects.embeddings.figures.cloud import token_cloud
from viz.subjects.embeddings.figures.marks import Marks

TOKENS = ("<s>", "cat", "dog", "<b>eats", "sleeps")
GROUPS = ("special", "noun", "noun", "verb", "verb")
MARKS = Marks(TOKENS, (1, 4, 5, 6, 7), GROUPS, ("noun", "verb", "special"))
FLAT = np.array([[0.0, 0], [10, 0], [20, 1], [0, 10], [3, 20]])
DEEP = np.column_stack([FLAT, [1.0, 2, 3, 4, 5]])


def draw(points=FLAT, marks=MARKS, selected=1, neighbours=(2, 3), **options):
    titles = ("component 1 (40 %)", "component 2 (30 %)", "third")[: points.shape[1]]
    return token_cloud(
        points,
        marks=marks,
        norms=np.arange(len(points)) + 0.5,
        titles=titles,
        selected=selected,
        neighbours=neighbours,
        **options,
    )


def trace(figure, name):
    [found] = [t for t in figure.data if t.name == name]
    return found


def test_each_group_is_a_trace_of_its_points():
    figure = draw()
    assert [t.name for t in figure.data[:3]] == ["noun (2)", "verb (2)", "special (1)"]
    verbs = figure.data[1]
    np.testing.assert_array_equal(np.column_stack([verbs.x, verbs.y]), FLAT[[3, 4]])
    assert tuple(verbs.customdata) == (3, 4)
    colours = [t.marker.color for t in figure.data[:3]]
    assert len(set(colours)) == 3
    assert figure.data[2].marker.symbol == "circle-open"


def test_a_point_says_what_it_is_and_nothing_runs():
    verbs = draw().data[1]
    assert verbs.hovertext[0] == "<b>&lt;b&gt;eats</b><br>id 6<br>verb<br>norm 3.50"
    assert "<b>&lt;b&gt;eats" not in verbs.name


def test_the_selected_token_is_ringed_and_joined_to_its_neighbours():
    figure = draw()
    ring, spokes = trace(figure, "selected"), trace(figure, "nearest")
    assert (ring.x[0], ring.y[0], ring.marker.color) == (10, 0, LIGHT.accent)
    np.testing.assert_array_equal(spokes.x, [10, 20, np.nan, 10, 0, np.nan])
    np.testing.assert_array_equal(spokes.y, [0, 1, np.nan, 0, 10, np.nan])
    assert not any(t.name in ("selected", "nearest") for t in draw(selected=None).data)


def test_labels_do_not_run_into_each_other():
    points = FLAT.copy()
    points[2] = points[1] + 0.01
    assert "dog" not in trace(draw(points), "labels").text
    assert "<b>cat</b>" in trace(draw(points), "labels").text
    assert "<b>dog</b>" in trace(draw(points, selected=2, neighbours=(1,)), "labels").text


def test_in_space_there_are_three_axes_and_plain_texts():
    figure = draw(DEEP)
    assert {t.type for t in figure.data} == {"scatter3d"}
    np.testing.assert_array_equal(figure.data[0].z, [2, 3])
    assert figure.layout.scene.zaxis.title.text == "third"
    assert "<s>" in trace(figure, "labels").text


def test_more_groups_than_colours_differ_by_symbols():
    names = [f"group {i}" for i in range(20)]
    marks = Marks(names, range(20), names, names)
    for palette in (LIGHT, DARK):
        looks = marks.looks(palette)
        assert len({looks[name] for name in names}) == 20


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_colours_stand_off_the_panel(palette):
    names = [f"group {i}" for i in range(8)]
    marks = Marks(names, range(8), names, names)

    for look in marks.looks(palette).values():
        assert contrast(look.colour, palette.panel) >= 2.8
