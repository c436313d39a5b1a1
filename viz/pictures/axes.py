"""Axes of figures as plain values: numbers, tokens and levels, which several figures share."""

import html
from typing import Any

import numpy as np
from jaxtyping import Float

from texts import say
from viz.pictures.theme import Palette

_SHARE_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25)
_MOST_SHARES = 4


def literal(token: str) -> str:
    """Show a token as it is: Plotly would take `<s>` for an instruction to strike through."""
    return html.escape(token, quote=False)


def axis(title: str, *, standoff: int | None = 8, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - plotly's own
    """Name an axis, which nobody drags."""
    return {"title": {"text": title, "standoff": standoff}, "fixedrange": True, **more}


def grid_lines(palette: Palette) -> dict[str, Any]:
    """Draw a quiet line at each number of an axis."""
    return {"showgrid": True, "gridcolor": palette.grid}


def level_lines(
    values: Float[np.ndarray, "*any"], palette: Palette, share: float = 0.1, least: float = 0.0
) -> dict[str, Any]:
    """Let an axis hold 0 and these values, with room beyond them and a line at each number."""
    low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    room = max(share * (high - low), least) or 1.0
    return {
        "range": [low - room, high + room],
        **grid_lines(palette),
        "zeroline": True,
        "zerolinecolor": palette.hatch,
    }


def share_ticks(highest: float) -> dict[str, Any]:
    """Tick an axis of shares, from 0 to this one, as the reader writes percentages."""
    step = next((s for s in _SHARE_STEPS if highest <= s * _MOST_SHARES), _SHARE_STEPS[-1])
    ticks = [n * step for n in range(int(highest / step) + 1)]
    return {"tickvals": ticks, "ticktext": [say("number.percent", share=tick) for tick in ticks]}
