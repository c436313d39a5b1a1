"""The command that makes an atlas of the model in view."""

import shlex

import streamlit as st

from sample_data.one_text.tasks import TEXT_TASKS
from sample_data.tasks import TASKS
from texts import say
from viz.models import opening, stamps
from viz.models.folders import PREFIX
from viz.pictures import tokens

_SENTENCES = 1000
_FOLDER = "atlas"
_TEXTS, _PAIRS = "texts.txt", "pairs.tsv"
_MAKE = (".venv/bin/python", "-m", "viz.corpus")
_START = ("python3", "start.py", "--atlas")


def show_making(checkpoint: str) -> None:
    """Show the two lines that make an atlas of a model and start the app with it."""
    info = opening.read_info(checkpoint)
    if info.task in TASKS or info.task in TEXT_TASKS:
        sentences = ("--sentences", str(_SENTENCES))
    else:
        sentences = ("--input", _PAIRS if info.config.has_cross_attention else _TEXTS)
    named = stamps.stamp(checkpoint).path if checkpoint.startswith(PREFIX) else checkpoint
    made = shlex.join([*_MAKE, named, *sentences, "--out", _FOLDER])
    started = shlex.join([*_START, _FOLDER])
    st.code(f"{made}\n{started}", language=None, wrap_lines=True)
    st.html(tokens.note(say("corpus.make_note")))
