"""The look of the page: its style sheets, and the palettes of the figures as CSS variables."""

from dataclasses import fields
from pathlib import Path

import streamlit as st

from viz.pictures.theme import DARK, LIGHT, MONO

_VIZ = Path(__file__).parents[1]


def colour_variables() -> str:
    """Write `--NAME: light-dark(LIGHT, DARK)` for each colour, `--NAME-0` and on for a scale."""
    pairs: dict[str, tuple[str, str]] = {}
    for field in fields(LIGHT):
        light, dark = getattr(LIGHT, field.name), getattr(DARK, field.name)
        if isinstance(light, str):
            pairs[field.name] = (light, dark)
        else:
            stops = zip(light, dark, strict=True)
            pairs |= {f"{field.name}-{i}": stop for i, stop in enumerate(stops)}
    pairs["negative"] = (LIGHT.diverging[1], DARK.diverging[1])
    pairs["positive"] = (LIGHT.diverging[-2], DARK.diverging[-2])
    return "\n".join(f"--{name}: light-dark({a}, {b});" for name, (a, b) in pairs.items())


def root_variables() -> str:
    """Write the rule that gives the whole document its colours.

    What is appended to `body`, beside the app, has them too.
    """
    return f":root {{\n{colour_variables()}\n--mono: {MONO};\n}}"


def _sheets() -> list[Path]:
    """Find every style sheet of the app, by name: the order in which they are read."""
    others = (_VIZ / "site", _VIZ / "web")  # of documents that are not the app's pages
    sheets = (path for path in _VIZ.rglob("*.css") if path.parent not in others)
    return sorted(sheets, key=lambda path: path.name)


def show_style(*, presenter: bool) -> None:
    """Style the page; larger and with less around it for a room of people."""
    sheets = [path.read_text(encoding="utf-8") for path in _sheets()]
    if not presenter:
        sheets = [sheet for sheet in sheets if not sheet.startswith("/* Presenter mode")]
    st.html(f"<style>\n{root_variables()}\n{''.join(sheets)}</style>")
