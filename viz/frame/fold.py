"""Parts of a page that open by a click on their heading; which are open stands in the link."""

from collections.abc import Callable

import streamlit as st

from viz.pictures import tokens


def fold(heading: str, show: Callable[[], None], *, key: str, opened: bool = False) -> None:
    """Put a part of a page behind a heading that says what it holds.

    Args:
        heading: What a person gets for the click, in words.
        show: Draws the part; called only while it is open.
        key: Names it in the link, as `more_KEY=true`.
        opened: Whether it is open where no link says otherwise.
    """
    place = st.expander(
        tokens.markdown(heading),
        expanded=opened,
        key=f"more_{key}",
        on_change="rerun",
        bind="query-params",
    )
    if place.open:
        with place:
            show()
