"""Fields of the page on positions whose bounds change with the encoding in view."""

import streamlit as st


def choose_below(
    label: str, least: int, most: int, first: int, *, key: str, width: int | None = None
) -> int:
    """Ask for a number up to `most`; one that was chosen when there were more becomes the last."""
    held = st.session_state.get(key)
    beyond = isinstance(held, int) and held > most
    if beyond:
        # The browser may still hold, or not send at all, what a longer text allowed.
        st.session_state[key] = most
    return st.slider(
        label,
        least,
        most,
        None if beyond else first,
        key=key,
        bind="query-params",
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
        key=key,
        bind="query-params",
        width=210,
    )
    return own if given is None else int(given)
