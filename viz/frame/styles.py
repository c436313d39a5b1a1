"""The look of the page: its style sheets, with the palettes as CSS variables."""

from pathlib import Path

import streamlit as st

from viz.pictures.theme import root_variables

_VIZ = Path(__file__).parents[1]


def _sheets() -> list[Path]:
    """Find every style sheet of the app, sorted by name, which is the order of the cascade."""
    others = (_VIZ / "site", _VIZ / "web")  # for documents that are not pages of the app
    found = (path for path in _VIZ.rglob("*.css") if path.parent not in others)
    sheets = (path for path in found if path.name != "alone.css")
    return sorted(sheets, key=lambda path: path.name)


def show_style(*, presenter: bool) -> None:
    """Style the page; in presenter mode, with larger type and fewer controls."""
    sheets = [path.read_text(encoding="utf-8") for path in _sheets()]
    if not presenter:
        sheets = [sheet for sheet in sheets if not sheet.startswith("/* Presenter mode")]
    st.html(f"<style>\n{root_variables()}\n{''.join(sheets)}</style>")
