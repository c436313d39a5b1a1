"""How a model of one's own is opened here: two commands, and a look into a folder beforehand."""

from collections.abc import Callable, Iterator
from pathlib import Path

import streamlit as st

from model.foreign.imports.folder import find_models
from texts import say
from viz.frame.titles import folder_title
from viz.pictures import tokens
from viz.run import session
from viz.work.visit import is_at_this_machine

_LONGEST_PATH = 1_000
_MOST_TOLD = 10


def show_own_models(open_model: Callable[[str], None]) -> None:
    """Show how to open one."""
    st.dialog(say("frame.own_model"))(_show)(open_model)


def _show(open_model: Callable[[str], None]) -> None:  # noqa: ARG001
    """Show the commands; whoever sits at this machine may have a folder looked into."""
    st.html(tokens.note(say("frame.own_model_start")))
    st.code("python3 start.py --models FOLDER", language="bash")
    st.html(tokens.note(say("frame.own_model_check")))
    st.code("python -m model.foreign.imports FOLDER", language="bash")
    if is_at_this_machine():
        path = st.text_input(say("frame.own_model_folder"), max_chars=_LONGEST_PATH, key="own_path")
        for line in _found(path.strip()) if path.strip() else ():
            st.html(tokens.note(line))


def _found(path: str) -> Iterator[str]:
    """Describe what a folder holds, or why what is there cannot be opened."""
    try:
        folders = find_models(Path(path).expanduser())
    except (ValueError, RuntimeError):  # no such path can be, and no such user is
        folders = []
    if not folders:
        yield say("frame.own_model_none")
    for folder in folders[:_MOST_TOLD]:
        planned = session.plan_of(folder)
        why = f": {planned}" if isinstance(planned, str) else ""
        yield f"{folder_title(folder.name, planned)}{why}"
