"""The pages as a row of links above each of them, where Streamlit hides its own row in a menu."""

from collections.abc import Iterable

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from viz.run.address import written

_PLACE = "page_links"
"""Key of the row: loupe.css shows it on narrow screens alone."""


def show_page_links(pages: Iterable[StreamlitPage]) -> None:
    """Link to all pages, in one row that is moved sideways where it does not fit."""
    with st.container(key=_PLACE, horizontal=True, gap="xxsmall"):
        for page in pages:
            st.page_link(page, width="content", query_params=written())
