"""What is installed only where somebody wants it: whether it is there, and what brings it."""

import importlib.util
import sys
from pathlib import Path
from typing import Literal, NamedTuple

import streamlit as st

from texts import say, say_of
from viz.pictures import tokens

Extra = Literal["bertviz"]
"""As in the extras of the package, which a page asks for."""


class _Needs(NamedTuple):
    name: str
    modules: tuple[str, ...]
    packages: str


_NEEDS: dict[Extra, _Needs] = {
    "bertviz": _Needs("BertViz", ("bertviz", "IPython"), "bertviz ipython"),
}
_OWN = Path(__file__).parents[2] / ".venv"


def is_missing(extra: Extra) -> bool:
    """Return whether a page cannot have something, without importing it."""
    return not all(map(importlib.util.find_spec, _NEEDS[extra].modules))


def show_missing(extra: Extra) -> None:
    """Show what is missing, what there is in its place, and what installs it."""
    title = say("frame.not_installed", name=_NEEDS[extra].name)
    st.html(tokens.notice(title, say_of("frame.installing", extra)))
    show_command(extra)


def show_command(extra: Extra) -> None:
    """Show what installs it into the Python that runs here."""
    is_own = Path(sys.prefix) == _OWN
    pip = f".venv/{Path(sys.executable).parent.name}/pip" if is_own else "pip"
    st.code(f"{pip} install {_NEEDS[extra].packages}", language=None)
