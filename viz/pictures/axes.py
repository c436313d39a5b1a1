"""Tokens as labels of axes, which several figures share."""

import html

_LONGEST_LABEL = 16


def literal(token: str) -> str:
    """Show a token as it is: Plotly would take `<s>` for an instruction to strike through."""
    return html.escape(token, quote=False)


def label(token: str) -> str:
    """Shorten a token to what an axis has room for."""
    shown = token if len(token) <= _LONGEST_LABEL else f"{token[: _LONGEST_LABEL - 1]}…"
    return literal(shown)
