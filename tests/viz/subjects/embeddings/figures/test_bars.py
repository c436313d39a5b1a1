from viz.subjects.embeddings.figures.bars import neighbour_bars


def test_bars_are_as_long_as_the_cosines_the_nearest_on_top():
    figure = neighbour_bars(["dog", "<i>"], [0.9, -0.25], colours=["#111111", "#222222"])
    bars, numbers = figure.data
    assert (bars.x, bars.y) == ((0.9, -0.25), (0, 1))
    assert bars.marker.color == ("#111111", "#222222")
    assert numbers.text == ("0.90", "−0.25")
    assert 0.9 < numbers.x[0] < 0.92
    assert 0 < numbers.x[1] < 0.02
    assert figure.layout.yaxis.ticktext == ("dog", "&lt;i&gt;")
    assert figure.layout.yaxis.range == (1.5, -0.5)
    assert figure.layout.xaxis.range[0] < -0.25
