"""Axes of figures as plain values: numbers, tokens and levels; several figures share them."""

import html
from typing import Any

import numpy as np
from jaxtyping import Float

from texts import say
from viz.pictures.theme import Palette

_SHARE_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25)
_MOST_SHARES = 4


def literal(token: str) -> str:
    """Escape a token for Plotly, which would take `<s>` for an instruction to strike through."""
    return html.escape(token, quote=False)


def axis(title: str, *, standoff: int | None = 8, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - plotly's own
    """Return an axis with a title, which cannot be dragged."""
    return {"title": {"text": title, "standoff": standoff}, "fixedrange": True, **more}


def grid_lines(palette: Palette) -> dict[str, Any]:
    """Return the settings for a faint line at each number of an axis."""
    return {"showgrid": True, "gridcolor": palette.grid}


def level_lines(
    values: Float[np.ndarray, "*any"], palette: Palette, share: float = 0.1, least: float = 0.0
) -> dict[str, Any]:
    """Return the settings of an axis that holds 0 and these values, with space and lines."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    room = max(share * (high - low), least) or 1.0
    return {
        "range": [low - room, high + room],
        **grid_lines(palette),
        "zeroline": True,
        "zerolinecolor": palette.hatch,
    }


def share_ticks(highest: float) -> dict[str, Any]:
    """Return the ticks of an axis of shares from 0 to `highest`, as percentages in the language."""
    step = next((s for s in _SHARE_STEPS if highest <= s * _MOST_SHARES), _SHARE_STEPS[-1])
    ticks = [n * step for n in range(int(highest / step) + 1)]
    return {"tickvals": ticks, "ticktext": [say("number.percent", share=tick) for tick in ticks]}
