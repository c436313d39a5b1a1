"""Whether transformers is there: models that Loupe knows are opened without it."""

import importlib.util


def has_transformers() -> bool:
    """Return whether transformers is installed, without importing it."""
    return importlib.util.find_spec("transformers") is not None
