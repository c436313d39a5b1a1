"""BertViz's view of the same run, or the command that installs BertViz."""

import importlib.util
import sys
from pathlib import Path

import streamlit as st

from texts import say
from viz.address.selection import Selection
from viz.pictures import tokens
from viz.pictures.iframes import show_document
from viz.run.view import View
from viz.subjects.attention.bertviz_view import bertviz_html, frame_height, too_large

_MODULES = ("bertviz", "IPython")
_OWN = Path(__file__).parents[4] / ".venv"


def show_bertviz(view: View, selection: Selection) -> None:
    """Show BertViz's head view of the selected kind, in a frame without access to anything else."""
    if not all(map(importlib.util.find_spec, _MODULES)):
        _show_missing()
        return
    if problem := too_large(view.run, selection.kind):
        st.html(tokens.note(problem))
        return
    document = bertviz_html(
        view.run,
        selection.kind,
        layer=selection.layer,
        head=selection.head,
        dark=st.context.theme.type == "dark",
    )
    show_document(document, height=frame_height(view.run, selection.kind))


def _show_missing() -> None:
    """Say that BertViz is missing, and show the command that installs it."""
    title = say("frame.not_installed", name="BertViz")
    st.html(tokens.notice(title, say("frame.installing.bertviz")))
    is_own = Path(sys.prefix) == _OWN
    pip = f".venv/{Path(sys.executable).parent.name}/pip" if is_own else "pip"
    st.code(f"{pip} install bertviz ipython", language=None)
