"""A field of the page on positions whose bounds change with the encoding in view."""

import streamlit as st

from viz.run.address import bound


def choose_below(
    label: str, least: int, most: int, first: int, *, key: str, width: int | None = None
) -> int:
    """Ask for a number up to `most`; one that was chosen when there were more becomes the last."""
    return st.slider(
        label,
        least,
        most,
        key=bound(key, first, within=(least, most)),
        width=width or "stretch",
    )
