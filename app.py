"""Run this with `streamlit run app.py`."""

from functools import partial
from pathlib import Path

import streamlit as st

from model.checkpoint import CheckpointError
from viz import controls, session
from viz.components.theme import follow_theme
from viz.pages import attention

PAGES = (attention,)
COMPONENTS = Path(__file__).parent / "viz" / "components"


def main() -> None:
    """Set the page up and choose a checkpoint."""
    st.set_page_config(page_title="Loupe", page_icon=str(COMPONENTS / "loupe.png"), layout="wide")
    st.html(COMPONENTS / "loupe.css")
    st.logo(str(COMPONENTS / "loupe.svg"), size="large")
    follow_theme()
    names = session.checkpoint_names()
    if not names:
        controls.report_no_checkpoint()
        return
    with st.sidebar:
        name = controls.choose_checkpoint(names)
    try:
        show(name)
    except CheckpointError as error:
        controls.report_broken(error)


def show(name: str) -> None:
    """Read the inputs, run the model on them, open the page in view."""
    info = session.read_info(name)
    with st.sidebar:
        about = st.container()
        source, encoding = controls.choose_source(info)
        selection = controls.choose_head(info)
        device = controls.choose_device()
    with about:
        controls.describe_model(session.load_checkpoint(name, device), device)
    if not controls.check_source(info, source, encoding):
        return
    run = session.run_model(name, source, device)
    page = st.navigation(
        [
            st.Page(
                partial(module.render, run, selection),
                title=module.TITLE,
                icon=module.ICON,
                url_path=module.TITLE.lower(),
                default=module is PAGES[0],
            )
            for module in PAGES
        ],
        position="top",
    )
    page.run()


main()
