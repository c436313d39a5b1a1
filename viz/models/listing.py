"""The names of all models in the list."""

import streamlit as st

from viz.models.folders import PREFIX, model_folders
from viz.models.own_checkpoints import checkpoint_names
from viz.models.stamps import cached_folder
from viz.work.visit import session_id

_OPENED = "opened_cached"
"""Key in the session: names of models in the Hugging Face cache, in the order they were opened."""


def listed_names() -> list[str]:
    """Return the names of all models: checkpoints first, then third-party models.

    Models from the user's Hugging Face cache that this session has opened come last.
    """
    names = checkpoint_names() + list(model_folders())
    return names + [name for name in _opened() if name not in names and cached_folder(name)]


def open_cached(name: str) -> bool:
    """Add a model of the user's Hugging Face cache to the list of this session, if it is one.

    Only the person at this machine may open models of the cache.
    """
    if not name.startswith(PREFIX) or cached_folder(name) is None:
        return False
    if name not in _opened():
        _opened().append(name)
    return True


def _opened() -> list[str]:
    return st.session_state.setdefault(_OPENED, []) if session_id() else []
