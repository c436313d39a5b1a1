"""Figures: their ticks are written in the number format of the reader's language."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import ok


def show(spoken):
    import plotly.graph_objects as go

    from texts import speaking
    from viz.frame.chart import show_chart

    with speaking(spoken):
        show_chart(go.Figure(go.Scatter(y=[0.25, 1250.5])), key="one")


@pytest.mark.parametrize(("spoken", "separators"), [("en", ".,"), ("fr", ",\u202f")])
def test_numbers_are_separated_as_the_language_has_it(spoken, separators):
    page = ok(AppTest.from_function(show, kwargs={"spoken": spoken}).run(timeout=60))
    (chart,) = page.get("plotly_chart")
    assert json.loads(chart.proto.spec)["layout"]["separators"] == separators
