"""Fields of the page on positions whose bounds change with the encoding in view."""

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


def choose_size(
    label: str, key: str, own: int, shown: str, bounds: tuple[int, int], step: int = 1
) -> int:
    """Ask for a number; an empty field is the default, of which `shown` tells."""
    low, high = bounds
    given = st.number_input(
        label,
        min_value=low,
        max_value=high,
        value=None,
        step=step,
        placeholder=shown,
        key=bound(key, None, within=bounds),
        width=210,
    )
    return own if given is None else int(given)
