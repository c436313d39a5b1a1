"""Imports transformers without network access."""

import importlib
import os


def import_offline() -> None:
    """Import transformers without network access.

    transformers reads the environment variable once, on import. This function then restores the
    variable, so that processes started later can download the models that a user asks for.
    """
    added = "HF_HUB_OFFLINE" not in os.environ
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        importlib.import_module("transformers")
    finally:
        if added:
            os.environ.pop("HF_HUB_OFFLINE", None)
