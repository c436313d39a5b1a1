"""The script of every page: its inputs, the run, the navigation. `app.py` serves it."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from model.anatomy import Anatomy
from model.checkpoint import CheckpointError
from viz.frame import controls, messages
from viz.frame.bar import say_reading, show_bar, show_length, show_nothing, show_output
from viz.frame.changes import hold_link, open_changed, show_changes
from viz.frame.look import show_style
from viz.frame.page_links import show_page_links
from viz.frame.pinned import offer_pin
from viz.frame.python import offer_python
from viz.frame.running import show_running
from viz.frame.scheme import follow_theme
from viz.frame.titles import checkpoint_titles
from viz.frame.words import page_title
from viz.pages import AS_PYTHON, FIRST, PAGES
from viz.pictures import tokens
from viz.pictures.glossary import show_glossary
from viz.run import link, session
from viz.run.line import in_turn
from viz.run.parcel import send_measures, send_run
from viz.run.view import Inputs, View
from viz.subjects.map.picture import show_map
from viz.subjects.map.words import whose_run

LOGO = Path(__file__).parent / "frame"


@in_turn
def main() -> None:
    """Set the page up and choose a checkpoint."""
    st.set_page_config(page_title=page_title(), page_icon=str(LOGO / "loupe.png"), layout="wide")
    presenting = controls.is_presenting()
    show_style(presenter=presenting)
    with st.container():  # there in any case: what follows keeps its place on the page
        pager = controls.leave_presenter() if presenting else None
    st.logo(str(LOGO / "loupe.svg"), size="large")
    follow_theme()
    names = session.listed_names()
    if not names:
        messages.report_no_checkpoint()
        return
    with st.sidebar:
        name = controls.choose_checkpoint(names)
    try:
        show(name, checkpoint_titles(names)[name], pager)
    except CheckpointError as error:
        messages.report_broken(error)


def show(name: str, title: str, pager: DeltaGenerator | None) -> None:
    """Read the inputs, run the model on them, open the page in view."""
    info = session.read_info(name)
    links = st.container()
    with st.sidebar:
        hold_link()
        about = st.container()
        device = controls.choose_device()
        controls.choose_presenter()
        show_running()
        tools = st.container(key="run_tools", horizontal=True, gap="small")
    bar = show_bar(info)
    changes = st.container(key="changes_place")
    with bar.notices:
        right = messages.check_texts(name, device, bar.source, bar.target)
    inputs = Inputs(name, bar.source.text, messages.given_target(bar.target), device)
    if right:
        say_reading(bar, inputs)
    else:
        show_nothing(bar)
    with about:
        show_length(bar, info)
        checkpoint = session.load_checkpoint(name, device)
        controls.describe_model(checkpoint, title, device)
    anatomy = checkpoint.anatomy
    if not right:
        navigate(lambda _module: None, links, pager, anatomy)
        return
    opened = open_changed(inputs)
    view = opened.view
    show_output(bar, view)
    with changes:
        show_changes(opened)
    send_run(view.parcel)
    with st.sidebar:
        map_place = st.container()
    page = navigate(lambda module: open_page(module, view), links, pager, anatomy)
    st.set_page_config(page_title=page_title(page.title, view.inputs.source))
    page.run()
    show_glossary()
    with tools:
        offer_pin(view.inputs)
        offer_python(view, AS_PYTHON.get(page.url_path or FIRST.URL))
    with map_place:
        show_map(view.run, view.parcel.key, size="small", element_key="map_small")
        if anatomy.translates:
            st.html(tokens.note(whose_run(given=view.run.given)))
    send_measures(session.measures(view))
    session.settle()


def lacks(module: ModuleType, anatomy: Anatomy) -> str | None:
    """Say why a page cannot show a model; None where it can."""
    needs: Callable[[Anatomy], str | None] | None = getattr(module, "NEEDS", None)
    return needs(anatomy) if needs else None


def open_page(module: ModuleType, view: View) -> None:
    """Draw a page or, where a link leads to one that cannot show this model, say why."""
    if why := lacks(module, view.run.anatomy):
        link.follow_selection(view.run, view.parcel.key, module.URL)
        messages.report_page_lacking(module.TITLE, why)
    else:
        module.render(view)


def navigate(
    render: Callable[[ModuleType], None],
    links: DeltaGenerator,
    pager: DeltaGenerator | None,
    anatomy: Anatomy,
) -> StreamlitPage:
    """Show the links to the pages, go to the one that was asked for, and give the one in view.

    What cannot show this model is not offered.
    """
    pages = {
        module.URL: st.Page(
            partial(render, module),
            title=module.TITLE,
            url_path=module.URL,
            default=module is FIRST,
            visibility="hidden" if lacks(module, anatomy) else "visible",
        )
        for module in PAGES
    }
    page = st.navigation(list(pages.values()), position="top")
    if page.url_path == pages[FIRST.URL].url_path and lacks(FIRST, anatomy):
        shown = next(page for page in pages.values() if page.visibility == "visible")
        st.switch_page(shown, query_params=link.query_to_take())
    with links:
        show_page_links(page for page in pages.values() if page.visibility == "visible")
    if asked := link.page_to_open():
        st.switch_page(pages[asked], query_params=link.query_to_take())
    if pager:
        titles = {m.URL: m.TITLE for m in PAGES if not lacks(m, anatomy)}
        controls.show_pager(pager, titles, page.url_path or FIRST.URL)
    return page


if __name__ == "__main__":  # as Streamlit runs it; other scripts call it themselves
    main()
