"""The ways to open your own model: from a cache, a folder or the Hub, or by a command."""

from collections.abc import Callable, Iterator
from pathlib import Path

import streamlit as st

from model.foreign.finding import find_models, name_of
from texts import say
from viz.frame.hub_field import show_cached, show_hub
from viz.frame.titles import folder_title
from viz.models import planning
from viz.pictures import tokens
from viz.work.visit import is_at_this_machine

_LONGEST_PATH = 1_000
_MOST_TOLD = 10


def show_own_models(open_model: Callable[[str], None]) -> None:
    """Show how to open a model; `open_model` opens one by its name in the app."""
    # Without a rerun, a closed dialog would continue to refresh.
    st.dialog(say("frame.own_model"), on_dismiss="rerun")(_show)(open_model)


def _show(open_model: Callable[[str], None]) -> None:
    """Offer the models of this machine to the person at it, and show the commands to all."""
    if is_at_this_machine():
        show_cached(open_model)
        show_hub(open_model)
        path = st.text_input(say("frame.own_model_folder"), max_chars=_LONGEST_PATH, key="own_path")
        for line in _found(path.strip()) if path.strip() else ():
            st.html(tokens.note(line))
    st.html(tokens.note(say("frame.own_model_start")))
    st.code("python3 start.py --models FOLDER", language="bash")
    st.html(tokens.note(say("frame.own_model_fetch")))
    st.code("python3 start.py --fetch org/name", language="bash")
    st.html(tokens.note(say("frame.own_model_check")))
    st.code("python -m model.foreign.imports FOLDER", language="bash")


def _found(path: str) -> Iterator[str]:
    """Describe the models in a folder, with the reason if one cannot be opened."""
    try:
        folders = find_models(Path(path).expanduser())
    except (ValueError, RuntimeError):  # impossible path, or unknown user
        folders = []
    if not folders:
        yield say("frame.own_model_none")
    for folder in folders[:_MOST_TOLD]:
        planned = planning.plan_of(folder)
        why = f": {planned}" if isinstance(planned, str) else ""
        yield f"{folder_title(name_of(folder), planned)}{why}"
