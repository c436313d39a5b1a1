"""Transformers, imported so that it asks no network."""

import importlib
import os


def import_offline() -> None:
    """Import transformers without its network.

    It reads the environment once, and this function then restores it, so that processes started
    later may still download the models that a user asks for.
    """
    added = "HF_HUB_OFFLINE" not in os.environ
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    try:
        importlib.import_module("transformers")
    finally:
        if added:
            os.environ.pop("HF_HUB_OFFLINE", None)
