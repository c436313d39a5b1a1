"""The navigation: the places of the app, and a row of tabs with the views of the current place."""

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from texts import say_of
from viz.address.address import written
from viz.address.link import go_to
from viz.frame.wire import WirePages
from viz.pictures.component import picture

_marks = picture("places", "frame/browser/places.js", sends={"turn": str})


def show_places(
    places: Mapping[str, Sequence[StreamlitPage]],
    current: StreamlitPage,
    *,
    first: str,
    pager: DeltaGenerator | None,
) -> None:
    """Show a link to each place, and to each view of the current place.

    Args:
        places: The views of each place.
        current: The page in view.
        first: The URL of the first page, which is at the root.
        pager: The place for links to the previous and the next view, in presenter mode.
    """
    with st.container(key="places", horizontal=True, gap="xxsmall"):
        for place, views in places.items():
            _link(current if current in views else views[0], say_of("place", place))
    views = next((views for views in places.values() if current in views), ())
    if len(views) > 1:
        with st.container(key="views", horizontal=True, gap="xxsmall"):
            for view in views:
                _link(view, view.title)
    data: WirePages = {
        "pages": [(v.url_path or first, v.title) for views in places.values() for v in views],
        "current": current.url_path or first,
        "turns": pager is not None,
    }
    with pager or st.container():
        _marks(key="marks", data=data, on_turn_change=_turn)


def _link(page: StreamlitPage, label: str) -> None:
    st.page_link(page, label=label, width="content", query_params=written())


def _turn() -> None:
    go_to(st.session_state["marks"]["turn"])
