"""The Plotly template for each palette."""

import functools

import plotly.graph_objects as go

from viz.pictures.theme import FONT_SIZE, MONO, SANS, Palette


@functools.cache
def template(palette: Palette) -> go.layout.Template:
    """Build the template: transparent background, faint axes, weights in the palette's scale."""
    axis = {
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "linecolor": palette.grid,
        "tickfont": {"family": MONO, "size": FONT_SIZE, "color": palette.ink},
        "title": {"font": {"size": FONT_SIZE + 1, "color": palette.soft}},
    }
    return go.layout.Template(
        layout={
            "font": {"family": SANS, "size": FONT_SIZE, "color": palette.ink},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": palette.panel,
            "xaxis": axis,
            "yaxis": axis,
            "coloraxis": {"colorscale": list(palette.scale)},
            "hoverlabel": {
                "bgcolor": palette.panel,
                "bordercolor": palette.soft,
                "font": {"family": MONO, "size": FONT_SIZE, "color": palette.ink},
            },
        }
    )
