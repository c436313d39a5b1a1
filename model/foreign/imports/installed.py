"""Whether transformers is installed; models of families that Loupe knows open without it."""

import importlib.util


def has_transformers() -> bool:
    """Return whether transformers is installed, without importing it."""
    return importlib.util.find_spec("transformers") is not None
