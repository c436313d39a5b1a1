"""Labels of the page on positions that have numbers in them."""

from texts import say
from texts.saying import written
from viz.pictures.numbers import fixed, number_text

_NO_MORE = "<extra></extra>"
"""The end of Plotly's text about a point, without the name of its trace beside it."""


def dimension(number: int) -> str:
    """Name a dimension."""
    return say("positions.dimension", dimension=number)


def wavelength(positions: float) -> str:
    """Write a wavelength, a long one in whole positions."""
    return written(f"{positions:,.0f}") if positions >= 1000 else number_text(positions)


def distance_hover() -> str:
    """Describe a dot of a score by distance."""
    return say("positions.distance_hover", distance="%{x}", score="%{y:.4f}") + _NO_MORE


def head_hover(head: int) -> str:
    """Describe a point on the line of a head."""
    shown = {"head": head, "distance": "%{x}", "added": "%{y:.4f}"}
    return say("positions.head_hover", **shown) + _NO_MORE


def pair_hover(number: int) -> str:
    """Describe a dot in a plane."""
    place = {"position": "%{customdata}", "y": "%{y:.6f}", "x": "%{x:.6f}"}
    return say("positions.pair_hover", **place, **_dimensions(number)) + _NO_MORE


def hand_hover(number: int, position: int, even: float, odd: float) -> str:
    """Describe the place of a pair at a position."""
    place = {"position": position, "y": fixed(even, 6), "x": fixed(odd, 6)}
    return say("positions.pair_hover", **place, **_dimensions(number)) + _NO_MORE


def _dimensions(pair: int) -> dict[str, int]:
    return {"even": 2 * pair, "odd": 2 * pair + 1}
