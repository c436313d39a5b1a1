import numpy as np

from viz.subjects.positions.figures.rotation import circles

ANGLES = np.array([0.0, 0.5, 1.0, 1.5])
POINTS = np.stack([np.sin(ANGLES), np.cos(ANGLES)], axis=1)


def draw_circles(angle):
    return circles(
        [POINTS, POINTS],
        pairs=[3, 5],
        position=1,
        shift=2,
        titles=["three", "five"],
        angles=[angle, None],
    )


def test_sine_is_up_and_cosine_to_the_right():
    figure = draw_circles(1.0)
    places = next(trace for trace in figure.data if trace.customdata is not None)
    np.testing.assert_allclose(places.x, np.cos(ANGLES))
    np.testing.assert_allclose(places.y, np.sin(ANGLES))
    assert figure.layout.xaxis.title.text == "dimension 7"
    assert figure.layout.yaxis.title.text == "dimension 6"
    assert figure.layout.xaxis2.title.text == "dimension 11"


def test_two_lines_point_to_the_position_and_the_shifted_one():
    figure = draw_circles(1.0)
    before, after = (t for t in figure.data if t.name in ("PE(1)", "PE(3)") and t.xaxis == "x")
    np.testing.assert_allclose([before.x[1], before.y[1]], [np.cos(0.5), np.sin(0.5)])
    np.testing.assert_allclose([after.x[1], after.y[1]], [np.cos(1.5), np.sin(1.5)])
    assert [t.name for t in figure.data if t.showlegend] == ["PE(1)", "PE(3)"]


def test_an_arc_goes_from_one_to_the_other_where_it_is_a_rotation():
    def arcs(figure):
        return [t for t in figure.data if t.x is not None and len(t.x) == 49]

    [arc] = arcs(draw_circles(1.0))
    np.testing.assert_allclose(np.arctan2(arc.y[0], arc.x[0]), 0.5)
    np.testing.assert_allclose(np.arctan2(arc.y[-1], arc.x[-1]), 1.5)
    assert arcs(draw_circles(None)) == []
