"""The names of all models to choose from."""

import streamlit as st

from viz.models.folders import PREFIX, model_folders
from viz.models.own_checkpoints import checkpoint_names
from viz.models.stamps import cached_folder
from viz.work.visit import session_id

_OPENED = "opened_cached"
"""In the session: names of models of the Hugging Face cache, in the order in which they came."""


def listed_names() -> list[str]:
    """List all models to choose from: the checkpoints, then third-party models.

    Models of the user's Hugging Face cache that this session has opened come last.
    """
    names = checkpoint_names() + list(model_folders())
    return names + [name for name in _opened() if name not in names and cached_folder(name)]


def open_cached(name: str) -> bool:
    """List a model of the user's Hugging Face cache in this session, if it is one.

    Only the person at this machine may open models of the cache, unless the app serves others.
    """
    if not name.startswith(PREFIX) or cached_folder(name) is None:
        return False
    if name not in _opened():
        _opened().append(name)
    return True


def _opened() -> list[str]:
    return st.session_state.setdefault(_OPENED, []) if session_id() else []
