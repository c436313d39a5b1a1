import numpy as np
import pytest

from viz.subjects.training.figures import (
    log_odds,
    schedule_curves,
    smoothed_loss_curve,
)


def test_schedules_are_lines_with_the_first_standing_out():
    steps = np.array([1, 10, 20])
    rates = {"Noam": np.array([0.1, 1.0, 0.7]), "other": np.array([0.1, 1.0, 1.0])}
    figure = schedule_curves(steps, rates, peak=1.0, width=400)
    assert [line.name for line in figure.data] == ["Noam", "other"]
    np.testing.assert_array_equal(figure.data[0].y, rates["Noam"])
    np.testing.assert_array_equal(figure.data[1].x, steps)
    assert figure.data[0].line.width > figure.data[1].line.width
    assert len({line.line.dash for line in figure.data}) == 2
    assert figure.layout.yaxis.range == (0, 1.6)


def test_the_loss_stands_over_log_odds_with_its_minimum_and_the_tokens():
    given = np.array([0.01, 0.5, 0.9, 0.999])
    smoothed, plain = np.array([4.0, 1.5, 0.5, 0.8]), -np.log(given)
    figure = smoothed_loss_curve(
        given,
        smoothed,
        plain,
        best=(0.9, 0.5),
        tokens=[("<b>", 0.5, 1.6), ("sure", 1.0, 0.9)],
        width=400,
    )
    curve, dotted, least, tokens = figure.data
    np.testing.assert_allclose(curve.x, np.log(given / (1 - given)))
    np.testing.assert_array_equal(curve.y, smoothed)
    np.testing.assert_array_equal(dotted.y, plain)
    assert (least.x[0], least.y[0]) == (pytest.approx(np.log(9)), 0.5)
    assert tokens.x[0] == pytest.approx(0)
    assert np.isfinite(tokens.x).all()
    assert list(tokens.y) == [1.6, 0.9]
    assert tokens.customdata[0][0] == "&lt;b&gt;"
    np.testing.assert_allclose(
        figure.layout.xaxis.tickvals, log_odds(np.array([0.01, 0.1, 0.5, 0.9, 0.99, 0.999]))
    )
