"""How an atlas is made: the command for the model in view."""

import shlex

import streamlit as st

from texts import say
from viz.pictures import tokens

_SENTENCES = 1000
_FOLDER = "atlas"
_MAKE = (".venv/bin/python", "-m", "viz.corpus")
_START = ("python3", "start.py", "--atlas")


def show_making(checkpoint: str) -> None:
    """Show the two lines that make an atlas of a model and start the app with it."""
    made = shlex.join([*_MAKE, checkpoint, "--sentences", str(_SENTENCES), "--out", _FOLDER])
    started = shlex.join([*_START, _FOLDER])
    st.code(f"{made}\n{started}", language=None, wrap_lines=True)
    st.html(tokens.note(say("corpus.make_note")))
